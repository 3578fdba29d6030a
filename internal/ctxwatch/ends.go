package ctxwatch

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// # Ends that are delivered in step
//
// Package context reports the end of a context on a new goroutine. In a simulation, that is late
// by a time that nobody controls: what waits for the end may continue in this step or in a later
// one, or, on a busy machine, after the simulation has found that nothing can happen any more. So
// a scheduler whose steps are numbered keeps the groups of its contexts in an [Ends], and delivers
// those that have ended itself. The goroutine of package context then finds nothing to do.

// Owner is a scheduler that delivers the ends of its contexts.
type Owner interface {
	schedulers.Scheduler
	// ContextEnds returns the same Ends each time.
	ContextEnds(Key) *Ends
}

// Key restricts a method to this module: programs cannot make one.
type Key struct{}

// Ends are the groups of the contexts of one scheduler. The zero Ends is ready for use.
type Ends struct {
	groups     interleave.Int32 // how many there are
	delivering interleave.Int32 // ends that are being delivered, by any goroutine

	mu    interleave.Mutex
	first *member // the oldest
	last  *member
}

// member is what a group has that is in an Ends. Only groups of simulations have one.
type member struct {
	group      *group
	ends       *Ends
	inRealTime bool    // the context has a deadline of the real clock
	next, prev *member // guarded by Ends.mu
}

// DeadlineKey is the key under which a context returns its deadline, a time.Time, if that is one
// of a clock that is not real.
type DeadlineKey struct{}

// EndsInRealTime reports whether ctx has a deadline of the real clock. It does not block.
func EndsInRealTime(ctx context.Context) bool {
	at, ok := ctx.Deadline()
	if !ok {
		return false
	}
	virtual, ok := ctx.Value(DeadlineKey{}).(time.Time)
	return !ok || !virtual.Equal(at)
}

// InRealTime reports whether one of the contexts has a deadline of the real clock. It does not
// block.
func (e *Ends) InRealTime() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for m := e.first; m != nil; m = m.next {
		if m.inRealTime {
			return true
		}
	}
	return false
}

// endsOf returns the Ends of the scheduler of ctx, or nil.
func endsOf(ctx context.Context) *Ends { return EndsOf(schedulers.FromContext(ctx)) }

// EndsOf returns the Ends of s, or nil. s may be nil.
func EndsOf(s schedulers.Scheduler) *Ends {
	for s != nil {
		if o, ok := s.(Owner); ok {
			return o.ContextEnds(Key{})
		}
		l, ok := s.(schedulers.Layered)
		if !ok {
			return nil
		}
		s = l.Beneath()
	}
	return nil
}

// Len returns the number of Done channels that are watched, plus that of ends that are being
// delivered. It does not block.
func (e *Ends) Len() int {
	n := e.groups.Load() // first: a group is counted as a delivery before it is removed
	return int(n + e.delivering.Load())
}

// Deliver notifies the watches of all contexts that have ended, the oldest first, including
// contexts that end thereby. It reports whether none are left: false means that another goroutine
// has begun to notify some and has not finished. It calls listeners, so no lock may be held that
// these need.
func (e *Ends) Deliver() bool {
	for {
		ended := e.ended()
		if len(ended) == 0 {
			return e.delivering.Load() == 0
		}
		for _, g := range ended {
			g.end()
		}
	}
}

// ended returns the groups whose context has ended.
func (e *Ends) ended() (all []*group) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for m := e.first; m != nil; m = m.next {
		if m.group.hasEnded() {
			all = append(all, m.group)
		}
	}
	return all
}

// hasEnded reports whether the context of g has ended. It calls no code of the context.
func (g *group) hasEnded() bool {
	if g.done == nil {
		return g.over.Load()
	}
	select {
	case <-g.done:
		return true
	default:
		return false
	}
}

// add adds m to its Ends.
func (m *member) add() {
	e := m.ends
	e.mu.Lock()
	defer e.mu.Unlock()
	if m.prev = e.last; e.last != nil {
		e.last.next = m
	} else {
		e.first = m
	}
	e.last = m
	e.groups.Add(1)
}

// remove removes m, which was added. A group without a member is in no Ends, here and below.
func (m *member) remove() {
	if m == nil {
		return
	}
	e := m.ends
	e.mu.Lock()
	defer e.mu.Unlock()
	if m.prev != nil {
		m.prev.next = m.next
	} else {
		e.first = m.next
	}
	if m.next != nil {
		m.next.prev = m.prev
	} else {
		e.last = m.prev
	}
	m.next, m.prev = nil, nil
	e.groups.Add(-1)
}

// begin counts a delivery that begins, and finish one that ends.
func (m *member) begin() {
	if m != nil {
		m.ends.delivering.Add(1)
	}
}

func (m *member) finish() {
	if m != nil {
		m.ends.delivering.Add(-1)
	}
}
