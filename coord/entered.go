package coord

import (
	"context"
	"reflect"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// # What a machine waits with
//
// A machine that calls a blocking form waits for it at once, and nobody else ever does. So beside
// its two forms each operation has a third one, an entry for generated code (see [statemachine.Operation]),
// whose waiter is no job. When the machine has read the result, it keeps the waiter for its next
// wait of the same types, which then allocates nothing. Of a job nobody could know that it is not needed any more.
//
// The tempting further step, one store of waiters that all machines share, costs more than it saves: a
// sync.Pool takes 13 ns, a wait in all some 40.
//
// A waiter whose context was watched is kept only if the watch was stopped in time. Otherwise ContextEnded is about to
// come, for a wait that is over, and would end another one.

// Entered is an operation with a value, for which a machine waits. Only generated code has to do with it.
type Entered[R, P any] waiter[R, P]

// EnteredVoid is [Entered] for an operation without a value.
type EnteredVoid[P any] waiter[job.Void, P]

// Results returns what has become of the operation, when the machine goes on. It is called once.
func (e *Entered[R, P]) Results(t *statemachine.Task) (R, error) {
	return (*waiter[R, P])(e).results(t)
}

// Results returns what has become of the operation, when the machine goes on. It is called once.
func (e *EnteredVoid[P]) Results(t *statemachine.Task) error {
	_, err := (*waiter[job.Void, P])(e).results(t)
	return err
}

// waitEntered is the slow path of an entry: the machine of t will wait.
func waitEntered[R, P any](t *statemachine.Task, ctx context.Context, h host[R, P], ask P) *waiter[R, P] {
	w := spareOf[R, P](t)
	if w == nil {
		w = new(waiter[R, P])
	}
	w.use(h, ask)
	w.watchOver(ctx)
	w.quiet = quiet(ctx, w.ctx != nil)
	w.enter(t.Worker())
	t.Suspend(w)
	return w
}

// spareOf returns the waiter that the machine of t has kept, or nil.
func spareOf[R, P any](t *statemachine.Task) *waiter[R, P] {
	w, ok := t.Kept().(*waiter[R, P])
	if !ok || !w.spare {
		return nil
	}
	return w
}

// quietSpare is spareOf for a wait that needs no watch: with the context of the wait before, which could not end.
// Otherwise the context has to be asked, which must not happen under the lock, so that a wait takes it twice: to
// learn that there is nothing, and again to queue. With such a waiter once is enough.
func quietSpare[R, P any](t *statemachine.Task, ctx context.Context) *waiter[R, P] {
	w := spareOf[R, P](t)
	if w == nil || w.quiet == nil || w.quiet != ctx {
		return nil
	}
	return w
}

// quiet returns a context that can not end, if it may be compared, else nil.
func quiet(ctx context.Context, ends bool) context.Context {
	if ends || ctx != context.Background() && reflect.TypeOf(ctx).Kind() != reflect.Pointer {
		return nil
	}
	return ctx
}

// use makes w wait for ask at h.
func (w *waiter[R, P]) use(h host[R, P], ask P) { w.spare, w.host, w.ask = false, h, ask }

// entered is waitEntered for an operation with a value.
func entered[R, P any](t *statemachine.Task, ctx context.Context, h host[R, P], ask P) *Entered[R, P] {
	return (*Entered[R, P])(waitEntered(t, ctx, h, ask))
}

// enteredVoid is waitEntered for an operation without a value.
func enteredVoid[P any](t *statemachine.Task, ctx context.Context, h host[job.Void, P], ask P) *EnteredVoid[P] {
	return (*EnteredVoid[P])(waitEntered(t, ctx, h, ask))
}

// end is complete for a waiter that a machine waits with. Telling it comes last: from then on the waiter is the machine's.
func (w *waiter[R, P]) end() continuation.Chain {
	var ask P
	w.ask = ask
	if w.watch.Stop() {
		w.ctx = nil
	}
	return w.Complete()
}

// results returns the outcome, and leaves w to the machine as its spare one.
func (w *waiter[R, P]) results(t *statemachine.Task) (R, error) {
	var none R
	if err := t.Refusal(); err != nil {
		return none, err
	}
	v, err := w.value, w.err
	w.value, w.err = none, nil
	if w.ctx == nil {
		w.decided, w.gaveUp, w.spare = false, false, true
		w.Renew()
		t.Keep(w)
	}
	return v, err
}
