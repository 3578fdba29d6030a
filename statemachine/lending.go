package statemachine

import (
	"sync"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/schedulers"
)

// # Where a resumed chain gets its Run
//
// A Run has some hundred bytes, none of which a suspended chain needs. A million
// sleeping chains would have a million Runs, of which perhaps two are in use. A Run
// cannot be on the stack of the resuming goroutine either: frames are called through an
// interface, and a pointer that is passed to an interface method escapes to the heap.
// Allocating a Run for each resumption would cost as much as the resumption.
//
// So Runs are lent. A worker that has room for it ([schedulers.Keeper]) keeps a lender:
// some Runs that already know the worker. The lender needs no lock, since only the
// worker's goroutine uses it; a chain that runs an awaited job within its own run gets
// the next Run. One store for all workers (a sync.Pool, which other callers use; see
// below) costs 13 ns per resumption, half of its cost.
//
// A Run that is not returned (because runtime.Goexit ended its goroutine) is garbage,
// and the lender makes another.

// lender lends Runs to the chains on one worker.
type lender struct {
	on      schedulers.Worker
	leaving schedulers.Worker // on, in the form to use where its current work ends
	free    *Run
	pooled  *pooledRun // the one Run that it has, and itself; nil: it is in a worker's room
}

// moveTo makes p the lender of the worker on.
func (p *lender) moveTo(on schedulers.Worker) {
	p.on, p.leaving = on, on
	if l, ok := on.(schedulers.Leaver); ok {
		p.leaving = l.Leaving()
	}
}

// pooledRun is a Run with its own lender, kept in a pool.
type pooledRun struct {
	Run
	at lender

	// For a function that has suspended in its first step; see spawned.go.
	begun *chain
	first *Frame // the one that took the step
	by    interface{ endAt(end any) }
}

var pooledRuns = sync.Pool{New: func() any { return newPooled() }}

func newPooled() *pooledRun {
	l := new(pooledRun)
	l.lender, l.at.pooled = &l.at, l
	return l
}

// borrow returns a Run for the worker on, which the caller runs on. giveBack ends the loan.
func borrow(on schedulers.Worker) *Run {
	k, ok := on.(schedulers.Keeper)
	if !ok {
		return borrowPooled(on)
	}
	room := k.Room()
	if room == nil {
		return borrowPooled(on)
	}
	p, ok := (*room).(*lender)
	if !ok {
		if *room != nil {
			return borrowPooled(on) // another chain uses it
		}
		p = new(lender)
		p.moveTo(on)
		*room = p
	}
	t := p.free
	if t == nil {
		return &Run{lender: p}
	}
	p.free = t.next
	return t
}

// borrowPooled is borrow for a worker that has no room, or that the caller may not run on.
func borrowPooled(on schedulers.Worker) *Run {
	l, _ := pooledRuns.Get().(*pooledRun)
	l.at.moveTo(on)
	return &l.Run
}

// moveOn returns the Run that continues a suspended first step on the worker on: l, which has
// kept the needed state, or one of the worker's own Runs. For spent see jobcore.Awaiting.
func (l *pooledRun) moveOn(on schedulers.Worker, spent uint8) *Run {
	rest := &l.Run
	if spent&jobcore.Unproven != 0 {
		l.at.moveTo(on)
	} else {
		rest = borrow(on)
		rest.top, rest.awaiting, rest.timers, rest.holder = l.top, l.awaiting, l.timers, l.holder
		rest.ready = l.ready
		l.giveBack()
	}
	if rest.runs = int32(spent &^ jobcore.Unproven); rest.runs > 0 {
		rest.runs |= nested
	}
	return rest
}

// spent returns the argument spent for a job that is run within this run.
func (r *Run) spent() uint8 {
	if r.lender.pooled != nil {
		return uint8(r.runs) | jobcore.Unproven
	}
	return uint8(r.runs)
}

// giveBack ends the loan of r, whose chain has suspended or ended. It drops all
// references to the chain.
func (r *Run) giveBack() {
	r.top, r.awaiting, r.runs, r.ready = nil, nil, 0, 0
	r.unwatch()
	if r.last != nil || r.timers != nil || r.failure != nil || r.raised != nil || r.holder != nil || r.labels != nil {
		r.last, r.timers, r.failure, r.raised, r.holder = nil, nil, nil, nil, nil
		r.leaveLabels()
	}
	p := r.lender
	if p.pooled != nil {
		p.moveTo(nil)
		pooledRuns.Put(p.pooled)
		return
	}
	if r.next != p.free {
		r.next = p.free
	}
	p.free = r
}

// Worker returns the worker on which the machine runs, or nil if that is not known. It
// is a hint.
func (r *Run) Worker() schedulers.Worker {
	if r.lender == nil {
		return nil
	}
	return r.lender.on
}

// leaving returns the worker in the form to use where the chain ends or suspends, which
// also ends the work that the chain runs in. It is nil during a hot start.
func (r *Run) leaving() schedulers.Worker {
	switch {
	case r.lender == nil:
		return nil
	case r.runs&nested == 0:
		return r.lender.leaving
	default:
		return r.lender.on
	}
}
