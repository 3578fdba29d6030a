package kept

import (
	"context"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// handler is marked: these two functions are generated for it.
type handler func(ctx context.Context) (int, error)

func handlerEnter(r *statemachine.Run, h handler, ctx context.Context) (interface {
	Results(*statemachine.Run) (int, error)
}, int, error) {
	return nil, 0, nil
}

func handlerOf(plain func(context.Context) (int, error), enter any) handler { return plain }

func fetch(ctx context.Context) (int, error) { return 1, nil }

func fetchAsync(ctx context.Context) *job.Job[int] { return nil }

type router struct {
	byMachine, byPlain, both map[string]handler
	sleeper                  handler
}

//movenext:async
func setUp(r *router) handler {
	r.byMachine = map[string]handler{"/": fetch}
	r.both["machine"] = fetch
	r.byMachine["/x"] = wrapped(fetch)
	return fetch
}

func setUpAsync(r *router) *job.Job[handler] { return nil }

//movenext:async
func wrapped(next handler) handler {
	return func(ctx context.Context) (int, error) { return next(ctx) }
}

func wrappedAsync(next handler) *job.Job[handler] { return nil }

func setUpInPlain(r *router) {
	r.byPlain = map[string]handler{"/": fetch}
	r.both["plain"] = fetch
	r.sleeper = func(context.Context) (int, error) {
		time.Sleep(time.Second)
		return 0, nil
	}
}

//movenext:async
func serve(ctx context.Context, r *router) (int, error) {
	_, _ = r.byMachine["/"](ctx)
	_, _ = r.byPlain["/"](ctx)    // want `r\.byPlain\["/"\] blocks the worker if it is fetch, which plain code has kept; only an annotated function makes a value that suspends; annotate the function that keeps it, and start that one's twin \[indirect\]`
	_, _ = r.both["machine"](ctx) // want `blocks the worker if it is fetch`
	_, _ = r.sleeper(ctx)         // want `blocks the worker if it is the function literal of kept.go:\d+, which plain code has kept`
	return r.byMachine["/x"](ctx)
}

func serveAsync(ctx context.Context, r *router) *job.Job[int] { return nil }
