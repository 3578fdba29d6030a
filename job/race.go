package job

import (
	"github.com/movenext/movenext/continuation"
)

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
	r.promise.InitDependent()
	r.start(len(all), func(i int) *core { return all[i].base() }, r)
	return r.promise.Job()
}

// race is a contest that the first result decides.
type race[T any] struct {
	promise Promise[T]
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
