package jobtest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// Programs without a bug, similar to those that have one.

func noLostUpdate(ctx context.Context) error {
	s := &shop{stock: 1, lock: new(coord.Mutex)}
	err := machines(ctx, s.buyAsync, s.buyAsync)
	if s.sold > 1 {
		return fmt.Errorf("sold %d of 1", s.sold)
	}
	return err
}

// spin yields until another one is ready.
//
//movenext:async
func spin(_ context.Context, ready *bool) error {
	for !*ready {
		job.Yield()
	}
	return nil
}

// noLivelock has two machines that yield until it is ready.
func noLivelock(ctx context.Context) error {
	ready := false
	wait := func(ctx context.Context) *job.Job[job.Void] { return spinAsync(ctx, &ready) }
	both := togetherAsync(ctx, wait, wait)
	job.Yield()
	ready = true
	_, err := both.Wait(ctx)
	return err
}

// produce sends some numbers, and closes the channel.
//
//movenext:async
func produce(ctx context.Context, c *coord.Channel[int], n int) error {
	defer c.Close()
	for i := range n {
		if err := c.Send(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// noLeakOnCancel reads from a producer under one context.
func noLeakOnCancel(ctx context.Context) error {
	c := coord.NewBounded[int](1, coord.WaitForRoom)
	producer := produceAsync(ctx, c, 5)
	sum := 0
	for {
		n, err := c.Receive(ctx)
		if errors.Is(err, coord.ErrClosed) {
			break
		}
		if err != nil {
			return err
		}
		sum += n
	}
	_, err := producer.Wait(ctx)
	if err == nil && sum != 10 && ctx.Err() == nil {
		return fmt.Errorf("the sum is %d", sum)
	}
	return err
}

func noOversell(ctx context.Context) error {
	_, err := sellsAsync(ctx, new(coord.Mutex)).Wait(ctx)
	return err
}
