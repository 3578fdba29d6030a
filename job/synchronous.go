package job

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// # Continuations that run where their antecedent ran
//
// Completing a job runs no user code: the completer may hold a lock, or be deep in a
// stack. One completer is different: the worker that has just run the job's function. It
// holds no lock and its stack is flat, so a continuation made with [RunSynchronously]
// can run there.
//
// So these continuations have a separate list, which only the worker treats specially;
// all other completers treat it like the main list.
//
// A continuation that runs this way completes too, and may have synchronous
// continuations itself, in a chain of a million. So they are not called from within each
// other: the outermost worker has a queue, and a continuation that becomes runnable
// while it works goes to the end of that queue.

// queue holds the continuations that the outermost worker will run next. It is passed as
// the worker of a delivery, and so reaches the delivered targets.
type queue struct {
	worker schedulers.Worker
	list   []*core
	next   int
}

func (q *queue) push(c *core) { q.list = append(q.list, c) }

func (q *queue) pop() *core {
	if q.next == len(q.list) {
		return nil
	}
	c := q.list[q.next]
	q.list[q.next] = nil
	q.next++
	if q.next == len(q.list) {
		q.list, q.next = q.list[:0], 0 // a chain needs one element, however long it is
	}
	return c
}

// run runs the queued continuations until none is left. If one of them calls
// runtime.Goexit, this goroutine ends, and the others are submitted to their schedulers.
func (q *queue) run() {
	empty := false
	defer func() {
		for !empty {
			if c := q.pop(); c != nil {
				c.submitResumed(q.worker)
			} else {
				empty = true
			}
		}
	}()
	for c := q.pop(); c != nil; c = q.pop() {
		c.run(q.worker, q)
	}
	empty = true
}

// runSynchronous notifies the synchronous continuations of a job whose function was run
// by worker.
func (e *extra) runSynchronous(worker schedulers.Worker, q *queue) {
	waiters := e.synchronous.Complete()
	switch {
	case waiters == continuation.Chain{}:
	case q != nil:
		waiters.Deliver(q)
	default:
		q = &queue{worker: worker}
		waiters.Deliver(q)
		q.run()
	}
}

// addSynchronous adds n to the synchronous continuations; false: the job has ended.
//
// The completer of a job reads its extra part after publishing the outcome, and may find
// none. So addSynchronous checks the outcome after adding: one of the two sees the other.
func (c *core) addSynchronous(n *continuation.Node) bool {
	r := c.ensureExtra()
	if !r.synchronous.Add(n) {
		return false
	}
	return !c.isCompleted() || !r.synchronous.Remove(n)
}

// Scheduler implements schedulers.Worker.
func (q *queue) Scheduler() schedulers.Scheduler {
	if q.worker == nil {
		return nil
	}
	return q.worker.Scheduler()
}

// ID implements schedulers.Worker.
func (q *queue) ID() int {
	if q.worker == nil {
		return 0
	}
	return q.worker.ID()
}
