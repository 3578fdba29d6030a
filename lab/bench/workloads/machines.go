package workloads

//go:generate go tool movenext ./...

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// The asynchronous functions of the workloads, one for each workload. Each is ordinary Go;
// machines_async.go, which is generated, has the machines that are measured.

// family is W2's root: it starts children and awaits the result of each.
//
//movenext:async
func family(ctx context.Context, children int) (int, error) { //nolint:unused // its machine is measured
	kids := make([]*job.Job[int], children)
	for i := range kids {
		kids[i] = job.Run(ctx, one)
	}
	sum := 0
	for _, kid := range kids {
		v, err := kid.Await()
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}

// fib is W3: a job for one half, a call for the other. The literal also becomes a
// machine.
//
//movenext:async
func fib(ctx context.Context, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	fork := job.Run(ctx, func(ctx context.Context) (int, error) { return fib(ctx, n-1) })
	b, err := fib(ctx, n-2)
	if err != nil {
		return 0, err
	}
	a, err := fork.Await()
	return a + b, err
}

// skynet is W4: a node with ten children, each started like those of fib.
//
//movenext:async
func skynet(ctx context.Context, first, size int) (int, error) {
	if size == 1 {
		return first, nil
	}
	var kids [10]*job.Job[int]
	for i := range kids {
		from := first + i*(size/10)
		kids[i] = job.Run(ctx, func(ctx context.Context) (int, error) { return skynet(ctx, from, size/10) })
	}
	sum := 0
	for _, kid := range kids {
		v, err := kid.Await()
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}

// nap is W5: it sleeps, then reports that it is awake.
//
//movenext:async
func nap(ctx context.Context, d time.Duration, awake *atomic.Int64) error { //nolint:unused // its machine is measured
	if err := job.Sleep(ctx, d); err != nil {
		return err
	}
	awake.Add(1)
	return nil
}

// sum is W6a: it awaits jobs that have completed.
//
//movenext:async
func sum(jobs []*job.Job[int]) (int, error) {
	total := 0
	for _, j := range jobs {
		v, err := j.Await()
		if err != nil {
			return 0, err
		}
		total += v
	}
	return total, nil
}

// yields is W6b: it suspends n times.
//
//movenext:async
func yields(ctx context.Context, n int) int { //nolint:unused // its machine is measured
	count := 0
	for range n {
		job.Yield()
		count++
	}
	return count
}

// rounds is W6c: it starts a job and awaits it, n times in turn.
//
//movenext:async
func rounds(ctx context.Context, n int) (int, error) { //nolint:unused // its machine is measured
	total := 0
	for range n {
		v, err := job.Run(ctx, one).Await()
		if err != nil {
			return 0, err
		}
		total += v
	}
	return total, nil
}

// steps is W6d: n calls of a function that could suspend but does not.
//
//movenext:async
func steps(n int) int {
	v := 0
	for range n {
		v = step(v)
	}
	return v
}

// step suspends if v is negative.
//
//movenext:async
//go:noinline
func step(v int) int {
	if v < 0 {
		job.Yield()
	}
	return v + 1
}

// link is W7: one link of a chain.
//
//movenext:async
func link(ctx context.Context, prev *job.Job[int]) (int, error) { //nolint:unused // its machine is measured
	v, err := prev.Await()
	return v + 1, err
}

// player is the side of W8 that answers.
//
//movenext:async
func player(ctx context.Context, in, out *coord.Channel[int], n int) error { //nolint:unused // its machine is measured
	for range n {
		v, err := in.Receive(ctx)
		if err != nil {
			return err
		}
		if err = out.Send(ctx, v+1); err != nil {
			return err
		}
	}
	return nil
}

// server is the side of W8 that begins. It returns the last value that it received.
//
//movenext:async
func server(ctx context.Context, in, out *coord.Channel[int], n int) (int, error) { //nolint:unused // its machine is measured
	v := 0
	for range n {
		err := out.Send(ctx, v+1)
		if err != nil {
			return 0, err
		}
		if v, err = in.Receive(ctx); err != nil {
			return 0, err
		}
	}
	return v, nil
}

func one(context.Context) (int, error) { return 1, nil }
