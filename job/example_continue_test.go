package job_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/pool"
)

func ExampleContinueWith() {
	ctx := context.Background()
	fetch := job.FromError[int](errors.New("no route"))
	report := job.ContinueWith(ctx, fetch, func(_ context.Context, j *job.Job[int]) (string, error) {
		return fmt.Sprintf("%v: %v", j.Status(), j.Err()), nil
	})
	fmt.Println(report.Wait(ctx))
	// Output: Faulted: no route <nil>
}

func ExampleJob_ContinueWith() {
	ctx := context.Background()
	say := func(word string) func(context.Context, *job.Job[job.Void]) error {
		return func(context.Context, *job.Job[job.Void]) error {
			fmt.Println(word)
			return nil
		}
	}
	first := job.Go(ctx, func(context.Context) error { return nil })
	_, err := first.ContinueWith(ctx, say("then this")).ContinueWith(ctx, say("then that")).Wait(ctx)
	fmt.Println(err)
	// Output:
	// then this
	// then that
	// <nil>
}

func ExampleOnlyOnFaulted() {
	ctx := context.Background()
	alarm := job.ContinueWith(ctx, job.FromResult(1), func(context.Context, *job.Job[int]) (bool, error) {
		return true, nil
	}, job.OnlyOnFaulted())
	_, err := alarm.Wait(ctx)
	fmt.Println(alarm.Status(), errors.Is(err, job.ErrFiltered))
	// Output: Canceled true
}

func ExampleOnlyOnCompleted() {
	ctx := context.Background()
	both := []job.Option{job.OnlyOnCompleted(), job.OnlyOnCanceled()} // filters add up
	c := job.ContinueWith(ctx, job.FromCanceled[int](nil), func(_ context.Context, j *job.Job[int]) (string, error) {
		return j.Status().String(), nil
	}, both...)
	fmt.Println(c.Wait(ctx))
	// Output: Canceled <nil>
}

func ExampleOnlyOnCanceled() {
	ctx := context.Background()
	j := job.FromError[int](errors.New("broken"))
	instead := job.Catch(ctx, j, func(context.Context, error) (int, error) { return 0, nil }, job.OnlyOnCanceled())
	fmt.Println(instead.Wait(ctx))
	// Output: 0 broken
}

func ExampleThen() {
	ctx := context.Background()
	text := func(_ context.Context, v int) (string, error) { return "#" + strconv.Itoa(v), nil }
	fmt.Println(job.Then(ctx, job.FromResult(7), text).Wait(ctx))
	fmt.Println(job.Then(ctx, job.FromError[int](errors.New("none")), text).Err())
	// Output:
	// #7 <nil>
	// none
}

func ExampleCatch() {
	ctx := context.Background()
	remote := job.FromError[string](errors.New("unreachable"))
	local := job.Catch(ctx, remote, func(_ context.Context, err error) (string, error) {
		return "cached, since " + err.Error(), nil
	})
	fmt.Println(local.Wait(ctx))
	// Output: cached, since unreachable <nil>
}

func ExampleFinally() {
	ctx := context.Background()
	j := job.Finally(ctx, job.FromResult("content"), func(context.Context) error {
		fmt.Println("closed")
		return nil
	})
	fmt.Println(j.Wait(ctx))
	// Output:
	// closed
	// content <nil>
}

func ExampleUnwrap() {
	ctx := context.Background()
	find := job.Run(ctx, func(ctx context.Context) (*job.Job[string], error) {
		return job.Run(ctx, func(context.Context) (string, error) { return "found", nil }), nil
	})
	fmt.Println(job.Unwrap(ctx, find).Wait(ctx))
	// Output: found <nil>
}

func ExampleRunSynchronously() {
	p := pool.New(pool.Workers(1, 1))
	ctx := context.Background()
	gate := make(chan struct{})
	j := job.Go(ctx, func(context.Context) error { <-gate; return nil }, job.On(p))
	next := job.Go(ctx, func(context.Context) error { fmt.Println("other work"); return nil }, job.On(p))
	job.ContinueWith(ctx, j, func(context.Context, *job.Job[job.Void]) (int, error) {
		fmt.Println("right after")
		return 0, nil
	}, job.RunSynchronously())
	close(gate)
	_, _ = next.Wait(ctx)
	// Output:
	// right after
	// other work
}

func ExampleLazyCancellation() {
	ctx, cancel := context.WithCancel(context.Background())
	s := job.NewSource[int]()
	c := job.ContinueWith(ctx, s.Job(), func(context.Context, *job.Job[int]) (int, error) { return 1, nil },
		job.LazyCancellation())
	cancel()
	fmt.Println(c.Status())
	s.TrySetResult(1)
	_, _ = c.Wait(context.Background())
	fmt.Println(c.Status())
	// Output:
	// WaitingForActivation
	// Canceled
}

func ExampleShielded() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	write := func(ctx context.Context) error { return ctx.Err() }
	_, usual := job.Go(ctx, write).Await()
	_, shielded := job.Go(ctx, write, job.Shielded()).Await()
	fmt.Println(usual, shielded)
	// Output: context canceled <nil>
}

func ExampleOn() {
	p := pool.New(pool.Name("io"))
	j := job.Go(context.Background(), func(context.Context) error { return nil }, job.On(p))
	_, _ = j.Await()
	fmt.Println(p.Metrics().Submitted)
	// Output: 1
}

func ExampleNamed() {
	j := job.New(context.Background(), func(context.Context) (int, error) { return 0, nil }, job.Named("nightly"))
	fmt.Println(j.Name())
	// Output: nightly
}

func ExampleLongRunning() {
	p := pool.New(pool.Workers(1, 1))
	gate := make(chan struct{})
	long := job.Go(context.Background(), func(context.Context) error { <-gate; return nil }, job.On(p), job.LongRunning())
	short := job.Go(context.Background(), func(context.Context) error { return nil }, job.On(p))
	_, _ = short.Await() // does not wait for its turn behind the long one
	close(gate)
	fmt.Println(long.Await())
	// Output: {} <nil>
}

func ExamplePreferFairness() {
	p := pool.New(pool.Workers(1, 1))
	var order []string
	note := func(s string) func(context.Context) error {
		return func(context.Context) error { order = append(order, s); return nil }
	}
	ctx := context.Background()
	_, _ = job.Go(ctx, func(ctx context.Context) error {
		job.Go(ctx, note("asked first"), job.PreferFairness())
		job.Go(ctx, note("asked second"), job.PreferFairness())
		job.Go(ctx, note("near"))
		return nil
	}, job.On(p)).Await()
	_ = p.Shutdown(ctx)
	fmt.Println(order)
	// Output: [near asked first asked second]
}
