package statemachine

import (
	"sync"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/schedulers"
)

// # Where a resumed chain gets its Task
//
// A Task has some hundred bytes, of which a suspended chain needs none. A million that
// sleep would have a million of them, and two are used at a time. It cannot lie on the
// stack of the resuming goroutine either: frames are called through an interface, and
// what is passed to an interface lies on the heap. Making one for each resumption would
// cost as much as the resumption.
//
// So they are lent. A worker that has room for that ([schedulers.Keeper]) keeps a
// lender: some Tasks that know the worker already. It needs no lock, since only the
// goroutine that the worker is runs works on it; a chain that runs an awaited job
// within its own run finds the next one. One store for all workers (a sync.Pool, as the
// rest below have it) costs a resumption 13 ns, half of its cost.
//
// A Task that does not come back (runtime.Goexit ended its goroutine) is garbage, and
// the lender makes another.

// lender is where Tasks are borrowed, and run.
type lender struct {
	on      schedulers.Worker
	leaving schedulers.Worker // on, as it is named where its current work ends
	free    *Task
	pooled  *pooledTask // the one Task that it has, and itself; nil: it is in a worker's room
}

// moveTo makes p the lender of the worker on.
func (p *lender) moveTo(on schedulers.Worker) {
	p.on, p.leaving = on, on
	if l, ok := on.(schedulers.Leaver); ok {
		p.leaving = l.Leaving()
	}
}

// pooledTask is a Task with a lender of its own, which a pool keeps.
type pooledTask struct {
	Task
	at lender

	// What it is lent to a function for that has suspended in its first step; see
	// spawned.go.
	begun *chain
	first *Frame // the one that took the step
	by    interface{ endAt(end any) }
}

var pooledTasks = sync.Pool{New: func() any { return newPooled() }}

func newPooled() *pooledTask {
	l := new(pooledTask)
	l.lender, l.at.pooled = &l.at, l
	return l
}

// borrow returns a Task that runs on the worker on, which the caller is. giveBack ends
// the loan.
func borrow(on schedulers.Worker) *Task {
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
		return &Task{lender: p}
	}
	p.free = t.next
	return t
}

// borrowPooled is borrow for a worker that has no room, or that the caller may not be.
func borrowPooled(on schedulers.Worker) *Task {
	l, _ := pooledTasks.Get().(*pooledTask)
	l.at.moveTo(on)
	return &l.Task
}

// moveOn returns the Task on the worker on that continues where a first step that
// suspended has ended: l, which has kept what that needs, or one of the worker's own.
// For spent see jobcore.Awaiting.
func (l *pooledTask) moveOn(on schedulers.Worker, spent uint8) *Task {
	rest := &l.Task
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
func (t *Task) spent() uint8 {
	if t.lender.pooled != nil {
		return uint8(t.runs) | jobcore.Unproven
	}
	return uint8(t.runs)
}

// giveBack ends the loan of t, whose chain has suspended or ended: it keeps nothing of
// that alive.
func (t *Task) giveBack() {
	t.top, t.awaiting, t.runs, t.ready = nil, nil, 0, 0
	if t.last != nil || t.timers != nil || t.outcome != nil || t.raised != nil || t.holder != nil || t.labels != nil {
		t.last, t.timers, t.outcome, t.raised, t.holder = nil, nil, nil, nil, nil
		t.leaveLabels()
	}
	p := t.lender
	if p.pooled != nil {
		p.moveTo(nil)
		pooledTasks.Put(p.pooled)
		return
	}
	if t.next != p.free {
		t.next = p.free
	}
	p.free = t
}

// Worker returns the worker on which the machine runs, or nil if that is not known. It
// is a hint.
func (t *Task) Worker() schedulers.Worker {
	if t.lender == nil {
		return nil
	}
	return t.lender.on
}

// leaving is the worker as it is named where the chain ends or suspends, and with it
// what it runs in. It is nil during a hot start.
func (t *Task) leaving() schedulers.Worker {
	switch {
	case t.lender == nil:
		return nil
	case t.runs&nested == 0:
		return t.lender.leaving
	default:
		return t.lender.on
	}
}
