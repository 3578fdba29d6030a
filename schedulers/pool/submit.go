package pool

import (
	"context"
	"fmt"
	"slices"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// # The way of a work item into the pool
//
//	Submit ─┬─▶ worker.push      the queue of the worker that submits, without the pool's lock
//	        ├─▶ submitGlobal     the inbox, under its own lock
//	        ├─▶ submitYielding   the loop of its worker, without a queue
//	        └─▶ submitLocked     under the pool's lock: a goroutine of its own, the global queue,
//	                             or what WhenFull says
//
// What has to start a worker ends in dispatch; idle.go says why no work is forgotten.

// Submit accepts w, or refuses it: with [schedulers.ErrShutdown] after Shutdown has
// been called, and with [schedulers.ErrRejected] if w is nil. It never blocks and never
// runs w itself, unless [QueueLimit] says so.
//
// Work whose hint names a worker of this pool goes to that worker's local queue, unless
// the hint asks for fairness; all other work goes to the global queue. Work flagged as
// long-running immediately gets its own goroutine.
func (p *Pool) Submit(w schedulers.Work, hint schedulers.Hint) error {
	if w == nil {
		p.refused.Add(1)
		return fmt.Errorf("pool: work is nil: %w", schedulers.ErrRejected)
	}
	if probe.On(probe.Events) {
		p.tellSubmission(schedulers.Submitted, w, hint)
	}
	if hint.Flags.Has(schedulers.LongRunning) || p.bound != nil {
		return p.submitLocked(w, hint)
	}
	from := p.ownWorker(hint.From)
	if from == nil {
		return p.submitGlobal(w, hint)
	}
	leaves := hint.From == schedulers.Worker(&from.leaving)
	if hint.Flags.Has(schedulers.PreferFairness) {
		if leaves && !from.mayHaveWork.Load() {
			return p.submitYielding(w, from, hint)
		}
		return p.submitGlobal(w, hint)
	}
	accepted, wasEmpty := from.push(w)
	if !accepted {
		return p.submitGlobal(w, hint)
	}
	if !wasEmpty || !leaves {
		p.dispatchLocal(wasEmpty, hint)
	}
	return nil
}

// dispatchLocal makes sure that work pushed to a local queue is run. wasEmpty reports that the
// queue was empty before.
func (p *Pool) dispatchLocal(wasEmpty bool, hint schedulers.Hint) {
	if !p.needsDispatch.Load() || p.pingPong.leaveToWorker(wasEmpty, hint) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if wasEmpty && hint.Flags.Has(schedulers.Resumed) {
		p.pingPong.watch(p)
	}
	p.dispatch()
}

// submitGlobal puts w into the global queue: into its newer part if, as far as is known, no
// worker has to be started.
func (p *Pool) submitGlobal(w schedulers.Work, hint schedulers.Hint) error {
	if p.needsDispatch.Load() || p.overLimit.Load() {
		return p.submitLocked(w, hint)
	}
	if !p.inbox.accept(w) {
		return p.refuse(w, hint, schedulers.ErrShutdown)
	}
	p.setCheckGlobal()
	if p.needsDispatch.Load() { // set a moment ago
		p.mu.Lock()
		p.dispatch()
		p.mu.Unlock()
	}
	return nil
}

// submitLocked submits work for which the lock has to be taken.
func (p *Pool) submitLocked(w schedulers.Work, hint schedulers.Hint) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.shutdown.Begun():
		return p.refuse(w, hint, schedulers.ErrShutdown)
	case hint.Flags.Has(schedulers.LongRunning):
		p.beginApart()
		interleave.Go(func() { p.runApart(w, nil) })
		return nil
	case p.bound != nil && !hint.Flags.Has(schedulers.Resumed) && p.global.Len() >= p.bound.limit:
		return p.submitToFull(w, hint)
	}
	p.post(w)
	return nil
}

// submitYielding submits work that yields, as the last action of that work on from, whose local
// queue is empty; see yield.go.
func (p *Pool) submitYielding(w schedulers.Work, from *worker, hint schedulers.Hint) error {
	if !p.checkGlobal.Load() && from.repeat(w) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.shutdown.Begun():
		return p.refuse(w, hint, schedulers.ErrShutdown)
	case p.anyGlobal():
		p.post(w)
	case from.repeat(w):
		p.checkGlobal.Store(false)
		if p.anyGlobal() {
			p.setCheckGlobal()
		}
	default:
		p.enqueue(w) // from searches there in a moment; no worker has to be woken
	}
	return nil
}

// post puts w into the global queue and makes sure that it is run; mu is held.
func (p *Pool) post(w schedulers.Work) {
	p.enqueue(w)
	if p.needsDispatch.Load() || p.capacity.waiting > 0 { // else there is nothing to dispatch
		p.dispatch()
	}
}

func (p *Pool) enqueue(w schedulers.Work) {
	p.count.accepted++
	p.put(w)
}

// put is enqueue for work that the pool has already accepted.
func (p *Pool) put(w schedulers.Work) {
	p.inbox.moveTo(&p.global)
	p.global.PushBack(w)
	p.setCheckGlobal()
}

// submitToFull submits w to a full queue, as [WhenFull] says. mu is held, but not while w
// waits or runs.
func (p *Pool) submitToFull(w schedulers.Work, hint schedulers.Hint) error {
	switch p.bound.full {
	case Block:
		return p.awaitSpace(w, hint)
	case CallerRuns:
		p.beginApart()
		p.mu.Unlock()
		defer p.mu.Lock()
		var on schedulers.Worker
		if own := p.ownWorker(hint.From); own != nil {
			on = own
		}
		p.runApart(w, on)
		return nil
	default:
		return p.refuse(w, hint, fmt.Errorf("pool: the queue is full (%d): %w", p.bound.limit, schedulers.ErrRejected))
	}
}

// awaitSpace waits until w is queued or refused. mu is held, but not during the wait.
func (p *Pool) awaitSpace(w schedulers.Work, hint schedulers.Hint) error {
	s := &submission{work: w, hint: hint, decided: make(chan struct{})}
	p.bound.waiting = append(p.bound.waiting, s)
	err := p.awaitDecision(s, hint.From)
	if i := slices.Index(p.bound.waiting, s); i >= 0 { // its worker must not wait
		p.bound.waiting = slices.Delete(p.bound.waiting, i, i+1)
		return p.refuse(w, hint, fmt.Errorf("pool: the queue is full (%d), and waiting for room: %w: %w",
			p.bound.limit, err, schedulers.ErrRejected))
	}
	return s.err
}

// awaitDecision waits without mu. If other work that runs on top of this wait calls
// runtime.Goexit, the submitter is gone, and its submission keeps its place.
//
// The wait is announced only to the worker below all shims, so that a strand does not give
// its turn away in the middle of a Submit.
func (p *Pool) awaitDecision(s *submission, caller schedulers.Worker) error {
	p.mu.Unlock()
	defer p.mu.Lock()
	if caller == nil {
		caller = schedulers.Here()
	}
	if own := p.ownWorker(caller); own != nil {
		caller = own
	}
	return schedulers.Wait(context.Background(), shim.Beneath(caller), nil, s.decided)
}

// beginApart counts work that is never queued; mu is held.
func (p *Pool) beginApart() {
	p.count.accepted++
	p.count.apart++
	p.count.alive++
}

// runApart runs work that was never queued on the calling goroutine: its own, if the work is
// long-running, and else that of its submitter, which runs on the worker on. A goroutine of its
// own is not a worker: it has no queue and no ID, and the work receives a nil worker. Shutdown
// waits for either.
func (p *Pool) runApart(w schedulers.Work, on schedulers.Worker) {
	runloop.Once(p, w, on, func(panicked bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.count.apart--
		p.count.apartDone++
		if panicked {
			p.count.apartPanicked++
		}
		p.count.alive--
		p.finish()
	})
}

// refuse counts and reports refused work, and returns the reason.
func (p *Pool) refuse(w schedulers.Work, hint schedulers.Hint, reason error) error {
	p.refused.Add(1)
	if probe.On(probe.Events) {
		p.tellSubmission(schedulers.Refused, w, hint)
	}
	return reason
}

// tellSubmission reports that w is submitted, or refused.
func (p *Pool) tellSubmission(k schedulers.EventKind, w schedulers.Work, hint schedulers.Hint) {
	if !dispatch.Hears(w) {
		return
	}
	e := schedulers.Event{Kind: k, Scheduler: p, Work: w}
	if from := p.ownWorker(hint.From); from != nil {
		e.Worker = from.id
		if k == schedulers.Submitted && p.bound == nil && hint.Flags&(schedulers.PreferFairness|schedulers.LongRunning) == 0 {
			e.Queue = from.id
		}
	}
	schedulers.Tell(e)
}
