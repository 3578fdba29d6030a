package schedulertest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// errGround is the refusal of a ground.
var errGround = fmt.Errorf("schedulertest: no room: %w", schedulers.ErrRejected)

// ground is the scheduler that RunOver puts beneath: it has each capability and does
// nothing by itself. It runs the queued work when it is drained, and records what it is
// told.
type ground struct {
	refuseWork, refuseWaits, pumps bool

	idle func() // called by a pump that finds nothing to run

	mu    sync.Mutex // another goroutine shuts down the scheduler above
	queue []schedulers.Work
	hints []schedulers.Worker
	told  []string
}

func newGround() *ground { return &ground{} }

func (g *ground) note(what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.told = append(g.told, what)
}

func (g *ground) Submit(w schedulers.Work, from schedulers.Hint) error {
	if g.refuseWork {
		return errGround
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queue = append(g.queue, w)
	g.hints = append(g.hints, from.From)
	return nil
}

// one runs the oldest work, and reports whether it found one.
func (g *ground) one() bool {
	g.mu.Lock()
	if len(g.queue) == 0 {
		g.mu.Unlock()
		return false
	}
	w := g.queue[0]
	g.queue = g.queue[1:]
	g.mu.Unlock()
	w.Run(g.worker())
	return true
}

func (g *ground) drain() {
	for g.one() {
	}
}

// worker returns the worker of the ground.
func (g *ground) worker() schedulers.Worker {
	if g.pumps {
		return pumping{standing{g}}
	}
	return standing{g}
}

func (g *ground) Shutdown(context.Context) error                                { g.note("Shutdown"); return nil }
func (g *ground) StartTimer(*schedulers.Timer, time.Duration)                   { g.note("StartTimer") }
func (g *ground) StopTimer(*schedulers.Timer) bool                              { g.note("StopTimer"); return false }
func (g *ground) MayRunInPlace(schedulers.Work, schedulers.Worker) (never bool) { return false }
func (g *ground) MaxConcurrency() int                                           { return 2 }

// standing is the worker of a ground.
type standing struct{ of *ground }

func (s standing) Scheduler() schedulers.Scheduler { return s.of }
func (s standing) ID() int                         { return 1 }

func (s standing) Block() (func(), error) { return s.wait("Block") }

func (s standing) BlockFor(home schedulers.Scheduler, _ <-chan struct{}) (func(), error) {
	if schedulers.RunsOn(home, s.of) {
		return s.wait("BlockFor own work")
	}
	return s.wait("BlockFor")
}

func (s standing) wait(how string) (func(), error) {
	if s.of.refuseWaits {
		return nil, schedulers.ErrWouldDeadlock
	}
	s.of.note(how)
	return func() { s.of.note("unblock") }, nil
}

// pumping is a worker that pumps.
type pumping struct{ standing }

func (p pumping) Pump(ctx context.Context, _ schedulers.Scheduler, done <-chan struct{}) error {
	for {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		if !p.of.one() && p.of.idle != nil {
			p.of.idle()
		}
	}
}

// call is work.
type call func(on schedulers.Worker)

func (c call) Run(on schedulers.Worker) { c(on) }
func (c call) Abandon(error)            {}
