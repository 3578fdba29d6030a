package main

import (
	"context"

	"github.com/movenext/movenext/internal/everyscheduler"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// target is a scheduler under load that can be shut down.
type target = everyscheduler.Scheduler

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

// candidates are the schedulers of all kinds, and pools with other options.
func candidates() []candidate {
	list := []candidate{
		{name: "pool-climbing", make: func() target {
			return pool.New(pool.Workers(2, 64), pool.HillClimbing(pool.ClimbingOn, nil))
		}},
		{name: "pool-rejecting", make: func() target { return pool.New(pool.QueueLimit(2_048, pool.Reject)) }},
		{name: "pool-blocking", make: func() target { return pool.New(pool.QueueLimit(64, pool.Block)) }},
		{name: "pool-caller-runs", inPlace: true, make: func() target { return pool.New(pool.QueueLimit(64, pool.CallerRuns)) }},
	}
	for _, kind := range everyscheduler.Kinds() {
		c := candidate{name: kind.Name, drive: kind.Drive, inPlace: kind.InPlace, onRequest: kind.Name == "simulation"}
		if kind.OnTop {
			c.over = kind.New
		} else {
			c.make = func() target { return kind.New(nil) }
		}
		list = append(list, c)
	}
	return list
}
