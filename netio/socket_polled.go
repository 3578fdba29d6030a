//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"net"
	"net/netip"
	"os"
	"sync"
)

// # Turns to read and to write
//
// A socket has two directions. In each, one operation at a time has the turn: only it makes
// system calls there. The others wait in a queue, first come, first served: the writes of ten
// goroutines go out one after the other and never interleave.
//
//	direction   queue            taken   makes system calls
//	idle        empty            no      none
//	running     any              yes     the operation that has the turn, on its own goroutine
//	blocked     not empty        no      none: there is nothing to read, or no room to write
//	granting    any              yes     none yet: the operation is on its way to its home
//
// An operation whose call returns EAGAIN goes back to the head of the queue. The states of
// one operation are in operation_polled.go.
//
// # The one race
//
// An operation gets EAGAIN; an event says that the socket is ready; the operation goes to sleep.
// An edge is reported only once. So the two synchronize under the socket's lock:
//
//	the operation                        the poller
//	 1. lock; note edges; unlock          1. lock
//	 2. system call: EAGAIN               2. edges++, ready = true
//	 3. lock                              3. turn free, queue not empty: grant it
//	 4. edges has moved: again from 2     4. unlock; notify the granted operation
//	 5. ready = false; wait; unlock
//
// Proof. A change that makes the socket ready after the call in step 2 causes an event, and the
// right-hand list runs after that. If it runs before step 3, it also runs after step 1, and step
// 4 sees it: edges is written only under the lock. If it runs after step 5, it finds the
// operation in the queue. An event that was fetched before step 1 and handled after step 5 wakes
// the operation needlessly: it makes a call, gets EAGAIN, and waits as before. That costs a turn
// and loses nothing. A short read is an EAGAIN that costs no call: it clears ready in the same
// way, unless the direction is sticky:
//
//   - The system has reported an end or an error. It does so once, and they may follow the data
//     that were read.
//   - There was urgent data: a read ends at its mark, and the next one continues after it.
//   - It is a Unix socket: a read ends where the peer sent a descriptor with the data.
//
// It is tempting to clear ready before the call. But an event between the two sets it again,
// although the call reads the data of that event: the next operation then trusts an event that
// has already been used.

// socket is a descriptor in the poller. Conn and Listener consist of it.
type socket struct {
	// Written before any other goroutine knows the socket.
	fd      int
	stream  bool // not of datagrams
	network string
	addrs   addresses
	poller  *poller

	mu     sync.Mutex
	closed bool
	inside int // the number of operations that make system calls
	slot   uint32
	in     direction
	out    direction
	extras *extras // nil until it is needed
}

// outcome is the result of an attempt.
type outcome uint8

const (
	finished  outcome = iota // its results are known
	mustWait                 // it has to wait, and no part of it has been done
	keepsTurn                // it has to wait in the middle, and keeps the turn
	queued                   // it waits in the queue
)

func (s *socket) directionOf(k kind) *direction {
	if k.outward() {
		return &s.out
	}
	return &s.in
}

// refusal returns the reason why no operation of kind k may begin; mu is held, here and below.
func (s *socket) refusal(k kind) error {
	if s.closed {
		return net.ErrClosed
	}
	if s.extras != nil && s.deadlineOf(k).passed(s.poller) {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// try runs t at once if it need not wait. Otherwise its caller makes an operation for it. machine
// limits the streak of attempts that did not wait.
func (s *socket) try(t *transfer, machine bool) outcome {
	d := s.directionOf(t.kind)
	s.mu.Lock()
	if err := s.refusal(t.kind); err != nil {
		s.mu.Unlock()
		t.err = s.wrap(t.kind.name(), err)
		return finished
	}
	if d.taken || d.first != nil || !d.mayGo(t) || machine && d.streak >= maxStreak {
		s.mu.Unlock()
		return mustWait
	}
	if machine {
		d.streak++
	}
	d.taken = true
	s.inside++
	return s.runAndUnlock(t, nil)
}

// enqueue makes o wait, or run if its turn has come in the meantime. hasTurn says that o has the
// turn already.
func (s *socket) enqueue(o *operation, hasTurn bool) outcome {
	d := s.directionOf(o.kind)
	s.mu.Lock()
	if hasTurn {
		d.taken = false
	}
	if err := s.endReason(o); err != nil {
		return s.endAndUnlock(o, d, err)
	}
	if hasTurn {
		d.pushFront(o)
	} else {
		d.push(o)
	}
	o.state = waiting
	if d.taken || d.first != o || !d.mayGo(&o.transfer) {
		s.armFor(o.kind)
		s.mu.Unlock()
		return queued
	}
	d.take()
	if o.byMachine() && d.streak >= maxStreak {
		d.streak = 0
		o.state = granted
		s.mu.Unlock()
		o.rest.Submit(o, resumedFairly)
		return queued
	}
	s.inside++
	return s.runAndUnlock(&o.transfer, o)
}

// proceed continues an operation that was granted its turn, or was ended.
func (s *socket) proceed(o *operation) outcome {
	d := s.directionOf(o.kind)
	s.mu.Lock()
	if o.state == decided {
		s.mu.Unlock()
		return finished
	}
	if err := s.endReason(o); err != nil {
		d.taken = false
		return s.endAndUnlock(o, d, err)
	}
	s.inside++
	return s.runAndUnlock(&o.transfer, o)
}

// endAndUnlock ends o with err. mu is held on entry, and released.
func (s *socket) endAndUnlock(o *operation, d *direction, err error) outcome {
	o.state = decided
	next := d.grant()
	s.mu.Unlock()
	o.err = s.wrap(o.kind.name(), err)
	next.notify()
	return finished
}

// endReason returns the reason why o has to end instead of waiting or running, or nil.
func (s *socket) endReason(o *operation) error {
	if err := s.refusal(o.kind); err != nil {
		return err
	}
	if o.ctxWatch != nil {
		return o.ctxWatch.reason
	}
	return nil
}

// runAndUnlock makes the system calls of t, which has the turn and is counted inside. mu is held
// on entry, and released. o is t's operation, or nil.
func (s *socket) runAndUnlock(t *transfer, o *operation) outcome {
	d := s.directionOf(t.kind)
	for {
		edges := d.edges
		t.sys.extras, t.sys.proven = s.extras != nil, d.proven
		s.mu.Unlock()
		done, drained := t.step(s)
		s.mu.Lock()
		unmoved := d.edges == edges
		if !done || t.kind != looking {
			d.proven = false
		}
		if unmoved && (!done || drained && !d.sticky) {
			d.ready = false
		}
		if drained || t.kind != looking {
			d.drainedAt = s.poller.fetches.Load()
		}
		if !done && !unmoved && !s.closed {
			continue
		}
		s.leave()
		if done {
			d.taken = false
			if o != nil {
				o.state = decided
			}
			next := d.grant()
			s.mu.Unlock()
			next.notify()
			return finished
		}
		return s.blockAndUnlock(t, o, d)
	}
}

// blockAndUnlock ends runAndUnlock for a transfer that the system cannot serve now. mu is held on
// entry, and released.
func (s *socket) blockAndUnlock(t *transfer, o *operation, d *direction) outcome {
	if o == nil {
		defer s.mu.Unlock()
		if t.n > 0 {
			return keepsTurn
		}
		d.taken = false // waiting operations precede new ones: the queue decides
		return mustWait
	}
	d.taken = false
	if err := s.endReason(o); err != nil {
		return s.endAndUnlock(o, d, err)
	}
	o.state = waiting
	d.pushFront(o)
	s.armFor(o.kind)
	s.mu.Unlock()
	return queued
}

// event is the poller's part of the race: bits are the conditions, and fetch is the number of the
// fetch that returned them. If nothing waits, as after Close, the event is only recorded.
func (s *socket) event(bits conditions, fetch uint32) {
	s.mu.Lock()
	var a, b *operation
	if bits&readable != 0 {
		a = s.in.signal(bits&readEnd != 0, fetch)
	}
	if bits&writable != 0 {
		b = s.out.signal(bits&writeEnd != 0, fetch)
	}
	s.mu.Unlock()
	a.notify()
	b.notify()
}

// addresses are the addresses of a socket.
type addresses struct {
	local, remote         netip.AddrPort
	localName, remoteName string // of Unix sockets
}
