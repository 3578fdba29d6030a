package parallel

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Run implements schedulers.Work.
func (p *participant) Run(on schedulers.Worker) {
	if !p.began {
		if !p.participants.enter() {
			return
		}
		p.began = true
	}
	p.participants.label()
	rest := p.step(on)
	p.participants.unlabel()
	if rest != nil {
		rest.GoOn(p, on, 0)
	}
}

// Abandon implements schedulers.Work.
func (p *participant) Abandon(error) {
	if p.began {
		go p.Run(nil)
	}
}

// submit lets a participant that has begun continue on the scheduler.
func (p *participant) submit(from schedulers.Worker) {
	hint := schedulers.Hint{From: from, Flags: schedulers.Resumed}
	if schedulers.TrySubmit(p.participants.home, p, hint) != nil {
		go p.Run(nil)
	}
}

// step calls the body until it suspends, or until nothing is left: nil.
func (p *participant) step(on schedulers.Worker) (rest suspension.Suspended) {
	returned := false
	var waiters continuation.Chain
	defer func() {
		if !returned {
			waiters = p.participants.retire()
		}
		waiters.Deliver(on)
	}()
	returned = p.participants.contained(func() {
		if rest = p.work(on); rest == nil {
			waiters = p.participants.retire()
		}
	})
	return rest
}

func (p *participant) work(on schedulers.Worker) suspension.Suspended {
	for p.claim() && p.participants.continues() { // in this order, as in loop.work
		p.participants.items.beforeBody(on)
		lo, hi := p.lo, p.hi
		if !p.whole {
			hi = lo + 1
		}
		p.lo = hi
		err := p.body(p.participants.ctx, lo, hi)
		if rest := suspension.Of(err); rest != nil {
			return rest
		}
		if err != nil {
			p.participants.fail(err)
			return nil
		}
	}
	return nil
}

// claim reports whether the participant has an index, perhaps a new one.
func (p *participant) claim() bool { return p.lo != p.hi || p.participants.items.next(p) }

// Return implements suspension.Completer: the body has returned.
func (p *participant) Return(_ job.Void, err error) continuation.Chain {
	p.err, p.aborted = err, false
	p.node.Prepare(p)
	return continuation.Only(&p.node)
}

// Fault implements suspension.Completer: the body has not returned.
func (p *participant) Fault(err error) continuation.Chain {
	p.err, p.aborted = err, true
	p.node.Prepare(p)
	return continuation.Only(&p.node)
}

// Handle implements suspension.Completer.
func (p *participant) Handle() any { return &p.participants.endPromise().Job }

// Completed implements continuation.Target: the body has ended.
func (p *participant) Completed(from schedulers.Worker) (waiters continuation.Chain) {
	err := p.err
	p.err = nil
	cause, panicked := err.(*job.PanicError)
	if p.aborted && panicked {
		p.participants.stopForPanic(cause)
	}
	switch {
	case p.aborted && promise.Exits(err):
		p.participants.stopForGoexit()
	case p.aborted && panicked: // see above
	case err != nil:
		p.participants.fail(err)
	case p.claim():
		p.submit(from)
		return waiters
	}
	return p.participants.retire()
}
