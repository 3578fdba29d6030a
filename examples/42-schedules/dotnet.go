package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/simulation"
)

func nothing(context.Context) error { return nil }

// globalAndLocal starts four jobs from a job, two of them with fairness.
func globalAndLocal(ctx context.Context, _ *record.Recorder) error {
	workers := pool.New(pool.Workers(1, 1))
	outer := job.Go(schedulers.With(ctx, workers), func(ctx context.Context) error {
		_ = job.Go(ctx, nothing, job.Named("t1"))
		_ = job.Go(ctx, nothing, job.Named("t2"))
		_ = job.Go(ctx, nothing, job.Named("t3"), job.PreferFairness())
		_ = job.Go(ctx, nothing, job.Named("t4"), job.PreferFairness())
		return nil
	}, job.Named("outer"))
	<-outer.Done()
	return errors.Join(outer.Err(), workers.Shutdown(ctx))
}

// allOrders runs three jobs in each of their orders.
func allOrders(ctx context.Context, r *record.Recorder) error {
	for _, order := range [][]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}} {
		made := 0
		s := simulation.NewWith(func([]simulation.Turn) int {
			made++
			return order[made-1]
		})
		said := ""
		for i := range 3 {
			_ = job.Go(schedulers.With(ctx, s), func(context.Context) error {
				said += fmt.Sprintf(" t%d", i+1)
				return nil
			}, job.Named(fmt.Sprintf("t%d", i+1)))
		}
		if err := errors.Join(s.Run(), s.Shutdown(ctx)); err != nil {
			return err
		}
		r.Note("they have run in the order" + said)
	}
	return nil
}

// inlining waits for three jobs on the only worker.
func inlining(ctx context.Context, _ *record.Recorder) error {
	workers := pool.New(pool.Workers(1, 1))
	outer := job.Go(schedulers.With(ctx, workers), func(ctx context.Context) error {
		var data []*job.Job[job.Void]
		for i := range 3 {
			data = append(data, job.Go(ctx, nothing, job.Named(fmt.Sprintf("data%d", i+1))))
		}
		var err error
		for _, d := range data {
			_, failed := d.Wait(ctx)
			err = errors.Join(err, failed)
		}
		return err
	}, job.Named("outer"))
	<-outer.Done()
	return errors.Join(outer.Err(), workers.Shutdown(ctx))
}

// injection blocks all workers without notifying the pool.
func injection(ctx context.Context, _ *record.Recorder) error {
	workers := pool.New(pool.Workers(2, 4), pool.AddAfter(2*time.Millisecond))
	on := schedulers.With(ctx, workers)
	release := make(chan struct{})
	var blocked []*job.Job[job.Void]
	for i := range 3 {
		blocked = append(blocked, job.Go(on, func(context.Context) error { <-release; return nil }, job.Named(fmt.Sprintf("blocks%d", i+1))))
	}
	free := job.Go(on, nothing, job.Named("waits for a worker"))
	<-free.Done()
	close(release)
	_, err := job.WhenAll(append(blocked, free)...).Wait(ctx)
	return errors.Join(err, workers.Shutdown(ctx))
}

// disk serves sixteen users well.
type disk struct{ users atomic.Int64 }

func (d *disk) read() {
	crowd := float64(d.users.Add(1)) / 16
	defer d.users.Add(-1)
	time.Sleep(time.Duration(float64(5*time.Millisecond) * (1 + crowd*crowd)))
}

// hillClimbing reads from a disk for two seconds.
func hillClimbing(ctx context.Context, r *record.Recorder) error {
	workers := pool.New(pool.Workers(2, 100), pool.AddAfter(0), pool.HillClimbing(pool.ClimbingOn, func(s pool.Sample) {
		r.Value("workers", float64(s.Workers))
		r.Value("reads a second", float64(s.Completed)/s.Elapsed.Seconds())
	}))
	on := schedulers.With(ctx, workers)
	var d disk
	var all sync.WaitGroup
	end := time.Now().Add(2 * time.Second)
	var read func(context.Context) error
	read = func(context.Context) error {
		defer all.Done()
		if d.read(); time.Now().Before(end) {
			all.Add(1)
			_ = job.Go(on, read, job.Named("read"))
		}
		return nil
	}
	for range 100 {
		all.Add(1)
		_ = job.Go(on, read, job.Named("read"))
	}
	all.Wait()
	return workers.Shutdown(ctx)
}
