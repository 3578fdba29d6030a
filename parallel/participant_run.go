package parallel

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Run implements schedulers.Work.
func (s *participant) Run(on schedulers.Worker) {
	if !s.began {
		if !s.of.enter() {
			return
		}
		s.began = true
	}
	s.of.label()
	rest := s.step(on)
	s.of.unlabel()
	if rest != nil {
		rest.GoOn(s, on, 0)
	}
}

// Abandon implements schedulers.Work.
func (s *participant) Abandon(error) {
	if s.began {
		go s.Run(nil)
	}
}

// submit lets a participant that has begun continue on the scheduler.
func (s *participant) submit(from schedulers.Worker) {
	hint := schedulers.Hint{From: from, Flags: schedulers.Resumed}
	if schedulers.TrySubmit(s.of.home, s, hint) != nil {
		go s.Run(nil)
	}
}

// step calls the body until it suspends, or until nothing is left: nil.
func (s *participant) step(on schedulers.Worker) (rest suspension.Suspended) {
	returned := false
	var waiters continuation.Chain
	defer func() {
		if !returned {
			waiters = s.of.gone()
		}
		waiters.Deliver(on)
	}()
	defer s.of.contain(&returned)
	rest = s.work(on)
	if rest == nil {
		waiters = s.of.gone()
	}
	returned = true
	return rest
}

func (s *participant) work(on schedulers.Worker) suspension.Suspended {
	for s.claim() && s.of.goesOn() { // in this order, as in loop.work
		s.of.items.given(on)
		lo, hi := s.lo, s.hi
		if !s.whole {
			hi = lo + 1
		}
		s.lo = hi
		err := s.body(s.of.ctx, lo, hi)
		if rest := suspension.Of(err); rest != nil {
			return rest
		}
		if err != nil {
			s.of.fail(err)
			return nil
		}
	}
	return nil
}

// claim reports whether the participant has an index, perhaps a new one.
func (s *participant) claim() bool { return s.lo != s.hi || s.of.items.next(s) }

// Return implements suspension.Ender: the body has returned.
func (s *participant) Return(_ job.Void, err error) continuation.Chain {
	s.err, s.thrown = err, false
	s.node.Prepare(s)
	return continuation.Only(&s.node)
}

// Fault implements suspension.Ender: the body has not returned.
func (s *participant) Fault(err error) continuation.Chain {
	s.err, s.thrown = err, true
	s.node.Prepare(s)
	return continuation.Only(&s.node)
}

// Handle implements suspension.Ender.
func (s *participant) Handle() any { return s.of.promised().Job() }

// Completed implements continuation.Target: the body has ended.
func (s *participant) Completed(from schedulers.Worker) (waiters continuation.Chain) {
	err := s.err
	s.err = nil
	switch p, panicked := err.(*job.PanicError); {
	case s.thrown && panicked:
		s.of.crashed(p)
	case s.thrown && err == job.ErrGoexit:
		s.of.exited()
	case err != nil:
		s.of.fail(err)
	case s.claim():
		s.submit(from)
		return waiters
	}
	return s.of.gone()
}
