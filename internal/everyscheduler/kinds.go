// Package everyscheduler lists the kinds of schedulers of this module, for tests of what all of
// them promise. A new scheduler gets a line here, and those tests have it.
package everyscheduler

import (
	"context"

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

// Scheduler is a scheduler that can be shut down, as all of this module can.
type Scheduler interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// Kind is one kind of schedulers.
type Kind struct {
	Name string // of the package or, in a package with two kinds, of the type

	// New makes a scheduler. Below is what those are put on that need another one.
	New func(below schedulers.Scheduler) Scheduler

	// OnTop says that New uses below.
	OnTop bool

	// Drive runs queued work until ctx ends. It is nil if the scheduler runs by itself.
	Drive func(ctx context.Context, s Scheduler)

	// InPlace says that Submit runs work on the submitter's goroutine.
	InPlace bool
}

// Kinds returns all kinds, with two workers where the number can be chosen.
func Kinds() []Kind {
	return []Kind{
		{Name: "pool", New: alone(func() Scheduler { return pool.New() })},
		{Name: "workstealing", New: alone(func() Scheduler { return workstealing.New() })},
		{Name: "dedicated", New: alone(func() Scheduler { return dedicated.New(2) })},
		{Name: "goroutine", New: alone(func() Scheduler { return goroutine.New() })},
		{Name: "inline", InPlace: true, New: alone(func() Scheduler { return inline.New() })},
		{Name: "eventloop", New: alone(func() Scheduler { return eventloop.Start() })},
		{Name: "ums", New: alone(func() Scheduler { return ums.New(2) })},
		{Name: "manual", New: alone(func() Scheduler { return manual.New() }), Drive: driveManual},
		{Name: "simulation", New: alone(func() Scheduler { return simulation.New(1) }), Drive: driveSimulation},
		{Name: "cancellable", OnTop: true, New: func(s schedulers.Scheduler) Scheduler { return cancellable.New(s) }},
		{Name: "exclusive", OnTop: true, New: func(s schedulers.Scheduler) Scheduler { return exclusive.NewStrand(s) }},
		{Name: "limited", OnTop: true, New: func(s schedulers.Scheduler) Scheduler { return limited.New(s, 2) }},
		{Name: "observed", OnTop: true, New: func(s schedulers.Scheduler) Scheduler { return observed.New(s, func(observed.Event) {}) }},
		{Name: "priority", OnTop: true, New: func(s schedulers.Scheduler) Scheduler { return priority.New(s, 3) }},
		{Name: "roundrobin", OnTop: true, New: func(s schedulers.Scheduler) Scheduler { return roundrobin.New(s) }},
		{Name: "workset", OnTop: true, New: func(s schedulers.Scheduler) Scheduler { return workset.New(s) }},
	}
}

// alone is for schedulers that need no other one.
func alone(make func() Scheduler) func(schedulers.Scheduler) Scheduler {
	return func(schedulers.Scheduler) Scheduler { return make() }
}

// driveManual steps a manual scheduler. Work that calls runtime.Goexit ends the stepping
// goroutine, so each step has its own.
func driveManual(ctx context.Context, s Scheduler) {
	for ctx.Err() == nil {
		turn := make(chan struct{})
		go func() {
			defer close(turn)
			_ = s.(*manual.Scheduler).RunUntil(ctx, nil)
		}()
		<-turn
	}
}

func driveSimulation(ctx context.Context, s Scheduler) {
	for ctx.Err() == nil {
		_ = s.(*simulation.Scheduler).RunUntil(ctx, nil)
	}
}
