package durabletest

import (
	"context"
	"errors"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Simulated makes an engine part of the simulation to which ctx belongs (package
// schedulers/simulation; jobtest.Run and jobtest.Explore pass such a context to their functions).
// The engine's concurrent parts are jobs: its dispatcher, each instance, each step. Its time is
// that of the simulation. Other work may run before each call of the store, so that instances,
// engines and steps interleave in any order, and a seed determines the order. Steps may use jobs
// and package coord, and must not block on anything else.
//
//	jobtest.Explore(t, func(ctx context.Context) error {
//		e, err := durable.Open(ctx, durable.NewMemory(), durabletest.Simulated(ctx))
//		…
//		return errors.Join(err, e.Shutdown(ctx))
//	})
//
// The store must be one in memory, or a [Faulty] one around it. The engine polls the store once
// an hour, since each poll is a step of the simulation. It does not renew its lease, which lasts a
// hundred years, and keeps ended instances. Otherwise a search in which steps take time (see
// jobtest.TimeRaces) could let months pass at any step, up to the next renewal. Later options
// override that. Shut the engine down: its timers never end. Simulated panics if ctx belongs to
// no simulation.
func Simulated(ctx context.Context) durable.Option {
	sim, ok := schedulers.FromContext(ctx).(simulation)
	if !ok {
		panic("durabletest: Simulated needs the context of a simulation")
	}
	return durable.Options(durable.On(simulated{sim}), durable.Poll(time.Hour), durable.Lease(100*year), durable.Retention(0))
}

const (
	year = 365 * 24 * time.Hour

	// endless is a wait that has no timer, since a program of a simulation does not get there. The
	// engine waits that long before it renews its lease.
	endless = 30 * year
)

// simulation is a scheduler with virtual time.
type simulation interface {
	schedulers.Scheduler
	schedulers.Timers
	Now() time.Duration
}

// simulated is a place in a simulation.
type simulated struct{ sim simulation }

// epoch is the time at which simulations begin, as in bubbles of testing/synctest.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func (s simulated) Now() time.Time { return epoch.Add(s.sim.Now()) }

func (s simulated) Go(ctx context.Context, name string, f func(ctx context.Context)) {
	job.Go(schedulers.With(ctx, s.sim), func(ctx context.Context) error {
		f(ctx)
		return nil
	}, job.Named(name), job.Shielded())
}

func (s simulated) Wait(ctx context.Context, wake <-chan struct{}, d time.Duration) {
	if d < endless {
		var stop context.CancelFunc
		ctx, stop = s.WithTimeout(ctx, d)
		defer stop()
	}
	if wake == nil {
		wake = make(chan struct{}) // a nil channel would make a wait that does not report its end
	}
	s.wait(ctx, wake)
}

// wait lets other work run. It looks up the worker first, since a context of the engine may carry
// that of its caller.
func (simulated) wait(ctx context.Context, wake <-chan struct{}) {
	worker := schedulers.Here()
	if worker == nil {
		worker = schedulers.WorkerFrom(ctx)
	}
	_ = schedulers.Wait(ctx, worker, nil, wake) // the caller checks what has happened
}

func (s simulated) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	deadline := s.Now().Add(d)
	ctx, cancel := context.WithCancelCause(ctx)
	t := &alarm{cancel: cancel}
	t.timer.OnExpire = t
	s.sim.StartTimer(&t.timer, d)
	return timedContext{ctx, deadline}, func() {
		s.sim.StopTimer(&t.timer)
		cancel(context.Canceled)
	}
}

// alarm ends a context.
type alarm struct {
	timer  schedulers.Timer
	cancel context.CancelCauseFunc
}

// Expire ends the context.
func (a *alarm) Expire(*schedulers.Timer) { a.cancel(context.DeadlineExceeded) }

// timedContext is a context with a deadline in simulated time.
type timedContext struct {
	context.Context
	deadline time.Time
}

// Deadline returns the earlier of its own deadline and that of the context.
func (t timedContext) Deadline() (time.Time, bool) {
	if own, ok := t.Context.Deadline(); ok && own.Before(t.deadline) {
		return own, true
	}
	return t.deadline, true
}

// Err returns context.DeadlineExceeded if that ended the context.
func (t timedContext) Err() error {
	err := t.Context.Err()
	if err != nil && errors.Is(context.Cause(t.Context), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}

// closed is a channel that never blocks a receiver.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func (s simulated) Turn(ctx context.Context) { s.wait(context.WithoutCancel(ctx), closed) }
