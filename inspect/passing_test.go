package inspect_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/inspect"
)

// passes sends n elements and receives as many. A machine that waits for it runs next, on the same
// worker.
//
//movenext:async
func passes(ctx context.Context, out, in *coord.Channel[int], n int) error {
	for range n {
		if err := out.Send(ctx, 1); err != nil {
			return err
		}
		if _, err := in.Receive(ctx); err != nil {
			return err
		}
	}
	return nil
}

//movenext:async
func passesBack(ctx context.Context, in, out *coord.Channel[int], n int) error {
	for range n {
		v, err := in.Receive(ctx)
		if err != nil {
			return err
		}
		if err := out.Send(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func TestMachinesThatPassElementsLeaveNoTrace(t *testing.T) {
	defer inspect.Track()()
	ctx, there, back := context.Background(), coord.NewRendezvous[int](), coord.NewRendezvous[int]()
	answering := passesBackAsync(ctx, there, back, 1000)
	_, err := passesAsync(ctx, there, back, 1000).Wait(ctx)
	require.NoError(t, err)
	_, err = answering.Wait(ctx)
	require.NoError(t, err)
	assert.Empty(t, inspect.Snapshot().Groups)
}
