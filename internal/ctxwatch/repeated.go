package ctxwatch

import (
	"context"

	"github.com/movenext/movenext/internal/interleave"
)

// # Waiting again and again under one context
//
// The first watch of a context makes a group and registers a callback with the context, and the
// last watch removes both: some 500 ns and 300 bytes. A machine that receives and sends in a loop
// would pay that for each message if its context can be canceled, as nearly every context of a
// real program can.
//
// It is tempting to keep a group for a while after its last watch. But then a context keeps
// references to operations that are over. Also, the address of a Done channel may be reused for
// another context, which would find the group of the old one.
//
// So the machine keeps a watch from one wait to the next, and records which of its waits is to be
// notified. Two compare-and-swaps a wait remain. (They are on a number, since those on a pointer
// take twice as long, because of the garbage collector.)
//
//	a wait                                  the context ends
//	 1. if idle, write the wait;             1. swap state: → over
//	    CAS state: idle → waiting            2. if it was waiting: read the wait, notify it
//	    fails: it has ended, notify the wait
//	 2. wait
//	 3. CAS state: waiting → idle
//	    fails: the wait is being notified
//
// Proof. The swap on the right happens once. If it precedes step 1 on the left, or follows step 3,
// it finds idle and reads nothing, and the next step 1 finds over. If it is between them, it finds
// the wait and notifies it, and step 3 fails, so that the wait's memory is not used for another
// wait. The field that holds the wait is not overwritten either: step 1 writes it only if the
// state is idle.

// SharedWatch is a watch of one context for many waits, one at a time. Call Start first. One
// goroutine at a time may call its methods.
type SharedWatch struct {
	watch Watch
	wait  *Watch // the wait to notify while state is waiting
	state interleave.Uint32
}

// The states of a SharedWatch.
//
//	idle ──1──▶ waiting ──3──▶ idle
//	  │            │
//	  └────────────┴──▶ over
const (
	idle uint32 = iota
	waiting
	over // the context has ended
)

// Start begins to watch ctx, which can end. It calls methods of the context.
func (s *SharedWatch) Start(ctx context.Context) { s.watch.Start(ctx, s) }

// Watches reports whether s watches contexts that o ends, and they had not ended at the time of
// the check.
func (s *SharedWatch) Watches(o Origin) bool {
	p := interleave.LoadPointer(&s.watch.place)
	return p != nil && o.ends(p)
}

// Stop ends the watch, and reports whether s may be started again: it may not if the context has
// ended. Stop must not be called during a wait.
func (s *SharedWatch) Stop() bool { return s.watch.Stop() }

// Subscribe makes e be notified with w when the context ends, or during the call if it has
// ended already. Meanwhile w must not be started by its own method.
func (s *SharedWatch) Subscribe(w *Watch, e Listener) {
	w.listener = e
	if s.state.Load() == idle { // otherwise an earlier wait may still be read
		s.wait = w
		if s.state.CompareAndSwap(idle, waiting) {
			return
		}
	}
	e.ContextEnded(w)
}

// Unsubscribe undoes Subscribe and reports whether it did: false means that ContextEnded has
// been or is being called.
func (s *SharedWatch) Unsubscribe() bool { return s.state.CompareAndSwap(waiting, idle) }

// ContextEnded implements [Listener].
func (s *SharedWatch) ContextEnded(*Watch) {
	if s.state.Swap(over) == waiting {
		s.wait.listener.ContextEnded(s.wait)
	}
}

// WaitWatch is the watch of one wait: a separate Watch or, if the waiter has a SharedWatch, a use
// of that. It is embedded in the waiter, and is used again for the next wait. It must not be
// copied while it is started.
type WaitWatch struct {
	watch  Watch
	shared *SharedWatch // nil: watch itself is started
}

// Start makes e be notified when ctx ends. l is a SharedWatch that watches ctx, or nil. See
// [Watch.Start].
func (t *WaitWatch) Start(ctx context.Context, l *SharedWatch, e Listener) {
	if t.shared = l; l != nil {
		l.Subscribe(&t.watch, e)
		return
	}
	t.watch.Start(ctx, e)
}

// Stop ends the watch and reports whether it did: false means that ContextEnded has been or is
// being called, or that t was not started.
func (t *WaitWatch) Stop() bool {
	if t.shared != nil {
		return t.shared.Unsubscribe()
	}
	return t.watch.Stop()
}

// TakeShared returns the SharedWatch that was passed to Start, and forgets it. t must have been
// stopped.
func (t *WaitWatch) TakeShared() *SharedWatch {
	l := t.shared
	t.shared = nil
	return l
}
