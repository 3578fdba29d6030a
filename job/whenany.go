package job

import (
	"sync"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// WhenAny returns a job that completes with the first of jobs to end, in whatever way;
// of several that have ended already, the first in the order given. The others go on and
// keep nothing of the WhenAny. It never fails by itself: ask the job it yields.
//
// Without jobs it has faulted with [ErrNoJobs]. Jobs that are Created are
// started. A nil job counts as one that has ended.
func WhenAny[T any](jobs ...*Job[T]) *Job[*Job[T]] {
	if len(jobs) == 0 {
		return FromError[*Job[T]](ErrNoJobs)
	}
	w := &whenAny[T]{jobs: append([]*Job[T](nil), jobs...)}
	w.promise.Init()
	w.start()
	return w.promise.Job()
}

type whenAny[T any] struct {
	promise Promise[*Job[T]]
	jobs    []*Job[T]
	nodes   []anyNode[T]

	// mu protects what follows: the winner may come while the last are still
	// being registered, and must take exactly those back that are. Nodes are
	// taken back outside of it: that may deliver nodes of other jobs, whose
	// targets have locks of their own.
	mu         sync.Mutex
	registered int
	won        bool
}

type anyNode[T any] struct {
	continuation.Node
	of    *whenAny[T]
	index int
}

// start registers with one job after the other, until one has ended.
func (w *whenAny[T]) start() {
	w.nodes = make([]anyNode[T], len(w.jobs))
	for i, j := range w.jobs {
		n := &w.nodes[i]
		n.of, n.index = w, i
		n.Prepare(n)
		if j == nil || !j.register(&n.Node) {
			w.first(i).Deliver(nil)
			return
		}
		if !w.noteRegistered(i + 1) {
			w.takeBack(i)
			return
		}
	}
}

// noteRegistered says that the first n jobs are registered; false: there is a
// winner, who has taken back those before the last.
func (w *whenAny[T]) noteRegistered(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.won {
		w.registered = n
	}
	return !w.won
}

// first makes job i the winner, unless there is one, and takes the others back.
func (w *whenAny[T]) first(i int) continuation.Chain {
	w.mu.Lock()
	late, registered := w.won, w.registered
	w.won = true
	w.mu.Unlock()
	if late {
		return continuation.Chain{}
	}
	for k := range registered {
		if k != i {
			w.takeBack(k)
		}
	}
	told, _ := w.promise.try(Completed, w.jobs[i], nil)
	return told
}

func (w *whenAny[T]) takeBack(k int) { w.jobs[k].waiting.Remove(&w.nodes[k].Node) }

// Completed implements continuation.Target.
func (n *anyNode[T]) Completed(schedulers.Worker) continuation.Chain {
	return n.of.first(n.index)
}
