package main

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// account counts how jobs ended.
type account struct {
	submitted, completed, faulted, canceled, refused atomic.Int64

	settled    atomic.Int64 // counted as jobs end; the watchdog checks it
	calls      atomic.Int64 // of jobs' functions
	known      atomic.Int64 // calls known when their job was settled
	mismatches mismatches
}

// settle waits for a job, counts it, and compares it with its fate.
func (a *account) settle(e entry) {
	value, err := e.Await()
	status := e.Status()
	a.compare(e.fate, status, value, err)
	defer a.settled.Add(1)
	switch status {
	case job.Completed:
		a.completed.Add(1)
	case job.Canceled:
		a.canceled.Add(1)
	default:
		if errors.Is(err, schedulers.ErrShutdown) || errors.Is(err, schedulers.ErrRejected) {
			a.refused.Add(1) // by Submit, or by a Shutdown that ran out of time
		} else {
			a.faulted.Add(1)
		}
	}
}

// balance returns an error if the account or the scheduler's metrics are wrong. m is nil if the
// scheduler does not count.
func (a *account) balance(m *schedulers.Metrics) error {
	if err := a.mismatches.err(); err != nil {
		return err
	}
	if calls, known := a.calls.Load(), a.known.Load(); calls != known {
		return fmt.Errorf("functions were called %d times, and %d times when their jobs ended", calls, known)
	}
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
		return fmt.Errorf("the scheduler says that %d work items are queued and %d run, after its end", m.Queued, m.Running)
	case m.Submitted != m.Completed+m.Abandoned:
		return fmt.Errorf("the scheduler has accepted %d work items, completed %d, and abandoned %d", m.Submitted, m.Completed, m.Abandoned)
	case m.Submitted+m.Refused != uint64(submitted):
		return fmt.Errorf("the scheduler has accepted %d work items and refused %d, of %d", m.Submitted, m.Refused, submitted)
	}
	return nil
}
