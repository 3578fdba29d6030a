package traceregion

import (
	"context"
	"runtime/trace"

	"example.com/vet/twins"
)

//movenext:async
func deferred(ctx context.Context) error {
	defer trace.StartRegion(ctx, "all").End() // want `this region of the trace is open when the function suspends at line 13; it has to end on the goroutine on which it began, and the function continues on another; end it first, or use a task \(trace.NewTask\), which follows the context \[traceregion\]`
	return twins.Pause(ctx)
}

//movenext:async
func kept(ctx context.Context, again bool) error {
	r := trace.StartRegion(ctx, "part") // want `the function suspends at line 20`
	if again {
		if err := twins.Pause(ctx); err != nil {
			return err
		}
	}
	r.End()
	return twins.Pause(ctx)
}

//movenext:async
func declared(ctx context.Context) error {
	var r = trace.StartRegion(ctx, "part") // want `the function suspends at line 32`
	defer r.End()
	return twins.Pause(ctx)
}

//movenext:async
func forgotten(ctx context.Context) error {
	trace.StartRegion(ctx, "part") // want `the function suspends at line 38`
	return twins.Pause(ctx)
}

//movenext:async
func between(ctx context.Context) error {
	if err := twins.Pause(ctx); err != nil {
		return err
	}
	r := trace.StartRegion(ctx, "part")
	println()
	r.End()
	trace.WithRegion(ctx, "whole", func() { println() })
	trace.StartRegion(ctx, "none").End()
	return twins.Pause(ctx)
}

//movenext:async
func task(ctx context.Context) error {
	ctx, t := trace.NewTask(ctx, "all")
	defer t.End()
	return twins.Pause(ctx)
}

func plain(ctx context.Context) error {
	defer trace.StartRegion(ctx, "all").End()
	return twins.Pause(ctx)
}
