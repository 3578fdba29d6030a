package main

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// execution is one way to run the same functions.
type execution struct {
	name string
	// scheduler makes the home of the machines; nil: plain Go.
	scheduler func() stoppable
}

type stoppable interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

func executions() []execution {
	return []execution{
		{"plain Go on goroutines", nil},
		{"machines on the pool", func() stoppable { return pool.New() }},
		{"machines on work stealing", func() stoppable { return workstealing.New() }},
		{"machines on two OS threads", func() stoppable { return dedicated.New(2) }},
	}
}

// run surveys all dirs in this way.
func (e execution) run(ctx context.Context, root string, dirs []string, p *progress) *report {
	start := time.Now()
	r := &report{root: root}
	if e.scheduler == nil {
		r.add(surveyPlain(ctx, dirs, p))
	} else {
		home := &observed{Scheduler: e.scheduler()}
		r.add(surveyMachines(schedulers.With(ctx, home), dirs, p))
		// All machines have ended, so there is nothing left to drain.
		_ = home.Scheduler.(stoppable).Shutdown(context.Background())
		r.suspensions, r.hops = home.suspensions.Load(), home.hops.Load()
	}
	p.finish()
	r.seconds = time.Since(start).Seconds()
	return r
}

// surveyPlain calls the functions as they are written, on a goroutine for each
// processor.
func surveyPlain(ctx context.Context, dirs []string, p *progress) []counts {
	all := make([]counts, len(dirs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				all[i], _ = surveyPackage(ctx, dirs[i])
				p.step()
			}
		})
	}
	for i := range dirs {
		next <- i
	}
	close(next)
	wg.Wait()
	return all
}

// surveyMachines starts a machine for each directory, all at once: waiting
// machines hold no goroutine.
func surveyMachines(ctx context.Context, dirs []string, p *progress) []counts {
	jobs := make([]*job.Job[counts], len(dirs))
	for i, dir := range dirs {
		jobs[i] = surveyPackageAsync(ctx, dir)
	}
	all := make([]counts, len(dirs))
	for i, j := range jobs {
		all[i], _ = j.Wait(context.Background()) // ctx ends the machines; none is left behind
		p.step()
	}
	return all
}
