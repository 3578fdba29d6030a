package job

import (
	"errors"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// WhenAll returns a job that ends when all jobs have. If all have succeeded, it
// completes with their results in the order given. If one has faulted, it is Faulted
// with the errors of all that failed (canceled ones included), joined in the order
// given. If some were canceled and none faulted, it is Canceled. A single error is kept
// unchanged. WhenAll does not stop at the first failure, and always keeps the results
// that exist.
//
// A wait for it on a worker runs the jobs that are queued there in place, as [Job.Wait]
// does, the newest first. (A wait for a [WhenAny] runs none: the waiter would have to
// finish the job that it has begun, though another one may end long before.) If one of
// these calls runtime.Goexit, the waiter's goroutine ends.
//
// Without jobs it has already completed. Jobs that are Created are started, since
// waiting for all means waiting for each. A nil job counts as one that has faulted with
// [ErrNilJob]. See also [WhenAllOf].
func WhenAll[T any](jobs ...*Job[T]) *Job[[]T] {
	// Not slices.Clone, here and in the other combinators: it moves the caller's slice
	// to the heap.
	all := append([]*Job[T](nil), jobs...)
	w := &whenAll[T]{jobs: all}
	w.promise.job.core.initDependent()
	w.start(len(all), func(i int) *core { return coreIn(all[i]) }, w)
	return &w.promise.job
}

// WhenAllOf is [WhenAll] for jobs of several types; the results are in the jobs
// themselves. A nil Handle counts as a nil job.
func WhenAllOf(jobs ...Handle) *Job[Void] {
	all := append([]Handle(nil), jobs...)
	w := &whenAllOf{jobs: all}
	w.promise.job.core.initDependent()
	w.start(len(all), func(i int) *core { return baseOf(all[i]) }, w)
	return &w.promise.job
}

type whenAll[T any] struct {
	promise promise[[]T]
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
	w.mu.Lock()
	w.jobs = nil // the result must not keep the jobs
	w.mu.Unlock()
	waiters, _ := tryComplete(&w.promise, failed.final(), results, failed.err())
	return waiters
}

func (w *whenAll[T]) job() *core { return &w.promise.job.core }

func (w *whenAll[T]) remaining() antecedents {
	if w.jobs == nil {
		return nil
	}
	return jobList[T](w.jobs)
}

// jobList implements antecedents.
type jobList[T any] []*Job[T]

func (l jobList[T]) count() int      { return len(l) }
func (l jobList[T]) get(i int) *core { return coreIn(l[i]) }

type whenAllOf struct {
	promise promise[Void]
	countdown
	jobs []Handle
}

// finish collects the errors. All jobs have ended.
func (w *whenAllOf) finish() continuation.Chain {
	var failed failures
	for _, j := range w.jobs {
		if baseOf(j) == nil {
			failed.add(Faulted, ErrNilJob)
		} else {
			failed.add(j.Status(), j.Err())
		}
	}
	w.mu.Lock()
	w.jobs = nil
	w.mu.Unlock()
	waiters, _ := tryComplete(&w.promise, failed.final(), Void{}, failed.err())
	return waiters
}

func (w *whenAllOf) job() *core { return &w.promise.job.core }

func (w *whenAllOf) remaining() antecedents {
	if w.jobs == nil {
		return nil
	}
	return handleList(w.jobs)
}

// handleList implements antecedents.
type handleList []Handle

func (l handleList) count() int      { return len(l) }
func (l handleList) get(i int) *core { return baseOf(l[i]) }

// failures collects the errors of several jobs.
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

// err returns a single error unchanged, and several joined.
func (f *failures) err() error {
	if len(f.errs) == 1 {
		return f.errs[0]
	}
	return errors.Join(f.errs...)
}

// countdown notifies a finisher when the last of several jobs has ended.
type countdown struct {
	left     interleave.Int64
	finisher finisher
	mu       interleave.Mutex // guards the finisher's list of jobs, which a waiter reads
}

type finisher interface {
	finish() continuation.Chain
	job() *core

	// remaining returns the jobs that are counted, or nil once it has finished. mu is held.
	remaining() antecedents
}

type countNode struct {
	continuation.Node
	countdown *countdown
}

// start registers with n jobs. It counts itself too, so that a job that ends during
// registration does not finish the countdown.
func (d *countdown) start(n int, jobAt func(int) *core, f finisher) {
	d.finisher = f
	if allEnded(n, jobAt) {
		f.finish().Deliver(nil)
		return
	}
	d.left.Store(int64(n) + 1)
	// It is an allocation of 96 bytes, which lets a waiter run the jobs.
	f.job().ensureExtra().countdown = d
	nodes := make([]countNode, n)
	for i := range nodes {
		node := &nodes[i]
		node.countdown = d
		node.Prepare(node)
		if c := jobAt(i); c == nil || !c.register(&node.Node) {
			d.left.Add(-1)
		}
	}
	d.countOne().Deliver(nil)
}

// allEnded reports whether all jobs have ended, so that nothing need be allocated for waiting.
func allEnded(n int, jobAt func(int) *core) bool {
	for i := range n {
		if c := jobAt(i); c != nil && !c.isCompleted() {
			return false
		}
	}
	return true
}

// countOne counts the end of one job, and finishes at the last.
func (d *countdown) countOne() continuation.Chain {
	if d.left.Add(-1) > 0 {
		return continuation.Chain{}
	}
	return d.finisher.finish()
}

// remaining returns the jobs that are counted, or nil if all have ended.
func (d *countdown) remaining() antecedents {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.finisher.remaining()
}

func (n *countNode) waitingJob() (*core, string) { return n.countdown.finisher.job(), "WhenAll" }

// Completed implements continuation.Target.
func (n *countNode) Completed(schedulers.Worker) continuation.Chain { return n.countdown.countOne() }
