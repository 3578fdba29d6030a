package parallel

import (
	"context"
	"sync/atomic"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// asyncLoop is an operation whose bodies return jobs.
//
// # Lanes
//
// There is one lane for each body that is under way. A lane calls the body for an item.
// Until the job that the body returned has ended, the lane is a continuation of that job and
// holds neither a worker nor a goroutine: a thousand lanes are a thousand small objects.
//
//	            calls the body
//	submitted ──▶ running ──job is not complete──▶ waiting
//	    ▲            │                                │ the job has ended
//	    │            ▼                                ▼
//	    └─────── wants an item ◀──────────────────────┘
//	                 │ none left, or stopped
//	                 ▼
//	               gone
//
// Between waiting and submitted no user function runs: the goroutine that completes the
// job records the outcome and finds the next item.
//
// # Where items come from
//
// Lanes take the items of a slice themselves: an index costs one atomic addition. Each lane
// starts another when it has got an item, up to the degree, so few items start few lanes.
//
// A sequence has its own goroutine, and that goroutine must wait for a lane, not the
// other way round: otherwise a slow sequence would hold one worker for each lane that
// wants an item. The goroutine takes a lane that wants an item, makes a new one if there
// is none and the degree allows it, or waits (feeder.go).
//
// # Ends
//
// live counts the participants that can still make progress: lanes with a body under
// way, and the feeder or the starter. The last one completes the job. Since a lane
// counts until it has seen the end of its job, all bodies have ended by then.
type asyncLoop[T, R any] struct {
	operation
	ctx      context.Context // of all bodies: they continue wherever their jobs let them
	body     func(ctx context.Context, item T) *job.Job[R]
	keep     func(i int, result R) // nil: results are not wanted
	complete func(err error) continuation.Chain
	items    itemSource[T, R]

	live atomic.Int64
}

// itemSource gives items to lanes.
type itemSource[T, R any] interface {
	// feed begins to give.
	feed()

	// next gives the lane another item and returns true. Or it takes the lane back and
	// returns false: the lane then belongs to the source.
	next(l *lane[T, R]) bool

	// beforeBody is called when a lane has got an item and is about to call the body.
	beforeBody(on schedulers.Worker)

	// afterBodies is called when a lane has no body under way any more.
	afterBodies()
}

// launch starts the operation with one live participant, the source.
func (a *asyncLoop[T, R]) launch(ctx context.Context) error {
	if err := a.begin(ctx); err != nil {
		return err
	}
	a.ctx = &bodyContext{&a.operation, nil}
	a.live.Store(1)
	a.items.feed()
	return nil
}

// leave counts one participant less. The last one completes the job; the caller delivers
// the chain.
func (a *asyncLoop[T, R]) leave() continuation.Chain {
	if a.live.Add(-1) > 0 {
		return continuation.Chain{}
	}
	goexit, err := a.outcome()
	if goexit && err == nil {
		err = job.ErrGoexit
	}
	a.end()
	return a.complete(err)
}

// submit makes a lane run on the scheduler. If the scheduler refuses, the
// operation has failed.
func (a *asyncLoop[T, R]) submit(l *lane[T, R], from schedulers.Worker) continuation.Chain {
	hint := schedulers.Hint{From: from}
	if l.began {
		hint.Flags = schedulers.Resumed
	}
	if err := schedulers.TrySubmit(a.home, l, hint); err != nil {
		a.fail(err)
		return a.retire()
	}
	return continuation.Chain{}
}

// retire counts one lane less.
func (a *asyncLoop[T, R]) retire() continuation.Chain {
	a.items.afterBodies()
	return a.leave()
}

// lane runs one body at a time.
type lane[T, R any] struct {
	loop *asyncLoop[T, R]
	node continuation.Node

	// Used by the lane's current holder: the source, the scheduler, the goroutine in
	// Run, or the job.

	item  T
	index int // of the item; none: it has no item yet
	job   *job.Job[R]
	began bool // it has run before
}

const none = -1

// Run implements schedulers.Work.
func (l *lane[T, R]) Run(on schedulers.Worker) {
	a, returned := l.loop, false
	a.label()
	defer a.unlabel()
	var waiters continuation.Chain
	defer func() {
		if !returned {
			waiters = a.retire()
		}
		waiters.Deliver(on)
	}()
	returned = a.contained(func() { waiters = l.work(on) })
}

// Abandon implements schedulers.Work.
func (l *lane[T, R]) Abandon(reason error) {
	l.loop.fail(reason)
	l.loop.retire().Deliver(nil)
}

// work calls the body for one item after the other, until the body returns a job that is
// not complete, or no item is left.
func (l *lane[T, R]) work(on schedulers.Worker) continuation.Chain {
	a := l.loop
	l.began = true
	if l.index == none && !a.items.next(l) {
		return a.retire()
	}
	for a.continues() {
		a.items.beforeBody(on)
		var empty T
		item := l.item
		l.item = empty
		j := a.body(a.ctx, item)
		if j == nil {
			a.fail(job.ErrNilJob)
			break
		}
		l.job = j
		l.node.Prepare(l)
		if j.Register(&l.node) {
			return continuation.Chain{} // from now on the job owns l
		}
		l.note()
		if !a.items.next(l) {
			break
		}
	}
	return a.retire()
}

// Completed implements continuation.Target: the lane's job has ended.
func (l *lane[T, R]) Completed(from schedulers.Worker) continuation.Chain {
	a := l.loop
	l.note()
	if a.items.next(l) {
		return a.submit(l, from)
	}
	return a.retire()
}

// note records the outcome of the lane's job.
func (l *lane[T, R]) note() {
	result, err := l.job.GetResult()
	l.job = nil
	if err != nil {
		l.loop.fail(err)
	} else if l.loop.keep != nil {
		l.loop.keep(l.index, result)
	}
}
