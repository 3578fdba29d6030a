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
	w.promise.InitDependent()
	w.start(len(all), func(i int) *core { return all[i].base() }, w)
	return w.promise.Job()
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
	w.promise.InitDependent()
	w.start(len(all), func(i int) *core { return baseOf(all[i]) }, w)
	return w.promise.Job()
}

// whenAny is a contest that the first end decides. J is what stands for a job.
type whenAny[J any] struct {
	promise Promise[J]
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
