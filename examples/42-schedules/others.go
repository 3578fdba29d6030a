package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/roundrobin"
	"github.com/movenext/movenext/schedulers/ums"
)

// roundRobin queues a large batch and then a small one, while the workers are held.
func roundRobin(ctx context.Context, r *record.Recorder) error {
	workers := pool.New(pool.Workers(2, 2))
	batches := roundrobin.New(workers)
	open := make(chan struct{})
	var all []*job.Job[job.Void]
	for range 2 {
		all = append(all, job.Go(schedulers.With(ctx, workers), func(context.Context) error { <-open; return nil }, job.Named("holds a worker")))
	}
	for _, batch := range []struct {
		name  string
		items int
	}{{"large", 12}, {"small", 4}} {
		queue, err := batches.CreateQueue()
		if err != nil {
			return err
		}
		for i := range batch.items {
			all = append(all, job.Go(ctx, nothing, job.On(queue), job.Named(fmt.Sprintf("%s%d", batch.name, i+1))))
		}
		queue.Close() // queued work still runs
	}
	r.Note("both batches are queued")
	close(open)
	_, err := job.WhenAll(all...).Wait(ctx)
	return errors.Join(err, batches.Shutdown(ctx), workers.Shutdown(ctx))
}

// firstIn is a policy with a ready queue: first in, first out.
type firstIn struct {
	ready []*ums.Worker
	r     *record.Recorder
}

// Ready implements ums.Policy.
func (p *firstIn) Ready(w *ums.Worker) {
	p.ready = append(p.ready, w)
	p.r.Value("ready queue", float64(len(p.ready)))
}

// Next implements ums.Policy.
func (p *firstIn) Next() *ums.Worker {
	if len(p.ready) == 0 {
		return nil
	}
	w := p.ready[0]
	p.ready = p.ready[1:]
	p.r.Value("ready queue", float64(len(p.ready)))
	return w
}

// userMode has workers that block, yield and end on one thread.
func userMode(ctx context.Context, r *record.Recorder) error {
	s := ums.New(1, ums.Decide(&firstIn{r: r}), ums.Observe(func(e ums.Event) { r.Note(e.String()) }))
	on := schedulers.With(ctx, s)
	answer, open := make(chan struct{}), make(chan struct{})
	reader := job.Go(on, func(ctx context.Context) error {
		<-open // until all are queued
		ums.Block(ctx, func() { <-answer })
		return nil
	}, job.Named("reader"))
	counter := job.Go(on, func(ctx context.Context) error {
		for i := range 2 {
			ums.Yield(ctx, fmt.Sprint("counted to ", i+1))
		}
		return nil
	}, job.Named("counter"))
	writer := job.Go(on, func(context.Context) error { close(answer); return nil }, job.Named("writer"))
	close(open)
	_, err := job.WhenAll(reader, counter, writer).Wait(ctx)
	return errors.Join(err, s.Shutdown(ctx))
}
