package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// decisions adds the reasons of the workers' decisions to the recording.
func decisions(r *record.Recorder) workstealing.Option {
	return workstealing.Trace(func(e workstealing.Event) { r.Note(e.String()) })
}

// processors starts jobs from outside and from a job.
func processors(ctx context.Context, r *record.Recorder) error {
	s := workstealing.New(workstealing.Processors(2), decisions(r))
	on := schedulers.With(ctx, s)
	var all sync.WaitGroup
	start := func(ctx context.Context, name string, f func(context.Context)) {
		all.Add(1)
		_ = job.Go(ctx, func(ctx context.Context) error {
			defer all.Done()
			f(ctx)
			return nil
		}, job.Named(name))
	}
	for i := range 3 {
		start(on, fmt.Sprintf("outside%d", i+1), func(ctx context.Context) {
			for k := range 3 {
				start(ctx, fmt.Sprintf("inside%d.%d", i+1, k+1), func(context.Context) {})
			}
		})
	}
	all.Wait()
	return s.Shutdown(ctx)
}

// tick61 keeps the only processor busy with a job that starts its successor.
func tick61(ctx context.Context, r *record.Recorder) error {
	s := workstealing.New(workstealing.Processors(1), workstealing.Patience(0), workstealing.Trace(func(e workstealing.Event) {
		if e.Decision == workstealing.TookGlobalFirst {
			r.Note(e.String())
		}
	}))
	on := schedulers.With(ctx, s)
	begun, open, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	steps := 0
	var step func(context.Context) error
	step = func(ctx context.Context) error {
		if steps++; steps == 200 {
			close(done)
			return nil
		}
		_ = job.Go(ctx, step, job.Named("feeds itself"))
		return nil
	}
	_ = job.Go(on, func(ctx context.Context) error {
		close(begun)
		<-open // until all is queued
		return step(ctx)
	}, job.Named("feeds itself"))
	<-begun
	for i := range 3 {
		_ = job.Go(on, nothing, job.Named(fmt.Sprintf("outside%d", i+1)))
	}
	close(open)
	<-done
	return s.Shutdown(ctx)
}

// stealingHalf holds one of two processors with a job that has started seven.
func stealingHalf(ctx context.Context, r *record.Recorder) error {
	s := workstealing.New(workstealing.Processors(2), workstealing.Patience(0), decisions(r))
	on := schedulers.With(ctx, s)
	busy, free := make(chan struct{}), make(chan struct{})
	other := job.Go(on, func(context.Context) error {
		close(busy)
		<-free
		return nil
	}, job.Named("other"))
	loaded := job.Go(on, func(ctx context.Context) error {
		<-busy // both processors are held now
		var seven sync.WaitGroup
		for i := range 7 {
			seven.Add(1)
			_ = job.Go(ctx, func(context.Context) error { seven.Done(); return nil }, job.Named(fmt.Sprintf("job%d", i+1)))
		}
		close(free)
		seven.Wait() // holds the processor
		return nil
	}, job.Named("loaded"))
	_, err := job.WhenAll(other, loaded).Wait(ctx)
	return errors.Join(err, s.Shutdown(ctx))
}

// handOff blocks the only worker in a call that is announced.
func handOff(ctx context.Context, r *record.Recorder) error {
	s := workstealing.New(workstealing.Processors(1), workstealing.Patience(0), decisions(r))
	on := schedulers.With(ctx, s)
	answer := make(chan struct{})
	reader := job.Go(on, func(ctx context.Context) error {
		for i := range 3 {
			_ = job.Go(ctx, func(context.Context) error {
				if i == 2 { // the newest runs first; the answer comes when all have run
					return nil
				}
				if i == 1 {
					close(answer)
				}
				return nil
			}, job.Named(fmt.Sprintf("queued%d", i+1)))
		}
		return schedulers.Wait(ctx, schedulers.WorkerFrom(ctx), s, answer)
	}, job.Named("reader"))
	<-reader.Done()
	return errors.Join(reader.Err(), s.Shutdown(ctx))
}
