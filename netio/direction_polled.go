//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

// direction is one direction of a socket: reading or writing. The socket's lock
// guards it.
type direction struct {
	first, last *operation
	edges       uint32 // number of events so far
	ready       bool   // not known to be blocked
	proven      bool   // an event after the last read showed that there is something to read
	drainedAt   uint32 // number of fetches begun before the last call that read, or found nothing
	sticky      bool   // a short read does not mean that nothing is left: see socket_polled.go
	taken       bool   // an operation has the turn
	streak      uint8  // number of consecutive machine runs that did not wait
}

// maxStreak limits how often a machine continues without waiting, so that a peer that floods it
// cannot monopolize its worker.
const maxStreak = 61

// mayGo reports whether a transfer with the turn could make progress. What writes nothing needs no
// room.
func (d *direction) mayGo(t *transfer) bool {
	return d.ready || t.kind == shutting || t.kind == writing && len(t.buf) == 0
}

// signal records an event and grants the turn to the first waiting operation, or returns nil. An
// event proves nothing if its fetch began before the system reported that nothing was left: it
// may concern data that have been read since.
func (d *direction) signal(sticky bool, fetch uint32) *operation {
	d.edges++
	d.ready = true
	d.proven = int32(fetch-d.drainedAt) > 0
	d.sticky = d.sticky || sticky
	return d.grant()
}

// grant gives the turn to the first waiting operation, if the turn is free and the operation
// could use it. It returns that operation. The caller notifies it after releasing mu.
func (d *direction) grant() *operation {
	o := d.first
	if o == nil || d.taken || !d.mayGo(&o.transfer) {
		return nil
	}
	d.streak = 0
	return d.take()
}

// take removes the first operation from the queue, and gives it the turn.
func (d *direction) take() *operation {
	o := d.first
	d.remove(o)
	d.taken = true
	o.state = granted
	return o
}

func (d *direction) push(o *operation) {
	if d.last == nil {
		d.first = o
	} else {
		d.last.next = o
	}
	d.last = o
}

func (d *direction) pushFront(o *operation) {
	o.next = d.first
	d.first = o
	if d.last == nil {
		d.last = o
	}
}

// remove removes o from the queue, and reports whether it was there. Queues are short.
func (d *direction) remove(o *operation) bool {
	var before *operation
	for p := d.first; p != nil; before, p = p, p.next {
		if p != o {
			continue
		}
		if before == nil {
			d.first = o.next
		} else {
			before.next = o.next
		}
		if d.last == o {
			d.last = before
		}
		o.next = nil
		return true
	}
	return false
}

// takeAll removes all operations from the queue, ends each with err, and appends them to ended.
func (d *direction) takeAll(ended []*operation, err error) []*operation {
	for d.first != nil {
		o := d.first
		d.remove(o)
		o.state, o.err = decided, err
		ended = append(ended, o)
	}
	return ended
}
