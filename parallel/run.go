package parallel

import "context"

// Run calls body on the caller's goroutine, with a [Worker] that lets it fork: run
// parts of its work in parallel. It returns what body returns, when body and everything
// that was forked have ended; so it blocks as long as the work takes.
//
// A panic of body, its own or one that came to it through a [Join], is returned as a
// *job.PanicError. The end of ctx ends the context that the worker carries and nothing
// else, because a Join that skipped its functions would have to make up their results:
// bodies look at [Worker.Err]. If ctx has ended before, body is not called, and the
// error says why.
//
// Helpers come from the ambient scheduler of ctx, else from the default one, when there
// is something to take; see [Degree]. Run is as good inside a worker, of another Run or
// of a loop, as outside.
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
	w := t.assemble(s)
	err = t.carryOut(w, func() (err error) {
		result, err = body(w)
		return err
	})
	return result, err
}
