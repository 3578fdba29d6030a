package simulation

import (
	"context"
	"math"
	"time"

	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/schedulers"
)

// burst is a sequence of steps on behalf of one driver.
//
// Asking the driver after each step whether to take another would cost two
// goroutine switches a step. So the goroutine that has the baton takes the next
// step itself, with a call:
//
//	driver          runner 1              runner 2
//	open ─────────▶ step, step, step
//	                its work waits ─────▶ step, step
//	                                      the chosen turn is the wait of runner 1: end
//	                work continues ◀──────
//	                step, step
//	   ◀─────────── over
//
// At each moment of a burst one runner has the baton. It gives it up in two ways: its
// work waits, and a new runner begins; or it has chosen a turn of another goroutine,
// and ends.
//
// Several goroutines may drive; one has a burst at a time, the others wait for its end.
type burst struct {
	ctx  context.Context
	done <-chan struct{}
	ends bool          // one of the two may end it
	over chan struct{} // closed at the end

	// Guarded by Scheduler.mu until over is closed, and the driver's after.
	stepsLeft int
	lastStep  bool       // the step that runs is the last one
	noneReady bool       // nothing can run
	stopped   bool       // what the driver waits for has happened
	reason    stopReason // valid if stopped
}

// open begins a burst and returns it, or returns another driver's current one.
func (s *Scheduler) open(ctx context.Context, done <-chan struct{}, steps int) (b *burst, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.burst != nil {
		return s.burst, false
	}
	ends := done != nil || ctx.Done() != nil
	s.burst = &burst{ctx: ctx, done: done, ends: ends, over: make(chan struct{}), stepsLeft: steps}
	s.newRunner()
	return s.burst, true
}

// standBy waits for the end of another driver's burst, or for what this driver waits
// for.
func (b *burst) standBy(ctx context.Context, done <-chan struct{}) (r stopReason, stop bool) {
	select {
	case <-b.over:
		return drained, false
	case <-done:
		return doneArrived, true
	case <-ctx.Done():
		return contextEnded, true
	}
}

// leave ends the burst of a driver whose context has ended, after the current step, for
// which the driver waits a while.
func (s *Scheduler) leave(b *burst) {
	s.mu.Lock()
	b.lastStep = true
	s.mu.Unlock()
	select {
	case <-b.over:
	case <-time.After(patience):
	}
}

// run is a runner: it takes steps for as long as it has the baton.
func (s *Scheduler) run() {
	labels.Clear()
	for {
		t, by := s.next()
		switch {
		case by != nil:
			if !by.run() {
				return
			}
		case !t.hole():
			timer := t.what.(*schedulers.Timer)
			timer.OnExpire.Expire(timer)
		default:
			return
		}
	}
}

// next chooses the next turn of the burst. A turn to continue is given away here;
// such a turn and the end of the burst return the zero turn. by is the worker for
// a work item.
func (s *Scheduler) next() (t turn, by *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.burst
	s.stepEnds()
	if b.ends {
		s.mu.Unlock() // a context may be a user's code
		r, stop := reasonToStop(b.ctx, b.done)
		s.mu.Lock()
		b.reason, b.stopped = r, stop
	}
	if b.stopped || b.lastStep || b.stepsLeft == 0 {
		return s.close(b), nil
	}
	s.collectEndedWaits()
	s.collectDueTimers()
	for s.possible() && !s.exhausted() {
		t, ok := s.choose()
		if ok && t.asleep {
			t, ok = s.wake(t)
		}
		if ok {
			return s.begin(b, t)
		}
	}
	b.noneReady = true
	return s.close(b), nil
}

// stepEnds does what is due after a step: it delivers the ends of contexts, with the
// option Settle it waits for the goroutines that the step has created, and it checks the
// invariants; mu is held, but not meanwhile.
func (s *Scheduler) stepEnds() {
	if s.settle {
		s.letWorldSettle()
	} else {
		s.deliverEnds()
	}
	if s.checked || !s.between.IsSet() {
		return
	}
	s.checked = true
	var err error
	s.mu.Unlock()
	s.between.Call(&err)
	s.mu.Lock()
	if err != nil {
		s.between = schedulers.Hook[*error]{}
		if s.failure == nil {
			s.failure = err
		}
	}
}

// possible reports whether there is anything to choose; mu is held.
func (s *Scheduler) possible() bool {
	if s.ready.len() > 0 || s.outside > 0 {
		return s.ready.len() > 0
	}
	return s.timerSet() || s.interrupt.IsSet()
}

// close ends the burst; mu is held.
func (s *Scheduler) close(b *burst) turn {
	s.burst = nil
	close(b.over)
	return turn{}
}

// exhausted reports whether the limit of steps is reached, and records the failure if
// more steps were possible; mu is held.
func (s *Scheduler) exhausted() bool {
	if s.maxSteps <= 0 || s.steps < s.maxSteps {
		return false
	}
	if s.possible() && s.failure == nil {
		s.failure = ErrTooManySteps
	}
	return true
}

// begin hands the baton to a chosen turn; mu is held.
func (s *Scheduler) begin(b *burst, t turn) (turn, *task) {
	s.checked, s.births.turns = false, s.actors.turns
	s.tell(t.kind, t)
	if t.kind == Expire || t.kind == Interrupted {
		return t, nil
	}
	b.stepsLeft--
	s.steps++
	s.slack = min(s.slack, math.MaxInt64-s.stepTime) + s.stepTime
	if t.kind == Resume {
		w := t.what.(*wait)
		s.holder, w.over = w.task, true
		close(w.resume)
		return turn{}, nil
	}
	s.holder = s.newTask(t)
	return t, s.holder
}

// wake lets a sleep expire whose turn was chosen, and returns the turn of the machine, which
// continues at once. It returns false if the machine was not submitted here: its home may be
// another scheduler, which holds it back. mu is held, but not while the sleep expires.
func (s *Scheduler) wake(t turn) (turn, bool) {
	s.tell(Expire, t)
	s.waking = true
	s.mu.Unlock()
	t.what.(sleeper).Expire(nil)
	s.mu.Lock()
	s.waking = false
	t, s.awake = s.awake, turn{}
	return t, !t.hole()
}

// choose makes a choice; mu is held. It returns false if the choice was to let time
// pass, after which another choice is due.
func (s *Scheduler) choose() (turn, bool) {
	n := s.ready.len()
	s.others = s.others[:0]
	if n == 0 && s.timerSet() || s.timerRaces() {
		s.others = append(s.others, Pass)
	}
	if s.interrupt.IsSet() {
		s.others = append(s.others, Interrupted)
	}
	i := s.choices.among(n+len(s.others), s.offer)
	switch {
	case i < n:
		return s.take(i), true
	case s.others[i-n] == Pass:
		s.passTime()
		return turn{}, false
	default:
		return turn{kind: Interrupted, what: &schedulers.Timer{OnExpire: s.takeInterrupt()}}, true
	}
}

// take removes the k-th ready turn, from 0 on, and returns it; mu is held.
func (s *Scheduler) take(k int) turn { return s.ready.remove(s.ready.find(k)) }
