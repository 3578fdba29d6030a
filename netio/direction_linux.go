//go:build linux && !netio_portable

package netio

// direction is what is read from a socket, or what is written. The socket's lock guards it.
type direction struct {
	first, last *operation
	edges       uint32 // how many events there were
	ready       bool   // not known to be blocked
	proven      bool   // an event that came after the last read says that there is something to read
	drained     uint32 // how many fetches had begun when the system had nothing more
	sticky      bool   // the system has told of an end or an error, which it tells once
	taken       bool   // an operation has the turn
	streak      uint8  // how often machines went on without having waited
}

// maxStreak bounds how often a machine goes on without having waited, so that a peer that floods it
// does not have its worker for itself.
const maxStreak = 61

// mayGo reports whether an operation that has the turn could do something.
func (d *direction) mayGo(k kind) bool { return d.ready || k == shutting }

// signal notes an event and grants the turn to the first that waits, or returns nil. An event proves nothing if its fetch
// had begun when the system had nothing more: it may be about what was read then.
func (d *direction) signal(sticky bool, fetch uint32) *operation {
	d.edges++
	d.ready = true
	d.proven = int32(fetch-d.drained) > 0
	d.sticky = d.sticky || sticky
	return d.grant()
}

// grant gives the turn to the first that waits, if it is free and of use, and returns the operation
// that is to be told so when mu is released.
func (d *direction) grant() *operation {
	o := d.first
	if o == nil || d.taken || !d.mayGo(o.kind) {
		return nil
	}
	d.streak = 0
	return d.take()
}

// take takes the first out of the queue, and gives it the turn.
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

// remove takes o out of the queue, and reports whether it was there. A queue is short.
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

// takeAll takes all out of the queue, each of which ends with err, and appends them to ended.
func (d *direction) takeAll(ended []*operation, err error) []*operation {
	for d.first != nil {
		o := d.first
		d.remove(o)
		o.state, o.err = decided, err
		ended = append(ended, o)
	}
	return ended
}
