package job

import "github.com/movenext/movenext/schedulers"

// RunSynchronously runs a Created job on the calling goroutine and returns nil when it
// has ended; the job tells how. It returns [ErrStarted], and runs nothing, if the job
// is not Created.
//
// The job's scheduler is not asked: the caller has chosen the place. What the function
// starts still goes to that scheduler. If the function calls runtime.Goexit, the job
// has faulted with [ErrGoexit] and the calling goroutine ends.
func (j *Job[T]) RunSynchronously() error {
	if j == nil {
		return ErrNilJob
	}
	if j.own == nil || j.Status() != Created {
		return ErrStarted
	}
	j.extras().aside.Store(true) // before the job can be seen Scheduled
	if !j.state.start() {
		return ErrStarted
	}
	j.finishSynchronously()
	return nil
}

// finishSynchronously runs the job, or waits for its end if a waiter was faster and
// runs it in place.
func (j *Job[T]) finishSynchronously() {
	parent := j.own.parent
	if !j.runFor(parent, schedulers.WorkerFrom(parent)) {
		_, _ = j.Await()
	}
}
