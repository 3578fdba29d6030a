package main

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// account is what became of jobs.
type account struct {
	submitted, completed, faulted, canceled, refused atomic.Int64
}

// enter counts a job that has ended.
func (a *account) enter(j *job.Job[int]) {
	switch _, err := j.Await(); j.Status() {
	case job.Completed:
		a.completed.Add(1)
	case job.Canceled:
		a.canceled.Add(1)
	default:
		if errors.Is(err, schedulers.ErrShutdown) || errors.Is(err, schedulers.ErrRejected) {
			a.refused.Add(1) // by Submit, or by a Shutdown that had no more time
		} else {
			a.faulted.Add(1)
		}
	}
}

// balance returns what is wrong with the account, and with the scheduler's own, or nil. m is nil if the scheduler
// does not count.
func (a *account) balance(m *schedulers.Metrics) error {
	submitted := a.submitted.Load()
	sum := a.completed.Load() + a.faulted.Load() + a.canceled.Load() + a.refused.Load()
	if sum != submitted {
		return fmt.Errorf("%d jobs were submitted, and %d ended", submitted, sum)
	}
	if m == nil {
		return nil
	}
	switch {
	case m.Queued != 0 || m.Running != 0:
		return fmt.Errorf("the scheduler says that %d works are queued and %d run, after its end", m.Queued, m.Running)
	case m.Submitted != m.Completed+m.Abandoned:
		return fmt.Errorf("the scheduler has accepted %d works, completed %d, and abandoned %d", m.Submitted, m.Completed, m.Abandoned)
	case m.Submitted+m.Refused != uint64(submitted):
		return fmt.Errorf("the scheduler has accepted %d works and refused %d, of %d", m.Submitted, m.Refused, submitted)
	}
	return nil
}
