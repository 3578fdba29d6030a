package simulation

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// ErrTooManySteps is returned by a driver when the limit of the option [Steps] is reached.
var ErrTooManySteps = errors.New("simulation: too many steps")

const (
	forever = math.MaxInt

	// grace is how long a driver waits for the rest of the world before it says that nothing can
	// happen any more, if Outside has not said otherwise.
	grace = time.Millisecond

	// patience is how long a driver whose context has ended waits for the end of the step. If it left at
	// once, work that ends that context would race with what comes after the driver.
	patience = 10 * time.Millisecond
)

// Run drives the simulation until nothing is queued, nothing waits, and no timer is set. It returns nil if
// all went well, the first [*Deadlock] since the last call if something had to wait for ever, [ErrTooManySteps] at the
// limit, and an error that wraps [ErrDiverged] if a trace is replayed that does not fit. It blocks. It must not be called by work.
func (s *Scheduler) Run() error {
	s.drive(context.Background(), nil, forever)
	return s.outcome()
}

// RunUntil drives the simulation until done is closed (or delivers, which it then consumes) and returns
// nil; what was not needed for that has not run. It returns the cause of ctx if that ends first, and a
// [*Deadlock] if nothing can run and done is not closed; and as Run otherwise. A nil ctx never ends.
func (s *Scheduler) RunUntil(ctx context.Context, done <-chan struct{}) error {
	if ctx == nil {
		ctx = context.Background()
	}
	switch s.drive(ctx, done, forever) {
	case arrived:
		return nil
	case ended:
		return context.Cause(ctx)
	case drained:
	}
	if err := s.outcome(); err != nil {
		return err
	}
	return s.deadlock()
}

// Step drives the simulation by one step, and reports whether there was one to take: false says that nothing
// can run and no timer is set.
func (s *Scheduler) Step() bool {
	s.mu.Lock()
	before := s.steps
	s.mu.Unlock()
	s.drive(context.Background(), nil, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.steps > before
}

// outcome returns what has gone wrong since it was last asked.
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

// how says why a driver stopped.
type how uint8

const (
	drained how = iota // nothing can run, or no more steps are to be taken
	arrived            // done
	ended              // ctx has ended
)

// drive takes steps until done, until ctx has ended, or until there are none. Several goroutines may
// drive; the baton sees to it that they take turns.
func (s *Scheduler) drive(ctx context.Context, done <-chan struct{}, steps int) how {
	for {
		select {
		case <-done:
			return arrived
		default:
		}
		if ctx.Err() != nil {
			return ended
		}
		if steps == 0 {
			return drained
		}
		put := s.begin()
		if put == nil {
			if s.stopped() || !s.goOn() {
				return drained
			}
			continue
		}
		steps--
		select {
		case <-put:
		case <-ctx.Done():
			select {
			case <-put:
			case <-time.After(patience):
				return ended
			}
		}
	}
}

// begin hands the baton to whoever is chosen, and returns a channel that is closed when it is put
// down again; or nil if nobody can run. If somebody has the baton already, it waits for that.
func (s *Scheduler) begin() (put <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holder != nil {
		return s.put
	}
	s.lookAtWaits()
	if len(s.ready) == 0 || s.most > 0 && s.steps == s.most {
		if len(s.ready) > 0 && s.failure == nil {
			s.failure = ErrTooManySteps
		}
		return nil
	}
	i := s.choices.among(len(s.ready))
	t := s.ready[i]
	s.ready = slices.Delete(s.ready, i, i+1)
	s.steps++
	s.put = make(chan struct{})
	if t.wait != nil {
		s.tell(Resume, t.wait.task.label)
		s.resume(t.wait)
		return s.put
	}
	s.holder = s.newTask(t.work)
	s.tell(Begin, s.holder.label)
	go s.holder.run(t.work)
	return s.put
}

// putDown takes the baton from t, if t has it; mu is held.
func (s *Scheduler) putDown(t *task) bool {
	if s.holder != t {
		return false
	}
	s.holder = nil
	close(s.put)
	return true
}

// goOn finds something that can happen although nothing can run, and reports whether there was anything.
func (s *Scheduler) goOn() bool {
	if s.outside > 0 {
		return s.worldMoves(s.outside) || s.passTime() || s.endBlock() || s.breakDeadlock()
	}
	return s.passTime() || s.endBlock() || s.worldMoves(grace) || s.breakDeadlock()
}

// passTime lets the earliest timer expire.
func (s *Scheduler) passTime() bool {
	at, ok := s.clock.Next()
	if !ok {
		return false
	}
	t := s.clock.Due(at)
	if t == nil {
		return true // it was stopped in this moment
	}
	s.mu.Lock()
	s.tell(Expire, label(t.OnExpire))
	s.mu.Unlock()
	t.OnExpire.Expire(t)
	return true
}

// stopped reports whether the limit of steps has been reached.
func (s *Scheduler) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most > 0 && s.steps == s.most
}

// worldMoves waits for what is not simulated, and reports whether there is something to run now.
func (s *Scheduler) worldMoves(d time.Duration) bool {
	time.Sleep(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookAtWaits()
	return len(s.ready) > 0
}

// driver is a goroutine outside of the simulation, as it is seen in a context that it made.
type driver struct{ of *Scheduler }

// Scheduler implements [schedulers.Worker].
func (d *driver) Scheduler() schedulers.Scheduler { return d.of }

// ID implements [schedulers.Worker]. It is that of no worker that runs work.
func (*driver) ID() int { return math.MaxInt32 }

// Pump implements [schedulers.Pumper] by driving the simulation until done.
func (d *driver) Pump(ctx context.Context, _ schedulers.Scheduler, done <-chan struct{}) error {
	return d.of.RunUntil(ctx, done)
}

// Block drives the simulation to its end. What has not happened then never will.
func (d *driver) Block() (unblock func(), err error) {
	d.of.drive(context.Background(), nil, forever)
	return nil, d.of.deadlock()
}
