package suite

import (
	"context"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/priority"
	"github.com/movenext/movenext/schedulers/roundrobin"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// Place is one of this library's schedulers as a contender.
type Place struct {
	Name string
	open func(Setting) ending
}

// ending is the method that all schedulers of the library have.
type ending interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// The places. Default is the scheduler of a program that chooses none: the library's published
// figures are measured on it.
var (
	Default = Place{"movenext", func(s Setting) ending {
		if s.Workers == 0 {
			return nil
		}
		return pool.New(pool.Workers(s.Workers, s.Workers))
	}}
	Stealing = Place{"movenext workstealing", func(s Setting) ending {
		if s.Workers == 0 {
			return workstealing.New()
		}
		return workstealing.New(workstealing.Processors(s.Workers))
	}}
	Dedicated = Place{"movenext dedicated", func(s Setting) ending {
		return dedicated.New(s.Width())
	}}
	Goroutine = Place{"movenext goroutine", func(Setting) ending {
		return goroutine.New()
	}}
)

// The places that put an order on top of a pool.
var (
	RoundRobin = Place{"movenext roundrobin", func(s Setting) ending { return roundrobin.New(under(s)) }}
	Priority   = Place{"movenext priority", func(s Setting) ending { return priority.New(under(s), 3) }}
	Observed   = Place{"movenext observed", func(s Setting) ending { return observed.New(under(s), func(observed.Event) {}) }}
)

// under returns the pool beneath a scheduler. It need not be ended: it has no goroutine while it
// is idle.
func under(s Setting) *pool.Pool {
	if s.Workers == 0 {
		return pool.New()
	}
	return pool.New(pool.Workers(s.Workers, s.Workers))
}

// Open returns a context whose ambient scheduler is a new one of this place, and a function that
// ends it. (Default makes none: its jobs run where those of any program do.)
func (p Place) Open(s Setting) (ctx context.Context, stop func()) {
	on := p.open(s)
	if on == nil {
		return context.Background(), func() {}
	}
	return schedulers.With(context.Background(), on), func() {
		// Nothing is queued anymore: each run has waited for the work that it started.
		_ = on.Shutdown(context.Background())
	}
}

// On returns a contender for each of the places, which runs the function that start makes
// for a context. form is added to the place's name, to tell two ways of using the same
// scheduler apart; it may be empty.
func On(places []Place, form, note string, start func(ctx context.Context, s Setting) Run) []Contender {
	var all []Contender
	for _, p := range places {
		name := p.Name
		if form != "" {
			name += ": " + form
		}
		all = append(all, Contender{Name: name, Note: note, Start: func(s Setting) (Run, func()) {
			ctx, stop := p.Open(s)
			return start(ctx, s), stop
		}})
	}
	return all
}

// Plain returns a contender that needs no preparation.
func Plain(name, note string, run func(s Setting) Run) Contender {
	return Contender{Name: name, Note: note, Start: func(s Setting) (Run, func()) {
		return run(s), func() {}
	}}
}
