//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"math"
	"net"
	"os"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// # Deadlines
//
// A deadline is a number, and moving it to a later time is a store: servers set one before each
// read. The timer is armed when an operation waits, and is then left alone while the deadline
// moves to later times. If it fires too early, it is armed again for the remaining time.
//
//	armed   the timer fires no later than the deadline, if an operation waits in that direction
//
// Proof. When an operation begins to wait, armFor arms the timer; when the
// deadline moves while one waits, set does. If the timer is armed for a later
// time, arm stops it and arms it anew; if it cannot be stopped, it is firing, and
// Expire, which runs afterwards because of the lock, sees the new deadline. So a
// Timer is never armed twice.
//
// It is tempting to let armFor leave an armed timer alone. But that timer may belong to an
// earlier operation: while nothing waited, its deadline may have been moved to an earlier time.

// deadline is the time at which the operations of one direction end. The socket's lock guards it.
type deadline struct {
	socket  *socket
	outward bool
	when    int64 // on the poller's clock; 0: none
	armed   int64 // when the timer fires; 0: it is not armed
	timer   schedulers.Timer
}

// longAgo is a deadline that has passed.
const longAgo = -1

func (s *socket) deadlineOf(k kind) *deadline {
	if k.outward() {
		return &s.extras.out
	}
	return &s.extras.in
}

func (d *deadline) direction() *direction {
	if d.outward {
		return &d.socket.out
	}
	return &d.socket.in
}

// passed reports whether the deadline has passed.
func (d *deadline) passed(p *poller) bool {
	return d.when != 0 && (d.when == longAgo || d.when <= p.now())
}

// set sets the deadline, and appends to ended the operations whose deadline has passed.
func (d *deadline) set(t time.Time, ended []*operation) []*operation {
	switch left := time.Until(t); {
	case t.IsZero():
		d.when = 0
		return ended
	case left <= 0:
		d.when = longAgo
	default:
		now := d.socket.poller.now()
		d.when = max(1, now+int64(left))
		if int64(left) > math.MaxInt64-now { // beyond the clock's range
			d.when = 0
		}
	}
	return d.enforce(ended)
}

// enforce ends the waiting operations if the deadline has passed; otherwise it
// makes sure that the timer fires in time.
func (d *deadline) enforce(ended []*operation) []*operation {
	if d.when == 0 || d.direction().first == nil {
		return ended
	}
	if d.passed(d.socket.poller) {
		op := reading
		if d.outward {
			op = writing
		}
		return d.direction().takeAll(ended, d.socket.wrap(op.name(), os.ErrDeadlineExceeded))
	}
	d.arm()
	return ended
}

// arm makes sure that the timer fires no later than the deadline; mu is held.
func (d *deadline) arm() {
	if d.armed != 0 && d.armed <= d.when {
		return
	}
	timers := &d.socket.poller.timers
	if d.armed != 0 && !timers.StopTimer(&d.timer) {
		return // it is firing, and Expire arms it again
	}
	d.armed = d.when
	d.timer.OnExpire = d
	timers.StartTimer(&d.timer, time.Duration(d.when-d.socket.poller.now()))
}

// Expire implements schedulers.Expirer.
func (d *deadline) Expire(*schedulers.Timer) {
	s := d.socket
	s.mu.Lock()
	d.armed = 0
	var few [4]*operation
	ended := d.enforce(few[:0])
	s.mu.Unlock()
	for _, o := range ended {
		o.notify()
	}
}

// armFor arms the timer for an operation of kind k; mu is held.
func (s *socket) armFor(k kind) {
	if s.extras != nil {
		if d := s.deadlineOf(k); d.when != 0 {
			d.arm()
		}
	}
}

// disarm stops the timers of a socket that is closed; mu is held.
func (s *socket) disarm() {
	if s.extras == nil {
		return
	}
	s.poller.timers.StopTimer(&s.extras.in.timer)
	s.poller.timers.StopTimer(&s.extras.out.timer)
	s.poller.timers.StopTimer(&s.extras.retry.timer)
}

// setDeadlines sets the deadlines of reading, of writing, or of both.
func (s *socket) setDeadlines(t time.Time, in, out bool) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return s.wrap("set", net.ErrClosed)
	}
	r := s.makeExtras()
	var few [4]*operation
	ended := few[:0]
	if in {
		ended = r.in.set(t, ended)
	}
	if out {
		ended = r.out.set(t, ended)
	}
	s.mu.Unlock()
	for _, o := range ended {
		o.notify()
	}
	return nil
}
