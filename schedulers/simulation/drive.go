package simulation

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// ErrTooManySteps is returned by a driver when the limit of the option [Steps] is
// reached.
var ErrTooManySteps = errors.New("simulation: too many steps")

const (
	forever = math.MaxInt

	// patience is how long a driver whose context has ended waits for the end of the
	// step. If it left at once, work that ends that context would race with what comes
	// after the driver.
	patience = 10 * time.Millisecond
)

// Run drives the simulation until nothing is queued, nothing waits, and no timer is
// set. It returns nil if all went well, the first [*Deadlock] since the last call if
// something had to wait forever, [ErrTooManySteps] at the limit, and an error that
// wraps [ErrDiverged] if the replayed trace does not fit.
//
// A machine that is suspended forever is a deadlock too, though no goroutine waits: Run
// reports it each time, since nothing can break it.
//
// Run blocks. It must not be called by work.
func (s *Scheduler) Run() error { return s.RunUntil(context.Background(), nil) }

// RunUntil drives the simulation until done is closed (or delivers a value, which
// it then consumes) and returns nil; it takes no step beyond that. It returns
// the cause of ctx if that ends first, and a [*Deadlock] if nothing can run and
// done is not closed. Its other errors are those of Run. A nil ctx never ends.
// With a nil done it is Run until ctx ends.
//
// If ctx ends in the middle of a step that does not return, RunUntil returns soon
// without it: such a step keeps its goroutine, and the simulation cannot continue.
func (s *Scheduler) RunUntil(ctx context.Context, done <-chan struct{}) error {
	if ctx == nil {
		ctx = context.Background()
	}
	for {
		switch s.drive(ctx, done, forever) {
		case doneArrived:
			return nil
		case contextEnded:
			return context.Cause(ctx)
		case drained:
		}
		if err := s.outcome(); err != nil {
			return err
		}
		if done == nil {
			if over, err := s.verdict(); over {
				return err
			}
		} else if !s.canProgress() {
			if s.outside > 0 {
				return s.deadlock()
			}
			moves, arrived := s.worldSettles(done)
			if arrived {
				return nil
			}
			if !moves {
				return s.deadlock()
			}
		}
	}
}

// Step drives the simulation by one step, and reports whether a step was possible:
// false means that nothing can run and no timer is set, or that the limit of [Steps] is
// reached.
func (s *Scheduler) Step() bool {
	s.mu.Lock()
	before := s.steps
	s.mu.Unlock()
	s.drive(context.Background(), nil, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.steps > before
}

// outcome returns what has gone wrong since the last call.
func (s *Scheduler) outcome() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.failure
	s.failure = nil
	if err == nil {
		err = s.choices.diverged
	}
	return err
}

// stopReason is why a driver stopped.
type stopReason uint8

const (
	drained      stopReason = iota // nothing can run, or no more steps are to be taken
	doneArrived                    // done was closed, or has delivered a value
	contextEnded                   // ctx has ended
)

// drive takes steps until done, until ctx has ended, or until none is left.
func (s *Scheduler) drive(ctx context.Context, done <-chan struct{}, steps int) stopReason {
	for {
		if r, stop := reasonToStop(ctx, done); stop {
			return r
		}
		if steps == 0 {
			return drained
		}
		b, mine := s.open(ctx, done, steps)
		if !mine {
			if r, stop := b.standBy(ctx, done); stop {
				return r
			}
			continue
		}
		select {
		case <-b.over:
		case <-ctx.Done():
			s.leave(b)
			return contextEnded
		}
		if b.stopped {
			return b.reason
		}
		steps = b.stepsLeft
		if b.noneReady && !s.canContinue(ctx) {
			return drained
		}
	}
}

// reasonToStop reports whether what a driver waits for has happened, and what.
func reasonToStop(ctx context.Context, done <-chan struct{}) (r stopReason, stop bool) {
	select {
	case <-done:
		return doneArrived, true
	default:
	}
	return contextEnded, ctx.Err() != nil
}

// canContinue reports whether there may be something to run after a burst that has found none.
func (s *Scheduler) canContinue(ctx context.Context) bool {
	switch {
	case s.stopped():
		return false
	case s.awaitArrivals(ctx), s.unblock():
		return true
	default:
		return s.awaitArrivals(ctx) // one may have been woken meanwhile
	}
}

// unblock looks for something that can happen although nothing can run, and reports whether it
// found any. What changes the least comes first: time passes before a wait is made to end, and a
// wait fails only when the rest of the world has had its turn.
func (s *Scheduler) unblock() bool {
	if s.outside > 0 && (s.worldMoves() || s.advanceClock()) {
		return true // without this option, a burst advances the clock itself
	}
	if s.endBlock() {
		return true
	}
	if s.anythingWaits() {
		if s.outside <= 0 && s.worldWakes() || s.callIdle() || s.outside <= 0 && s.lastChance() {
			return true
		}
	}
	return s.breakDeadlock()
}

// Idle sets a function that is called when nothing can run and no timer is set,
// while work or machines wait. It returns true if it has changed that, for
// example by ending a context; false means a deadlock. f is called by the
// driver's goroutine, and no step runs meanwhile.
func Idle(f func() bool) Option {
	return func(s *Scheduler) {
		s.idle = schedulers.NewHook("simulation.Idle", func(changed *bool) { *changed = f() })
	}
}

// callIdle calls the hook of Idle, and reports whether something can run afterwards.
func (s *Scheduler) callIdle() bool {
	changed := false
	s.idle.Call(&changed)
	return changed && (s.worldWakes() || s.callIdle())
}

// stopped reports whether the limit of steps has been reached.
func (s *Scheduler) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exhausted()
}

// anythingWaits reports whether the rest of the world might affect a waiter.
func (s *Scheduler) anythingWaits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waits.Len() > 0 || len(s.suspended) > 0
}

// driver is a goroutine outside the simulation, as seen in a context that it made.
type driver struct{ scheduler *Scheduler }

// Scheduler implements [schedulers.Worker].
func (d *driver) Scheduler() schedulers.Scheduler { return d.scheduler }

// ID implements [schedulers.Worker]. No worker that runs work has this ID.
func (*driver) ID() int { return math.MaxInt32 }

// Pump implements [schedulers.Pumper] by driving the simulation until done.
func (d *driver) Pump(ctx context.Context, _ schedulers.Scheduler, done <-chan struct{}) error {
	return d.scheduler.RunUntil(ctx, done)
}

// Block drives the simulation to its end. What has not happened then never will.
func (d *driver) Block() (unblock func(), err error) {
	d.scheduler.drive(context.Background(), nil, forever)
	return nil, d.scheduler.deadlock()
}
