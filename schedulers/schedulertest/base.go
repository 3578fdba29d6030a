package schedulertest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// errBase is the refusal of a base.
var errBase = fmt.Errorf("schedulertest: no room: %w", schedulers.ErrRejected)

// base is the scheduler that RunOver puts beneath. It has every capability and does
// nothing by itself. It runs the queued work when it is drained, and records the calls of
// its methods.
type base struct {
	refuseWork, refuseWaits, pumps bool

	idle func() // called by a pump that finds nothing to run

	mu    sync.Mutex // because another goroutine shuts down the scheduler above
	queue []schedulers.Work
	hints []schedulers.Worker
	told  []string
}

func newBase() *base { return &base{} }

func (b *base) note(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(b.told, what)
}

func (b *base) Submit(w schedulers.Work, from schedulers.Hint) error {
	if b.refuseWork {
		return errBase
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = append(b.queue, w)
	b.hints = append(b.hints, from.From)
	return nil
}

// one runs the oldest work, and reports whether it found one.
func (b *base) one() bool {
	b.mu.Lock()
	if len(b.queue) == 0 {
		b.mu.Unlock()
		return false
	}
	w := b.queue[0]
	b.queue = b.queue[1:]
	b.mu.Unlock()
	w.Run(b.worker())
	return true
}

func (b *base) drain() {
	for b.one() {
	}
}

// worker returns the worker of the base.
func (b *base) worker() schedulers.Worker {
	if b.pumps {
		return pumping{baseWorker{b}}
	}
	return baseWorker{b}
}

func (b *base) Shutdown(context.Context) error                                { b.note("Shutdown"); return nil }
func (b *base) StartTimer(*schedulers.Timer, time.Duration)                   { b.note("StartTimer") }
func (b *base) StopTimer(*schedulers.Timer) bool                              { b.note("StopTimer"); return false }
func (b *base) MayRunInPlace(schedulers.Work, schedulers.Worker) (never bool) { return false }
func (b *base) MaxConcurrency() int                                           { return 2 }

// baseWorker is the worker of a base.
type baseWorker struct{ base *base }

func (s baseWorker) Scheduler() schedulers.Scheduler { return s.base }
func (s baseWorker) ID() int                         { return 1 }

func (s baseWorker) Block() (func(), error) { return s.wait("Block") }

func (s baseWorker) BlockFor(home schedulers.Scheduler, _ <-chan struct{}) (func(), error) {
	if schedulers.RunsOn(home, s.base) {
		return s.wait("BlockFor own work")
	}
	return s.wait("BlockFor")
}

func (s baseWorker) wait(how string) (func(), error) {
	if s.base.refuseWaits {
		return nil, schedulers.ErrWouldDeadlock
	}
	s.base.note(how)
	return func() { s.base.note("unblock") }, nil
}

// pumping is a worker that pumps.
type pumping struct{ baseWorker }

func (p pumping) Pump(ctx context.Context, _ schedulers.Scheduler, done <-chan struct{}) error {
	for {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		if !p.base.one() && p.base.idle != nil {
			p.base.idle()
		}
	}
}

// call is a function as work.
type call func(on schedulers.Worker)

func (c call) Run(on schedulers.Worker) { c(on) }
func (c call) Abandon(error)            {}
