package ctxwatch

import (
	"context"

	"github.com/movenext/movenext/internal/interleave"
)

// # Waiting again and again under one context
//
// The first watch of a context makes a group and asks the context for a callback, and the last
// takes both back: some 500 ns and 300 bytes. A machine that receives and sends in a loop would
// pay that for each message, as soon as its context can be canceled, which is so for nearly every
// context of a real program.
//
// It is tempting to let a group stay for a while after its last watch. But then a context keeps
// what is over; and the address of a Done channel is used again for the next context,
// which would find the group of the last one.
//
// So the machine keeps a watch from one wait to the next, and says which of its waits is to be
// told. Two compare-and-swaps a wait remain. (Of a number: that of a pointer takes twice as long,
// for the collector's sake.)
//
//	a wait                                  the context ends
//	 1. idle: write the wait;                1. swap state: → over
//	    CAS state: idle → waiting            2. it was waiting: read the wait, and tell it
//	    fails: it has ended, tell the wait
//	 2. wait
//	 3. CAS state: waiting → idle
//	    fails: it is being told
//
// Proof. The right swap happens once. If it comes before the left step 1, or after step 3, it
// finds idle and reads nothing, and step 1 finds over. If it comes between them, it finds the wait
// and tells it, and step 3 fails, so that the wait's memory is not used for another one. Nor is
// the place where it is written: step 1 writes there only if the state is idle.

// Lasting is a watch of one context for many waits, one at a time. Start comes first. One
// goroutine at a time may call its methods.
type Lasting struct {
	watch Watch
	done  <-chan struct{}
	wait  *Watch // the wait to tell while state is waiting
	state interleave.Uint32
}

// The states of a Lasting.
//
//	idle ──1──▶ waiting ──3──▶ idle
//	  │            │
//	  └────────────┴──▶ over
const (
	idle uint32 = iota
	waiting
	over // the context has ended
)

// Start begins to watch ctx, whose Done channel is done, which is not nil. It runs code of the
// context.
func (l *Lasting) Start(ctx context.Context, done <-chan struct{}) {
	l.done = done
	l.watch.Start(ctx, l)
}

// Watches reports whether l watches the context with this Done channel, which had not ended when l
// looked.
func (l *Lasting) Watches(done <-chan struct{}) bool { return l.done == done && l.state.Load() != over }

// Stop ends the watch, and reports whether it may be started again: it may not if the context has
// ended. No wait is told when it is called.
func (l *Lasting) Stop() bool {
	l.done = nil
	return l.watch.Stop()
}

// Tell has e notified with w when the context ends; during the call if it has ended. w is not
// started by its own method meanwhile.
func (l *Lasting) Tell(w *Watch, e Ender) {
	w.ender = e
	if l.state.Load() == idle { // else an earlier wait may still be read
		l.wait = w
		if l.state.CompareAndSwap(idle, waiting) {
			return
		}
	}
	e.ContextEnded(w)
}

// Untell takes Tell back and reports whether it did: false says that ContextEnded has been or is
// being called.
func (l *Lasting) Untell() bool { return l.state.CompareAndSwap(waiting, idle) }

// ContextEnded implements [Ender].
func (l *Lasting) ContextEnded(*Watch) {
	if l.state.Swap(over) == waiting {
		l.wait.ender.ContextEnded(l.wait)
	}
}

// Turn is the watch of one wait: one of its own or, if the waiter has one that lasts, a turn of
// that. It is embedded in what waits, and is used again for the next wait. It must not be copied
// while it is started.
type Turn struct {
	watch Watch
	of    *Lasting // nil: watch is started itself
}

// Start has e told when ctx ends. l watches ctx; nil: nothing that lasts does. See [Watch.Start].
func (t *Turn) Start(ctx context.Context, l *Lasting, e Ender) {
	if t.of = l; l != nil {
		l.Tell(&t.watch, e)
		return
	}
	t.watch.Start(ctx, e)
}

// Stop ends the watch and reports whether it did: false says that ContextEnded has been or is
// being called, or that t was not started.
func (t *Turn) Stop() bool {
	if t.of != nil {
		return t.of.Untell()
	}
	return t.watch.Stop()
}

// Leave returns what was given to Start, when t has been stopped, and forgets it.
func (t *Turn) Leave() *Lasting {
	l := t.of
	t.of = nil
	return l
}
