package statemachine

import (
	"sync"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/schedulers"
)

// # Where a resumed chain gets its Run
//
// A Run has some hundred bytes, of which a suspended chain needs none. A million that
// sleep would have a million of them, and two are used at a time. It cannot lie on the
// stack of the resuming goroutine either: frames are called through an interface, and
// what is passed to an interface lies on the heap. Making one for each resumption would
// cost as much as the resumption.
//
// So they are lent. A worker that has room for that ([schedulers.Keeper]) keeps a
// lender: some Runs that know the worker already. It needs no lock, since only the
// goroutine that the worker is runs works on it; a chain that runs an awaited job
// within its own run finds the next one. One store for all workers (a sync.Pool, as the
// rest below have it) costs a resumption 13 ns, half of its cost.
//
// A Run that does not come back (runtime.Goexit ended its goroutine) is garbage, and
// the lender makes another.

// lender is where Runs are borrowed, and where they are used.
type lender struct {
	on      schedulers.Worker
	leaving schedulers.Worker // on, as it is named where its current work ends
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

// pooledRun is a Run with a lender of its own, which a pool keeps.
type pooledRun struct {
	Run
	at lender

	// What it is lent to a function for that has suspended in its first step; see
	// spawned.go.
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

// borrow returns a Run for the worker on, which the caller is. giveBack ends
// the loan.
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

// borrowPooled is borrow for a worker that has no room, or that the caller may not be.
func borrowPooled(on schedulers.Worker) *Run {
	l, _ := pooledRuns.Get().(*pooledRun)
	l.at.moveTo(on)
	return &l.Run
}

// moveOn returns the Run on the worker on that continues where a first step that
// suspended has ended: l, which has kept what that needs, or one of the worker's own.
// For spent see jobcore.Awaiting.
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

// spent is what a job is told that is run within this run.
func (r *Run) spent() uint8 {
	if r.lender.pooled != nil {
		return uint8(r.runs) | jobcore.Unproven
	}
	return uint8(r.runs)
}

// giveBack ends the loan of r, whose chain has suspended or ended: it keeps nothing of
// that alive.
func (r *Run) giveBack() {
	r.top, r.awaiting, r.runs, r.ready = nil, nil, 0, 0
	r.unwatch()
	if r.last != nil || r.timers != nil || r.outcome != nil || r.raised != nil || r.holder != nil || r.labels != nil {
		r.last, r.timers, r.outcome, r.raised, r.holder = nil, nil, nil, nil, nil
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

// leaving is the worker as it is named where the chain ends or suspends, and with it
// what it runs in. It is nil during a hot start.
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
