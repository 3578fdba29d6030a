package indirect

import (
	"context"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// keptHandler is marked: these two functions are generated for it.
type keptHandler func(ctx context.Context) (int, error)

func keptHandlerEnter(r *statemachine.Run, h keptHandler, ctx context.Context) (interface {
	Results(*statemachine.Run) (int, error)
}, int, error) {
	return nil, 0, nil
}

func keptHandlerOf(plain func(context.Context) (int, error), enter any) keptHandler { return plain }

func keptFetch(ctx context.Context) (int, error) { return 1, nil }

func keptFetchAsync(ctx context.Context) *job.Job[int] { return nil }

type keeper struct {
	byMachine, byPlain, both map[string]keptHandler
	sleeper                  keptHandler
}

//movenext:async
func keepAll(r *keeper) keptHandler {
	r.byMachine = map[string]keptHandler{"/": keptFetch}
	r.both["machine"] = keptFetch
	r.byMachine["/x"] = keptWrapped(keptFetch)
	return keptFetch
}

func keepAllAsync(r *keeper) *job.Job[keptHandler] { return nil }

//movenext:async
func keptWrapped(next keptHandler) keptHandler {
	return func(ctx context.Context) (int, error) { return next(ctx) }
}

func keptWrappedAsync(next keptHandler) *job.Job[keptHandler] { return nil }

func keepAllInPlain(r *keeper) {
	r.byPlain = map[string]keptHandler{"/": keptFetch}
	r.both["plain"] = keptFetch
	r.sleeper = func(context.Context) (int, error) {
		time.Sleep(time.Second)
		return 0, nil
	}
}

//movenext:async
func callKept(ctx context.Context, r *keeper) (int, error) {
	_, _ = r.byMachine["/"](ctx)
	_, _ = r.byPlain["/"](ctx)    // want `r\.byPlain\["/"\] blocks the worker if it is keptFetch, which plain code has kept; only an annotated function makes a value that suspends; annotate the function that keeps it, and start that one's twin \[indirect\]`
	_, _ = r.both["machine"](ctx) // want `blocks the worker if it is keptFetch`
	_, _ = r.sleeper(ctx)         // want `blocks the worker if it is the function literal of kept.go:\d+, which plain code has kept`
	return r.byMachine["/x"](ctx)
}

func callKeptAsync(ctx context.Context, r *keeper) *job.Job[int] { return nil }
