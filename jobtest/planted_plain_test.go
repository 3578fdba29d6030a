package jobtest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// Programs of plain functions: they block, and take their turns as machines do.

type plain = func(context.Context) error

// all runs functions as jobs, and waits for them.
func all(ctx context.Context, functions ...plain) error {
	var jobs []*job.Job[job.Void]
	for _, f := range functions {
		jobs = append(jobs, job.Go(ctx, f))
	}
	_, err := job.WhenAll(jobs...).Wait(ctx)
	return err
}

// permits takes one permit of a and, with that in hand, one of b.
func permits(a, b *coord.Semaphore) plain {
	return func(ctx context.Context) error {
		if err := a.Acquire(ctx, 1); err != nil {
			return err
		}
		defer a.Release(1)
		if err := b.Acquire(ctx, 1); err != nil {
			return err
		}
		b.Release(1)
		return nil
	}
}

func crossedPermits(ctx context.Context) error {
	a, b := coord.NewSemaphore(1), coord.NewSemaphore(1)
	return all(ctx, permits(a, b), permits(b, a))
}

func permitsInOrder(ctx context.Context) error {
	a, b := coord.NewSemaphore(1), coord.NewSemaphore(1)
	return all(ctx, permits(a, b), permits(a, b))
}

// initOnce looks for a value before it locks, and twice only if again is true.
func initOnce(again bool) plain {
	return func(ctx context.Context) error {
		var m coord.Mutex
		there, times := false, 0
		get := func(ctx context.Context) error {
			if there {
				return nil
			}
			if err := m.Lock(ctx); err != nil {
				return err
			}
			defer m.Unlock()
			if again && there {
				return nil
			}
			there, times = true, times+1
			return nil
		}
		err := all(ctx, get, get)
		if times > 1 {
			return fmt.Errorf("made %d times", times)
		}
		return err
	}
}

// polls returns a program that looks for the end of a job after each of some pauses.
func polls(times int) plain {
	return func(ctx context.Context) error {
		ended := false
		job.Go(ctx, func(context.Context) error { ended = true; return nil })
		for range times {
			if err := job.Sleep(ctx, time.Second); err != nil || ended {
				return err
			}
		}
		return errors.New("it has no end")
	}
}

// twoMailmen read one inbox, and keep no order.
func twoMailmen(ctx context.Context) error {
	in := coord.NewUnbounded[int]()
	var delivered []int
	mailman := func(ctx context.Context) error {
		letter, err := in.Receive(ctx)
		if err != nil {
			return err
		}
		job.Yield()
		delivered = append(delivered, letter)
		return nil
	}
	err := all(ctx, func(ctx context.Context) error {
		return errors.Join(in.Send(ctx, 0), in.Send(ctx, 1))
	}, mailman, mailman)
	if len(delivered) == 2 && delivered[0] != 0 {
		return errors.New("overtaken")
	}
	return err
}

// triesOnce counts, unless another one has the lock.
func triesOnce(ctx context.Context) error {
	var m coord.Mutex
	n := 0
	err := all(ctx, func(ctx context.Context) error {
		if err := m.Lock(ctx); err != nil {
			return err
		}
		n++
		m.Unlock()
		return nil
	}, func(context.Context) error {
		if m.TryLock() {
			n++
			m.Unlock()
		}
		return nil
	})
	if n != 2 {
		return fmt.Errorf("counted %d of 2", n)
	}
	return err
}

// channelAsLock takes a place in a channel, and gives it back when all is done.
func channelAsLock(ctx context.Context) error {
	places, n := coord.NewBounded[int](1, coord.WaitForRoom), 0
	count := func(ctx context.Context) error {
		if err := places.Send(ctx, 0); err != nil {
			return err
		}
		v := n
		job.Yield()
		n = v + 1
		_, err := places.Receive(ctx)
		return err
	}
	err := all(ctx, count, count)
	if err == nil && n != 2 {
		return fmt.Errorf("counted %d of 2", n)
	}
	return err
}
