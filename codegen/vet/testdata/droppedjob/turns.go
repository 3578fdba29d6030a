package droppedjob

import (
	"context"

	"github.com/movenext/movenext/coord"
)

func turns(ctx context.Context, lanes *coord.Serial[string]) error {
	fn := func(context.Context) error { return nil }
	lanes.Do(ctx, "a", fn)               // want `the error of this turn is dropped; if the context ends before the turn, the function is never called, and only the error says so; handle it, or assign it to _ if that is meant \[droppedjob\]`
	go lanes.Do(ctx, "a", fn)            // want `the error of this turn is dropped`
	coord.InTurn(ctx, lanes, "a", value) // want `the error of this turn is dropped`

	_ = lanes.Do(ctx, "a", fn)
	return lanes.Do(ctx, "a", fn)
}
