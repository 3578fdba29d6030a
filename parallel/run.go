package parallel

import (
	"context"

	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/schedulers"
)

// Run calls body on the caller's goroutine, with a [Worker] that lets it fork: run parts
// of its work in parallel. Run returns the results of body, when body and everything
// that was forked have ended; so it blocks as long as the work takes.
//
// A panic of body, its own or one that reached it through a [Join], is returned as a
// *job.PanicError. The end of ctx ends only the context that the worker carries, because a
// Join that skipped its functions would have to invent their results: bodies should check
// [Worker.Err]. If ctx has already ended, body is not called, and the error is the reason.
//
// Helpers come from the ambient scheduler of ctx, else from the default one, when there
// is something to take; see [Degree]. Run can be called anywhere, also inside another
// Run or a loop.
func Run[R any](ctx context.Context, body func(w *Worker) (R, error), opts ...Option) (result R, err error) {
	if body == nil {
		return result, ErrNilFunc
	}
	s, err := settingsOf(opts)
	if err != nil {
		return result, err
	}
	t := &team{}
	if err := t.begin(ctx); err != nil {
		return result, err
	}
	if t.machine {
		return runForMachine(t, s, body)
	}
	w := t.assemble(s)
	err = t.carryOut(w, func() (err error) {
		result, err = body(w)
		return err
	})
	return result, err
}

// runForMachine is Run for a machine. The body is the only participant. Its [Worker]
// moves with it from goroutine to goroutine, so it names no worker of the scheduler; its
// forks may be taken while it is suspended. Forks that it leaves unjoined are joined
// when the caller continues.
func runForMachine[R any](t *team, s settings, body func(w *Worker) (R, error)) (R, error) {
	t.caller = nil
	w := t.assemble(s)
	exits := true
	defer func() {
		if exits {
			w.unwind(0)
			t.disband()
			t.end()
		}
	}()
	var result R // not this function's result, which is written while the body is suspended
	var returned error
	err := t.alone(func() error {
		result, returned = body(w)
		if suspension.Of(returned) == nil {
			return nil
		}
		return deferResult(returned, func(r R, err error) error {
			result, returned = r, err
			return nil
		})
	})
	exits = false
	return conclude(err, func(err error) (R, error) {
		err = t.carryOut(w, func() error {
			if err == nil {
				return returned
			}
			w.unwind(0) // it has not returned
			return err
		})
		return result, err
	})
}

// alone runs the body as the only participant of the team, which it does not end.
func (t *team) alone(body func() error) error {
	one := newParticipants(&t.operation)
	one.keepOpen = true
	one.items = singleItem{}
	one.live.Store(2) // the participant, and the caller
	return one.run(&participant{participants: one, lo: 0, hi: 1, body: func(context.Context, int, int) error { return body() }})
}

// singleItem is the source of the participant that has its only index from the start.
type singleItem struct{}

func (singleItem) next(*participant) bool       { return false }
func (singleItem) beforeBody(schedulers.Worker) {}
func (singleItem) afterBodies()                 {}
