package job

import (
	"errors"
	"sync/atomic"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// WhenAll returns a job that ends when all jobs have: with their results in the order given if
// all went well; Faulted with the errors of all that failed (canceled ones among
// them), joined in the order given, if one faulted; Canceled if some were canceled and none
// faulted. It does not stop at the first failure. The results that there are are
// kept in every case.
//
// Without jobs it has completed. Jobs that are Created are started, since whoever waits
// for all waits for each. A nil job counts as one that has faulted with [ErrNilJob].
func WhenAll[T any](jobs ...*Job[T]) *Job[[]T] {
	w := &whenAll[T]{jobs: append([]*Job[T](nil), jobs...)}
	w.promise.Init()
	w.start(len(jobs), func(i int) *core { return jobs[i].base() }, w)
	return w.promise.Job()
}

type whenAll[T any] struct {
	promise Promise[[]T]
	countdown
	jobs []*Job[T]
}

// finish collects the results. All jobs have ended.
func (w *whenAll[T]) finish() continuation.Chain {
	results := make([]T, len(w.jobs))
	var failed failures
	for i, j := range w.jobs {
		v, err := j.GetResult()
		results[i] = v
		failed.add(j.Status(), err)
	}
	w.jobs = nil
	told, _ := w.promise.try(failed.final(), results, failed.err())
	return told
}

// failures gathers what went wrong in several jobs.
type failures struct {
	errs    []error
	faulted bool
}

func (f *failures) add(s Status, err error) {
	if err != nil {
		f.errs = append(f.errs, err)
		f.faulted = f.faulted || s == Faulted
	}
}

func (f *failures) final() Status {
	switch {
	case f.faulted:
		return Faulted
	case len(f.errs) > 0:
		return Canceled
	}
	return Completed
}

// err returns the one error unchanged, several joined.
func (f *failures) err() error {
	if len(f.errs) == 1 {
		return f.errs[0]
	}
	return errors.Join(f.errs...)
}

// countdown tells a finisher when the last of several jobs has ended.
type countdown struct {
	left  atomic.Int64
	nodes []countNode
	whole finisher
}

type finisher interface{ finish() continuation.Chain }

type countNode struct {
	continuation.Node
	of *countdown
}

// start registers with n jobs. It counts itself too, so that no early end finishes what
// is still being registered.
func (d *countdown) start(n int, at func(int) *core, whole finisher) {
	d.whole = whole
	d.left.Store(int64(n) + 1)
	d.nodes = make([]countNode, n)
	for i := range d.nodes {
		node := &d.nodes[i]
		node.of = d
		node.Prepare(node)
		if c := at(i); c == nil || !c.register(&node.Node) {
			d.left.Add(-1)
		}
	}
	d.one().Deliver(nil)
}

// one counts one end, and finishes at the last.
func (d *countdown) one() continuation.Chain {
	if d.left.Add(-1) > 0 {
		return continuation.Chain{}
	}
	return d.whole.finish()
}

// Completed implements continuation.Target.
func (n *countNode) Completed(schedulers.Worker) continuation.Chain { return n.of.one() }
