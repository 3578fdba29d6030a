package job_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// after returns a job that yields v after ms milliseconds.
func after[T any](ms int, v T) *job.Job[T] {
	ctx := context.Background()
	return job.Then(ctx, job.SleepAsync(ctx, time.Duration(ms)*time.Millisecond), func(context.Context, job.Void) (T, error) {
		return v, nil
	})
}

func ExampleWhenAll() {
	all := job.WhenAll(after(3, "a"), after(1, "b"), after(2, "c"))
	fmt.Println(all.Await())

	failed := job.WhenAll(job.FromResult(1), job.FromError[int](errors.New("x")), job.FromError[int](errors.New("y")))
	v, err := failed.Await()
	fmt.Printf("%v %q\n", v, err)
	// Output:
	// [a b c] <nil>
	// [1 0 0] "x\ny"
}

// A wait for all runs the queued jobs in place, the newest first, as the worker would
// have taken them. A wait for any runs none: the waiter would have to finish the job
// that it has begun, though another one may end long before.
func ExampleWhenAll_inPlace() {
	ctx := schedulers.With(context.Background(), pool.New(pool.Workers(1, 1)))
	outer := job.Go(ctx, func(ctx context.Context) error {
		data := func(name string) *job.Job[string] {
			return job.Run(ctx, func(context.Context) (string, error) {
				fmt.Println(name)
				return name, nil
			})
		}
		all := job.WhenAll(data("data1"), data("data2"), data("data3"))
		fmt.Println("wait for all")
		_, err := all.Wait(ctx)
		return err
	})
	_, err := outer.Await()
	fmt.Println(err)
	// Output:
	// wait for all
	// data3
	// data2
	// data1
	// <nil>
}

func ExampleWhenAllOf() {
	number, text := after(1, 7), after(2, "seven")
	_, err := job.WhenAllOf(number, text).Await()
	fmt.Println(err, number.IsCompleted(), text.IsCompleted())
	// Output: <nil> true true
}

func ExampleWhenAny() {
	slow := job.NewSource[string]()
	winner, _ := job.WhenAny(slow.Job(), after(1, "fast")).Await()
	fmt.Println(winner.GetResult())
	// Output: fast <nil>
}

func ExampleWhenAnyOf() {
	never, soon := job.NewSource[int]().Job(), after(1, "soon")
	winner, _ := job.WhenAnyOf(never, soon).Await()
	fmt.Println(winner == job.Handle(soon))
	// Output: true
}

func ExampleRace() {
	broken := job.FromError[string](errors.New("mirror is down"))
	fmt.Println(job.Race(broken, after(1, "from the second mirror")).Await())
	// Output: from the second mirror <nil>
}

func ExampleWhenEachAsync() {
	jobs := []*job.Job[string]{job.FromResult("first"), job.FromResult("second")}
	for j, err := range job.WhenEachAsync(context.Background(), jobs...).All() {
		v, _ := j.GetResult()
		fmt.Println(v, err)
	}
	// Output:
	// first <nil>
	// second <nil>
}

func ExampleWhenEach() {
	jobs := []*job.Job[string]{after(30, "slow"), after(1, "fast"), after(15, "medium")}
	for j, err := range job.WhenEach(context.Background(), jobs...) {
		if err != nil {
			break // the context has ended
		}
		fmt.Println(j.GetResult())
	}
	// Output:
	// fast <nil>
	// medium <nil>
	// slow <nil>
}

func ExampleCompletions() {
	ctx := context.Background()
	c := job.CompletionsOf(after(15, "slow"), after(1, "fast"))
	defer c.Stop()
	for {
		j, err := c.Next(ctx) // in an async function: suspends
		if errors.Is(err, job.ErrNoJobs) {
			return
		}
		fmt.Println(j.GetResult())
	}
	// Output:
	// fast <nil>
	// slow <nil>
}

func ExampleCompletionsOf() {
	c := job.CompletionsOf(job.FromResult(1), job.FromResult(2))
	first, _ := c.NextAsync(context.Background()).Await()
	c.Stop()
	_, err := c.NextAsync(context.Background()).Await()
	fmt.Println(first.GetResult())
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// job: no jobs
}

func ExampleWaitAsync() {
	never := job.NewSource[int]()
	ctx, cancel := context.WithCancel(context.Background())
	w := job.WaitAsync(ctx, never.Job())
	cancel()
	_, err := w.Await()
	fmt.Println(err)
	fmt.Println(never.Job().Status())
	// Output:
	// job: wait ended: context canceled
	// WaitingForActivation
}

func ExampleWaitTimeout() {
	never := job.NewSource[int]()
	_, err := job.WaitTimeout(context.Background(), never.Job(), time.Millisecond).Await()
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}

func ExampleSleep() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println(job.Sleep(ctx, time.Hour))
	// Output: context deadline exceeded
}

func ExampleSleepAsync() {
	ctx := context.Background()
	both := job.WhenAll(job.SleepAsync(ctx, time.Millisecond), job.SleepAsync(ctx, time.Millisecond))
	_, err := both.Await()
	fmt.Println(err)
	// Output: <nil>
}
