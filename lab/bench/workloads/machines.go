package workloads

//go:generate go tool movenext ./...

import (
	"context"
	"runtime/pprof"
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
func family(ctx context.Context, children int) (int, error) {
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
func nap(ctx context.Context, d time.Duration, awake *atomic.Int64) error {
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
func yields(ctx context.Context, n int) int {
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
func rounds(ctx context.Context, n int) (int, error) {
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
func link(ctx context.Context, prev *job.Job[int]) (int, error) {
	v, err := prev.Await()
	return v + 1, err
}

// player is the side of W8 that answers.
//
//movenext:async
func player(ctx context.Context, in, out *coord.Channel[int], n int) error {
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
func server(ctx context.Context, in, out *coord.Channel[int], n int) (int, error) {
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

// brood is U1: children that suspend once.
//
//movenext:async
func brood(ctx context.Context, children int, done *atomic.Int64) error {
	return job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		for range children {
			s.Go(func(ctx context.Context) error {
				done.Add(1)
				job.Yield()
				return ctx.Err()
			})
		}
		return nil
	})
}

// startedBrood is U1 with twins as children.
//
//movenext:async
func startedBrood(ctx context.Context, children int, done *atomic.Int64) error {
	return job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		for range children {
			s.Start(func(ctx context.Context) *job.Job[job.Void] { return childAsync(ctx, done) })
		}
		return nil
	})
}

//movenext:async
func child(ctx context.Context, done *atomic.Int64) error {
	done.Add(1)
	job.Yield()
	return ctx.Err()
}

// paused suspends once. It is what U2, U6 and U7 call.
//
//movenext:async
func paused(ctx context.Context) (int, error) {
	job.Yield()
	return 1, ctx.Err()
}

// dropped is U2: no one keeps the jobs.
//
//movenext:async
func dropped(ctx context.Context, n int) (int, error) {
	total := 0
	for range n {
		v, err := pausedAsync(ctx).Await()
		if err != nil {
			return 0, err
		}
		total += v
	}
	return total, nil
}

// sleepyJobs is U3: each job is a literal, which begins on a worker.
//
//movenext:async
func sleepyJobs(ctx context.Context, n int, d time.Duration, awake *atomic.Int64) error {
	jobs := make([]*job.Job[job.Void], n)
	for i := range jobs {
		jobs[i] = job.Go(ctx, func(ctx context.Context) error {
			if err := job.Sleep(ctx, d); err != nil {
				return err
			}
			awake.Add(1)
			return nil
		})
	}
	for _, j := range jobs {
		if _, err := j.Await(); err != nil {
			return err
		}
	}
	return nil
}

// pairs is U4: a scope of two, n times.
//
//movenext:async
func pairs(ctx context.Context, n int) (int, error) {
	total := 0
	for range n {
		var a, b int
		err := job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
			s.Go(func(ctx context.Context) (err error) { a, err = one(ctx); return err })
			s.Go(func(ctx context.Context) (err error) { b, err = one(ctx); return err })
			return nil
		})
		if err != nil {
			return 0, err
		}
		total += a + b
	}
	return total, nil
}

// retried is U5: it tries three times.
//
//movenext:async
func retried(ctx context.Context, pause time.Duration, done *atomic.Int64) error {
	for attempt := range attempts {
		if try(attempt) == nil {
			break
		}
		if err := job.Sleep(ctx, pause); err != nil {
			return err
		}
	}
	done.Add(1)
	return nil
}

// limited is U6: what is awaited, and the wait, have a timeout.
//
//movenext:async
func limited(ctx context.Context, n int) (int, error) {
	total := 0
	for range n {
		v, err := limitedOnce(ctx)
		if err != nil {
			return 0, err
		}
		total += v
	}
	return total, nil
}

//movenext:async
func limitedOnce(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	return pausedAsync(ctx).Await()
}

// patient is U6 with a timeout for the wait alone.
//
//movenext:async
func patient(ctx context.Context, n int) (int, error) {
	total := 0
	for range n {
		v, err := job.WaitTimeout(ctx, pausedAsync(ctx), time.Hour).Await()
		if err != nil {
			return 0, err
		}
		total += v
	}
	return total, nil
}

// request is U7: ten calls of an annotated function.
//
//movenext:async
func request(ctx context.Context) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	total := 0
	for range calls {
		v, err := paused(ctx)
		if err != nil {
			return 0, err
		}
		total += v
	}
	return total, nil
}

// requestOfJobs is U7 with a job for each call.
//
//movenext:async
func requestOfJobs(ctx context.Context) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	total := 0
	for range calls {
		v, err := job.Run(ctx, func(ctx context.Context) (int, error) { return paused(ctx) }).Await()
		if err != nil {
			return 0, err
		}
		total += v
	}
	return total, nil
}

// deliverInScope is U8 as the how-to pages write it.
//
//movenext:async
func deliverInScope(ctx context.Context, d *deliveries) error {
	return job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		for i := range d.n {
			s.Go(func(ctx context.Context) error {
				ctx = pprof.WithLabels(ctx, labelsOf(i))
				pprof.SetGoroutineLabels(ctx)
				return deliver(ctx, d)
			})
		}
		return nil
	})
}

// deliver is one delivery of U8.
//
//movenext:async
func deliver(ctx context.Context, d *deliveries) error {
	ctx, cancel := job.WithTimeout(ctx, time.Hour)
	defer cancel()
	for attempt := range attempts {
		if try(attempt) == nil {
			break
		}
		d.backOff(attempt)
		if err := job.Sleep(ctx, d.pause); err != nil {
			return err
		}
	}
	d.done.Add(1)
	return nil
}

func one(context.Context) (int, error) { return 1, nil }
