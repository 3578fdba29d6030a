package job

import (
	"slices"

	"github.com/movenext/movenext/continuation"
)

// WhenAny returns a job that completes with the first of jobs to end, in whatever way;
// of several that have ended already, the first in the order given. The others continue
// and keep nothing of the WhenAny. It never fails by itself: ask the job it yields. It
// does not block.
//
// Without jobs it has faulted with [ErrNoJobs]. Jobs that are Created are started,
// unless another has ended already. A nil job counts as one that has ended. See also
// [Race], which waits for a success, and [WhenAnyOf].
func WhenAny[T any](jobs ...*Job[T]) *Job[*Job[T]] {
	if len(jobs) == 0 {
		return FromError[*Job[T]](ErrNoJobs)
	}
	if i := slices.IndexFunc(jobs, (*Job[T]).IsCompleted); i >= 0 {
		return FromResult(jobs[i])
	}
	all := append([]*Job[T](nil), jobs...)
	w := &whenAny[*Job[T]]{jobs: all}
	w.promise.initDependent()
	w.start(len(all), func(i int) *core { return all[i].base() }, w)
	return &w.promise.job
}

// WhenAnyOf is [WhenAny] for jobs of several types. A nil Handle counts as a nil job.
func WhenAnyOf(jobs ...Handle) *Job[Handle] {
	if len(jobs) == 0 {
		return FromError[Handle](ErrNoJobs)
	}
	if i := slices.IndexFunc(jobs, func(h Handle) bool { return baseOf(h) == nil || h.IsCompleted() }); i >= 0 {
		return FromResult(jobs[i])
	}
	all := append([]Handle(nil), jobs...)
	w := &whenAny[Handle]{jobs: all}
	w.promise.initDependent()
	w.start(len(all), func(i int) *core { return baseOf(all[i]) }, w)
	return &w.promise.job
}

// whenAny is a contest that the first end decides. J is what stands for a job.
type whenAny[J any] struct {
	promise promise[J]
	contest
	jobs []J
}

func (w *whenAny[J]) decides(int) bool { return true }

func (w *whenAny[J]) won(i int) continuation.Chain {
	winner := w.jobs[i]
	w.jobs = nil // the result must not keep the losers
	told, _ := w.promise.try(Completed, winner, nil)
	return told
}

func (w *whenAny[J]) nobodyWon() continuation.Chain { return continuation.Chain{} }

func (w *whenAny[J]) waitingJob() (*core, string) { return w.promise.job.base(), "WhenAny" }

// Race returns a job that completes with the result of the first of jobs to Complete;
// of several that have already, the first in the order given. The others continue
// (cancel them if they should not) and keep nothing of the Race. If all fail, it fails
// as [WhenAll] does: with all errors, joined in the order given. It does not block.
//
// Without jobs it has faulted with [ErrNoJobs]. Jobs that are Created are started, up
// to the first that has Completed. A nil job counts as one that has faulted with
// [ErrNilJob].
//
// It is what JavaScript calls Promise.any; Promise.race is [WhenAny].
func Race[T any](jobs ...*Job[T]) *Job[T] {
	if len(jobs) == 0 {
		return FromError[T](ErrNoJobs)
	}
	all := append([]*Job[T](nil), jobs...)
	r := &race[T]{jobs: all}
	r.promise.initDependent()
	r.start(len(all), func(i int) *core { return all[i].base() }, r)
	return &r.promise.job
}

// race is a contest that the first result decides.
type race[T any] struct {
	promise promise[T]
	contest
	jobs []*Job[T]
}

func (r *race[T]) decides(i int) bool { return r.jobs[i].Status() == Completed }

func (r *race[T]) won(i int) continuation.Chain {
	value := r.jobs[i].value
	r.jobs = nil
	told, _ := r.promise.try(Completed, value, nil)
	return told
}

func (r *race[T]) nobodyWon() continuation.Chain {
	var failed failures
	for _, j := range r.jobs {
		_, err := j.GetResult()
		failed.add(j.Status(), err)
	}
	r.jobs = nil
	var zero T
	told, _ := r.promise.try(failed.final(), zero, failed.err())
	return told
}

func (r *race[T]) waitingJob() (*core, string) { return r.promise.job.base(), "Race" }
