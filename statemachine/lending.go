package statemachine

import (
	"sync"

	"github.com/movenext/movenext/internal/dispatch"
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
// So Runs are lent. A worker that has room for it ([dispatch.Keeper]) keeps a runCache:
// some Runs that already know the worker. The cache needs no lock, since only the
// worker's goroutine uses it; a chain that runs an awaited job within its own run gets
// the next Run. One store for all workers (a sync.Pool, which other callers use; see
// below) costs 13 ns per resumption, half of its cost
// (BenchmarkSuspendAndResume).
//
// A Run that is not returned (because runtime.Goexit ended its goroutine) is garbage,
// and the cache makes another.

// runCache lends Runs to the chains on one worker.
type runCache struct {
	worker  schedulers.Worker
	leaving schedulers.Worker // on, in the form to use where its current work ends
	free    *Run
	pooled  *pooledRun // the one Run that it has, and itself; nil: it is in a worker's room

	// The worker, if it is surely this goroutine's and can say what it would run next; see
	// handover.go.
	successor dispatch.Successor
}

// moveTo makes l the cache of worker.
func (l *runCache) moveTo(worker schedulers.Worker) {
	l.worker, l.leaving = worker, worker
	if leaver, ok := worker.(dispatch.Leaver); ok {
		l.leaving = leaver.Leaving()
	}
	if l.pooled == nil {
		l.successor, _ = worker.(dispatch.Successor)
	}
}

// pooledRun is a Run with its own cache, kept in a pool.
type pooledRun struct {
	Run
	ownCache runCache

	// For a function that has suspended in its first step; see spawned.go.
	firstChain *chain
	firstFrame *Frame // the one that took the step
	spawned    *spawnedChain
}

var pooledRuns = sync.Pool{New: func() any { return newPooled() }}

func newPooled() *pooledRun {
	p := new(pooledRun)
	p.cache, p.ownCache.pooled = &p.ownCache, p
	return p
}

// borrow returns a Run for worker, on which the caller runs. giveBack ends the loan.
func borrow(worker schedulers.Worker) *Run {
	k, ok := worker.(dispatch.Keeper)
	if !ok {
		return borrowPooled(worker)
	}
	room := k.Room()
	if room == nil {
		return borrowPooled(worker)
	}
	l, ok := (*room).(*runCache)
	if !ok {
		if *room != nil {
			return borrowPooled(worker) // another chain uses it
		}
		l = new(runCache)
		l.moveTo(worker)
		*room = l
	}
	r := l.free
	if r == nil {
		return &Run{cache: l}
	}
	l.free = r.nextFree
	return r
}

// borrowPooled is borrow for a worker that has no room, or that the caller may not run on.
func borrowPooled(worker schedulers.Worker) *Run {
	p, _ := pooledRuns.Get().(*pooledRun)
	p.ownCache.moveTo(worker)
	return &p.Run
}

// moveOn returns the Run that continues a suspended first step on worker: p, which has kept
// the needed state, or one of the worker's own Runs. For spent see jobcore.Awaiting.
func (p *pooledRun) moveOn(worker schedulers.Worker, spent uint8) *Run {
	r, runs := &p.Run, p.runs
	if spent&jobcore.Unproven != 0 {
		p.ownCache.moveTo(worker)
	} else {
		r = borrow(worker)
		r.top, r.awaiting, r.holder, r.ready = p.top, p.awaiting, p.holder, p.ready
		r.clock, r.pause = p.clock, p.pause
		p.giveBack()
	}
	r.runs = runs + int32(spent&^jobcore.Unproven)
	if spent != 0 {
		r.runs |= nested
	}
	return r
}

// spent returns the argument spent for a job that is run within this run.
func (r *Run) spent() uint8 {
	if r.cache.pooled != nil {
		return uint8(r.runs) | jobcore.Unproven
	}
	return uint8(r.runs)
}

// giveBack ends the loan of r, whose chain has suspended or ended. It drops all
// references to the chain. r keeps no other chain.
func (r *Run) giveBack() {
	r.top, r.awaiting, r.runs, r.ready = nil, nil, 0, 0
	r.unwatch()
	if r.hasMore() {
		r.dropMore()
	}
	l := r.cache
	if l.pooled != nil {
		l.moveTo(nil)
		pooledRuns.Put(l.pooled)
		return
	}
	if r.nextFree != l.free {
		r.nextFree = l.free
	}
	l.free = r
}

// hasMore reports whether r has any of the references to its chain that few runs have. It is
// separate from dropMore, so that gc inlines it.
func (r *Run) hasMore() bool {
	return r.last != nil || r.clock != nil || r.failure != nil || r.raised != nil || r.holder != nil || r.labels != nil
}

// dropMore drops them.
func (r *Run) dropMore() {
	r.last, r.clock, r.failure, r.raised, r.holder = nil, nil, nil, nil, nil
	r.removeLabels()
}

// Worker returns the worker on which the machine runs, or nil if that is not known. It
// is a hint.
func (r *Run) Worker() schedulers.Worker {
	if r.cache == nil {
		return nil
	}
	return r.cache.worker
}

// leaving returns the worker in the form to use where the chain ends or suspends, which
// also ends the work that the chain runs in. It is nil during a hot start.
func (r *Run) leaving() schedulers.Worker {
	switch {
	case r.cache == nil:
		return nil
	case r.runs&nested == 0:
		return r.cache.leaving
	default:
		return r.cache.worker
	}
}
