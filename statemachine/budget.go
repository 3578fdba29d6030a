package statemachine

import (
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/schedulers"
)

// # Machines that never have to wait
//
// A machine releases its worker when it suspends. A machine whose awaits are always
// complete, such as a consumer whose channel is never empty, would keep the worker
// forever, and no work queued behind it would run: on a single worker perhaps the very
// work that it polls for. So a run has a budget of awaits that were complete. When the
// budget is used up, the next await yields first, as job.Yield does.
//
//	the frame                                the run
//	 1. it is complete? Proceed: count
//	 2. over the budget: suspend, as if       3. register: over the budget? To the end of
//	    it were not complete                     the home's queue, with the awaited operation
//	                                          4. register there
//
// The count is a plain field of the Run, which the frame has access to: a suspension
// ends the run, and so begins a new count. An await that exceeds the budget has done
// nothing yet: a lock is taken in step 4, and not held while the machine is queued.
//
// Calls of async functions that do not suspend are not counted, but their awaits are. A
// loop without any await keeps its worker, as every computation does.
//
// The idea is tokio's cooperative budget, which has 128 operations. Package budget
// documents the number used here, and why package jobtest changes it.

// Proceed reports whether the machine may continue with a completed await; if not, the
// machine must suspend, as if the await were not complete. Generated code calls Proceed,
// and so does an entry for machines ([Operation]) before it tries to avoid a wait. It
// does not block.
func (r *Run) Proceed() bool {
	r.ready++
	return !budget.Spent(r.ready)
}

// yielded is a chain that has yielded and begins its wait when it runs again. A
// scheduler that shows its queue shows the chain instead.
type yielded struct {
	*chain
	awaiting any
}

// StandsFor returns the chain, so that a schedule sees one actor.
func (w *yielded) StandsFor() any { return w.chain }

// Run implements schedulers.Work.
func (w *yielded) Run(worker schedulers.Worker) {
	r := borrow(worker)
	r.top, r.awaiting = w.chain.top, w.awaiting
	r.applyHomeLabels()
	if r.register(w.chain) {
		r.giveBack()
		return
	}
	held, is := r.awaiting.(holding)
	r.awaiting = nil
	if is && budget.Searching() && held.Holds() && r.register(w.chain) {
		r.giveBack()
		return
	}
	r.runAndGiveBack(w.chain)
}

// holding is implemented by objects that a machine may hold after its wait, such as
// locks. A search for schedules then lets the machine yield once more. Otherwise, if no
// await is between Lock and Unlock, the lock would be taken and released in one step,
// and no other machine would ever find it held, as happens on several processors.
type holding interface{ Holds() bool }

// Abandon implements schedulers.Work. The awaited result is there, so the end of the
// home need not be reported to the frame.
func (w *yielded) Abandon(error) { go w.Run(nil) }

// skippedSleep is a [Sleep] that need not begin; its failure is nil if it returns no error.
type skippedSleep struct{ *failure }

// skipSleep ends a [Sleep] that need not begin, with the given result: at once or, if the
// machine has to yield, after that.
func (r *Run) skipSleep(err error) (asleep bool, _ error) {
	if r.Proceed() {
		return false, err
	}
	var s skippedSleep
	if err != nil {
		s.failure = &failure{refusal: err}
	}
	r.awaiting = s
	return true, nil
}
