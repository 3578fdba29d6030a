package coord

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// # Who holds a lock
//
// A report about a program that hangs has to name the holder of a lock, and a lock does not need
// to know it. So locks note their holders only if the program has a scheduler that reports
// ([schedulers.Followed]); elsewhere that costs a look at a flag. The holder notes itself, after
// it was given the lock: the one before does not know its name, only whom to tell. A lock
// that a job of LockAsync holds has no holder that is known.

// holder is who holds a lock. The zero holder is not known.
type holder struct {
	is atomic.Pointer[schedulers.Holder]
}

// taken notes that the work of ctx has the lock.
func (h *holder) taken(ctx context.Context) {
	if schedulers.Followed() {
		h.is.Store(holderIn(ctx))
	}
}

// takenBy notes that the machine of t has the lock.
func (h *holder) takenBy(t *statemachine.Task) {
	if schedulers.Followed() {
		h.is.Store(t.Holder())
	}
}

// left notes that the holder has given the lock away.
func (h *holder) left() {
	if schedulers.Followed() {
		h.is.Store(nil)
	}
}

// holderIn returns the work that was given ctx, or nil.
func holderIn(ctx context.Context) *schedulers.Holder {
	n, ok := schedulers.WorkerFrom(ctx).(schedulers.Named)
	if !ok {
		return nil
	}
	h := new(schedulers.Holder)
	h.Is(n)
	return h
}

// lock is a host that notes who holds it.
type lock[P any] interface {
	heldBy(ask P) *schedulers.Holder
	granted(t *statemachine.Task, ask P)
}

// note notes that the machine of t was granted what w has asked for, if that is a lock.
func (w *waiter[R, P]) note(t *statemachine.Task) {
	if l, ok := w.host.(lock[P]); ok && w.err == nil {
		l.granted(t, w.ask)
	}
}

// Reason implements [schedulers.Reasoner].
func (w *waiter[R, P]) Reason() (what, holder string) {
	what = strings.TrimPrefix(fmt.Sprintf("%T", w.host), "*")
	if l, ok := w.host.(lock[P]); ok {
		holder = l.heldBy(w.ask).Name()
	}
	return what, holder
}

// reporting returns ctx for a wait of w: with w in it, if something reports who waits for what.
func (w *waiter[R, P]) reporting(ctx context.Context) context.Context {
	if !schedulers.Followed() {
		return ctx
	}
	return context.WithValue(ctx, schedulers.ReasonKey, schedulers.Reasoner(w))
}
