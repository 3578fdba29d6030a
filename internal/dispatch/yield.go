package dispatch

import (
	"runtime"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/schedulers"
)

// Yield queues a turn at s and waits until it comes, on the calling goroutine, which believes it
// is the worker w. So the work that was queued at s before runs first, if s serves its queue in
// order of arrival. w pumps or is replaced meanwhile; if it is neither a [schedulers.Pumper] nor
// a [schedulers.Blocker], Yield returns at once, as the turn would never come. If w is nil, Yield
// looks it up with [schedulers.Here]. It returns nil or the error by which s refuses the turn or
// w the wait.
func Yield(w schedulers.Worker, s schedulers.Scheduler) error {
	if w == nil {
		w = schedulers.Here()
	}
	if given.HoldsWorker(w) {
		runtime.Gosched()
		return nil
	}
	t := turn{make(chan struct{})}
	if err := schedulers.TrySubmit(s, t, schedulers.Hint{From: w, Flags: schedulers.PreferFairness}); err != nil {
		return err
	}
	return schedulers.Wait(contract.Yielding, w, nil, t.came)
}

// turn is a place in a queue.
type turn struct{ came chan struct{} }

// Run implements [schedulers.Work].
func (t turn) Run(schedulers.Worker) { close(t.came) }

// Abandon implements [schedulers.Work].
func (t turn) Abandon(error) { close(t.came) }
