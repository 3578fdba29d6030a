package main

import (
	"context"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/cancellable"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/priority"
	"github.com/movenext/movenext/schedulers/roundrobin"
	"github.com/movenext/movenext/schedulers/simulation"
	"github.com/movenext/movenext/schedulers/ums"
	"github.com/movenext/movenext/schedulers/workset"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// target is a scheduler under load that can be shut down.
type target interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// candidate is one scheduler to load, with the function that makes it.
type candidate struct {
	name string
	make func() target

	// over makes a scheduler on top of a pool, instead of make. The pool is shut down
	// after it.
	over func(schedulers.Scheduler) target

	// launch starts a job, instead of job.Run: for tests of this command.
	launch func(context.Context, func(context.Context) (int, error)) *job.Job[int]

	// drive runs queued work until the context ends, for schedulers that do not run by
	// themselves.
	drive func(context.Context, target)

	// inPlace says that Submit runs work on the submitter's goroutine, which work must not end.
	inPlace bool

	// onRequest excludes it from the default of all schedulers: it keeps a record of
	// each work item.
	onRequest bool
}

func candidates() []candidate {
	return []candidate{
		{name: "pool", make: func() target { return pool.New() }},
		{name: "pool-climbing", make: func() target {
			return pool.New(pool.Workers(2, 64), pool.HillClimbing(pool.ClimbingOn, nil))
		}},
		{name: "pool-rejecting", make: func() target { return pool.New(pool.QueueLimit(2_048, pool.Reject)) }},
		{name: "pool-blocking", make: func() target { return pool.New(pool.QueueLimit(64, pool.Block)) }},
		{name: "pool-caller-runs", inPlace: true, make: func() target { return pool.New(pool.QueueLimit(64, pool.CallerRuns)) }},
		{name: "workstealing", make: func() target { return workstealing.New() }},
		{name: "dedicated", make: func() target { return dedicated.New(4) }},
		{name: "dedicated-runner", make: func() target { return dedicated.NewRunner("") }},
		{name: "goroutine", make: func() target { return goroutine.New() }},
		{name: "inline", inPlace: true, make: func() target { return inline.New() }},
		{name: "eventloop", make: func() target { return eventloop.Start() }},
		{name: "ums", make: func() target { return ums.New(2) }},
		{name: "roundrobin", over: func(s schedulers.Scheduler) target { return roundrobin.New(s) }},
		{name: "priority", over: func(s schedulers.Scheduler) target { return priority.New(s, 3) }},
		{name: "limited", over: func(s schedulers.Scheduler) target { return limited.New(s, 3) }},
		{name: "strand", over: func(s schedulers.Scheduler) target { return exclusive.NewStrand(s) }},
		{name: "observed", over: func(s schedulers.Scheduler) target { return observed.New(s, func(observed.Event) {}) }},
		{name: "cancellable", over: func(s schedulers.Scheduler) target { return cancellable.New(s) }},
		{name: "workset", over: func(s schedulers.Scheduler) target { return workset.New(s) }},
		{name: "manual", make: func() target { return manual.New() }, drive: driveManual},
		{name: "simulation", make: func() target { return simulation.New(1) }, drive: driveSimulation, onRequest: true},
	}
}

// driveManual steps a manual scheduler. Work that calls runtime.Goexit ends the stepping
// goroutine, so each step has its own.
func driveManual(ctx context.Context, s target) {
	for ctx.Err() == nil {
		turn := make(chan struct{})
		go func() {
			defer close(turn)
			_ = s.(*manual.Scheduler).RunUntil(ctx, nil)
		}()
		<-turn
	}
}

func driveSimulation(ctx context.Context, s target) {
	for ctx.Err() == nil {
		_ = s.(*simulation.Scheduler).RunUntil(ctx, nil)
	}
}
