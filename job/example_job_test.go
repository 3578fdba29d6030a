package job_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func Example() {
	ctx := context.Background()
	a := job.Run(ctx, func(context.Context) (int, error) { return 6, nil })
	b := job.Run(ctx, func(context.Context) (int, error) { return 7, nil })
	product := job.Then(ctx, job.WhenAll(a, b), func(_ context.Context, v []int) (int, error) {
		return v[0] * v[1], nil
	})
	fmt.Println(product.Wait(ctx))
	// Output: 42 <nil>
}

func ExampleRun() {
	ctx := context.Background()
	j := job.Run(ctx, func(context.Context) (string, error) {
		return "hello", nil
	}, job.Named("greeting"))
	v, err := j.Wait(ctx)
	fmt.Println(v, err, j.Status(), j.Name())
	// Output: hello <nil> Completed greeting
}

func ExampleNew() {
	ctx := context.Background()
	j := job.New(ctx, func(context.Context) (int, error) { return 1, nil })
	_, err := j.Wait(ctx)
	fmt.Println(j.Status(), err)

	fmt.Println(j.Start(), j.Start())
	fmt.Println(j.Wait(ctx))
	// Output:
	// Created job: not started
	// <nil> job: already started
	// 1 <nil>
}

func ExampleGo() {
	j := job.Go(context.Background(), func(context.Context) error {
		return errors.New("no luck")
	})
	_, err := j.Await()
	fmt.Println(err, j.Status())
	// Output: no luck Faulted
}

func ExampleBlocking() {
	ctx := context.Background()
	j := job.Blocking(ctx, func(context.Context) (bool, error) {
		_, err := os.Stat(".") // holds its thread while it waits for the disk
		return err == nil, err
	})
	fmt.Println(j.Wait(ctx))
	// Output: true <nil>
}

func ExampleJob_RunSynchronously() {
	ctx := context.Background()
	j := job.New(ctx, func(context.Context) (int, error) {
		fmt.Println("on the calling goroutine")
		return 5, nil
	})
	fmt.Println(j.RunSynchronously())
	fmt.Println(j.GetResult())
	// Output:
	// on the calling goroutine
	// <nil>
	// 5 <nil>
}

func ExampleJob_Start() {
	p := pool.New(pool.Name("other"))
	j := job.New(context.Background(), func(ctx context.Context) (string, error) {
		return schedulers.FromContext(ctx).(*pool.Pool).Name(), nil
	})
	_ = j.Start(job.On(p))
	fmt.Println(j.Wait(context.Background()))
	// Output: other <nil>
}

func ExampleJob_Wait() {
	never := job.NewSource[int]()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := never.Job().Wait(ctx)

	var wait *job.WaitError
	fmt.Println(errors.As(err, &wait), errors.Is(err, context.DeadlineExceeded))
	fmt.Println(never.Job().Status(), "continues")
	// Output:
	// true true
	// WaitingForActivation continues
}

func ExampleJob_Await() {
	j := job.New(context.Background(), func(context.Context) (int, error) { return 3, nil })
	fmt.Println(j.Await()) // starts it
	// Output: 3 <nil>
}

func ExampleJob_Cancel() {
	ctx := context.Background()
	j := job.New(ctx, func(context.Context) (int, error) { return 1, nil })
	fmt.Println(j.Cancel(), j.Status(), j.Err())
	fmt.Println(j.Cancel())
	// Output:
	// true Canceled context canceled
	// false
}

func ExampleJob_CancelCause() {
	began := make(chan struct{})
	j := job.Run(context.Background(), func(ctx context.Context) (int, error) {
		close(began)
		<-ctx.Done()
		return 0, context.Cause(ctx)
	})
	<-began
	j.CancelCause(errors.New("the user has left"))
	_, err := j.Await()
	fmt.Println(err, j.Status())
	// Output: the user has left Canceled
}

func ExampleJob_Done() {
	s := job.NewSource[int]()
	time.AfterFunc(time.Millisecond, func() { s.TrySetResult(1) })
	select {
	case <-s.Job().Done():
		fmt.Println(s.Job().GetResult())
	case <-time.After(time.Minute):
	}
	// Output: 1 <nil>
}

func ExampleJob_Err() {
	j := job.FromError[int](errors.New("no luck"))
	fmt.Println(j.IsCompleted(), j.Err())
	// Output: true no luck
}

type resume func()

func (r resume) Resume() { r() }

func ExampleJob_OnCompleted() {
	s := job.NewSource[int]()
	var k continuation.Continuation = resume(func() { fmt.Println("it may go on") })
	s.Job().OnCompleted(k)
	s.TrySetResult(1)
	// Output: it may go on
}

// waiter contains its node, so that registering allocates nothing.
type waiter struct{ continuation.Node }

func (w *waiter) Completed(schedulers.Worker) continuation.Chain {
	fmt.Println("told")
	return continuation.Chain{}
}

func ExampleJob_Register() {
	s := job.NewSource[int]()
	w := &waiter{}
	w.Prepare(w)
	fmt.Println(s.Job().Register(&w.Node))
	s.TrySetResult(1)

	late := &waiter{}
	late.Prepare(late)
	fmt.Println(s.Job().Register(&late.Node))
	// Output:
	// true
	// told
	// false
}

func ExampleJob_GetAwaiter() {
	a := job.FromResult("at once").GetAwaiter()
	fmt.Println(a.IsCompleted())
	fmt.Println(a.GetResult())
	// Output:
	// true
	// at once <nil>
}

func ExampleHandle() {
	jobs := []job.Handle{
		job.FromResult(1),
		job.FromError[string](errors.New("no luck")),
		job.FromCanceled[bool](nil),
	}
	for _, j := range jobs {
		fmt.Println(j.Status(), j.Err())
	}
	// Output:
	// Completed <nil>
	// Faulted no luck
	// Canceled context canceled
}

func ExampleFromResult() {
	fmt.Println(job.FromResult("known").GetResult())
	// Output: known <nil>
}

func ExampleFromError() {
	j := job.FromError[int](errors.New("no luck"))
	fmt.Println(j.Status(), j.Err())
	// Output: Faulted no luck
}

func ExampleFromCanceled() {
	j := job.FromCanceled[int](errors.New("too late"))
	fmt.Println(j.Status(), errors.Is(j.Err(), context.Canceled))
	// Output: Canceled true
}

func ExampleSetDefaultScheduler() {
	p := pool.New(pool.Name("mine"))
	job.SetDefaultScheduler(p)
	defer job.SetDefaultScheduler(nil)
	fmt.Println(job.DefaultScheduler() == schedulers.Scheduler(p))
	// Output: true
}

func ExampleDefaultScheduler() {
	p := job.DefaultScheduler().(*pool.Pool)
	fmt.Println(p.Name())
	// Output: pool
}
