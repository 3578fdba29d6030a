package jobtest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// Programs without a bug, similar to those that have one.

// buyLocked is buy with a lock.
//
//movenext:async
func (s *shop) buyLocked(ctx context.Context, m *coord.Mutex) error {
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	s.buy()
	return nil
}

//movenext:async
func noLostUpdate(ctx context.Context) error {
	s, m := &shop{stock: 1}, new(coord.Mutex)
	first := job.Go(ctx, func(ctx context.Context) error { return s.buyLocked(ctx, m) })
	second := job.Go(ctx, func(ctx context.Context) error { return s.buyLocked(ctx, m) })
	_, err := first.Await()
	_, other := second.Await()
	if s.sold > 1 {
		return fmt.Errorf("sold %d of 1", s.sold)
	}
	return errors.Join(err, other)
}

// spin yields until another machine has done something.
//
//movenext:async
func spin(ready *bool) {
	for !*ready {
		job.Yield()
	}
}

// noLivelock has two machines that yield until a third one is ready.
//
//movenext:async
func noLivelock(ctx context.Context) error {
	ready := false
	a := job.Go(ctx, func(context.Context) error { spin(&ready); return nil })
	b := job.Go(ctx, func(context.Context) error { spin(&ready); return nil })
	job.Yield()
	ready = true
	_, err := a.Await()
	_, other := b.Await()
	return errors.Join(err, other)
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
//
//movenext:async
func noLeakOnCancel(ctx context.Context) error {
	c := coord.NewBounded[int](1, coord.WaitForRoom)
	producer := job.Go(ctx, func(ctx context.Context) error { return produce(ctx, c, 5) })
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
	_, err := producer.Await()
	if err == nil && sum != 10 && ctx.Err() == nil {
		return fmt.Errorf("the sum is %d", sum)
	}
	return err
}

// reserveLocked is reserve with a lock.
//
//movenext:async
func reserveLocked(ctx context.Context, m *coord.Mutex, seats *int, after time.Duration) error {
	if err := job.Sleep(ctx, after); err != nil {
		return err
	}
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	free := *seats > 0
	job.Yield()
	if free {
		*seats--
	}
	return nil
}

//movenext:async
func noOversell(ctx context.Context) error {
	seats, m := 1, new(coord.Mutex)
	a := job.Go(ctx, func(ctx context.Context) error { return reserveLocked(ctx, m, &seats, 10*time.Millisecond) })
	b := job.Go(ctx, func(ctx context.Context) error { return reserveLocked(ctx, m, &seats, 11*time.Millisecond) })
	_, err := a.Await()
	_, other := b.Await()
	if seats < 0 {
		return errors.New("oversold")
	}
	return errors.Join(err, other)
}

// patient has a job that sleeps for an hour, and sleeps as long itself.
//
//movenext:async
func patient(ctx context.Context) error {
	other := job.Go(ctx, func(ctx context.Context) error { return job.Sleep(ctx, time.Hour) })
	if err := job.Sleep(ctx, time.Hour); err != nil {
		return err
	}
	_, err := other.Await()
	return err
}
