package statemachine

import (
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/schedulers"
)

// # Machines that never have to wait
//
// A machine gives its worker back when it suspends. One that finds everything complete
// that it awaits, such as a consumer whose channel is never empty, would keep the
// worker forever, and nothing behind it would run: on a single worker perhaps what it
// looks for in each round. So a run has a budget of awaits that were complete. When that
// is used up, the next one gives way first, as job.Yield does.
//
//	the frame                                the run
//	 1. it is complete? Proceed: count
//	 2. over the budget: suspend, as if       3. register: over the budget? To the end of
//	    it were not complete                     the queue of the home, with what is awaited
//	                                          4. register there
//
// The count is a plain field of the Run, which the frame has at hand: a suspension
// ends the run, and so begins a new count. An await that is asked when the budget is
// used up has done nothing yet: a lock is taken in step 4, not held in the queue.
//
// Calls of async functions that run through are not counted, but their awaits are. A
// loop without any await keeps its worker, as every computation does.
//
// The idea is that of tokio's cooperative budget, which has 128 operations. How many there
// are here, and why package jobtest changes it, is in package budget.

// Proceed reports whether the machine may continue with what it awaits, if that is
// complete; otherwise it must suspend, as if that were not complete. Generated code asks
// it, and an entry for machines ([Operation]) before it tries to do without a wait. It
// does not block.
func (r *Run) Proceed() bool {
	r.ready++
	return !budget.Spent(r.ready)
}

// giveWay is handOver for a chain whose run has used up its budget.
func (r *Run) giveWay(c *chain) bool {
	r.ready = 0
	var w schedulers.Work
	switch a := r.awaiting.(type) {
	case nil, *sleeping, *guardedSleeping:
		return r.handOver(c) // it leaves the worker in any case
	case known:
		w = &delivery{c, a.outcome}
	default:
		w = &yielded{chain: c, awaiting: a}
	}
	hint := schedulers.Hint{From: r.leaving(), Flags: schedulers.Resumed | schedulers.PreferFairness}
	if err := r.top.home.TrySubmit(w, hint); err != nil {
		w.Abandon(err)
	}
	return true
}

// yielded is a chain that has given way and begins its wait when it runs again. For a
// scheduler that shows what is queued it is the chain.
type yielded struct {
	*chain
	awaiting any
}

// StandsFor returns the chain, so that a schedule sees one actor.
func (w *yielded) StandsFor() any { return w.chain }

// Run implements schedulers.Work.
func (w *yielded) Run(on schedulers.Worker) {
	t := borrow(on)
	t.top, t.awaiting = w.chain.top, w.awaiting
	t.wearOwn()
	if t.register(w.chain) {
		t.giveBack()
		return
	}
	held, is := t.awaiting.(holding)
	t.awaiting = nil
	if is && budget.Searching() && held.Holds() {
		t.giveWay(w.chain)
		t.giveBack()
		return
	}
	t.goOn(w.chain)
}

// holding is something that a machine may hold after its wait, such as a lock. A search for
// schedules lets it yield once more then. Otherwise a lock would be taken and released in
// one step wherever no await is between the two, and no other machine would ever find it
// held, as happens on several processors.
type holding interface{ Holds() bool }

// Abandon implements schedulers.Work. What is awaited is there, so the frame need not be
// told that its home has ended.
func (w *yielded) Abandon(error) { go w.Run(nil) }

// known is the end of a wait that need not begin; nil: there is nothing to tell.
type known struct{ *outcome }

// known is how [Sleep] ends that need not wait, with what it returns: at once or, if the
// machine has to give way, after that.
func (r *Run) known(err error) (asleep bool, _ error) {
	if r.Proceed() {
		return false, err
	}
	var k known
	if err != nil {
		k.outcome = &outcome{refusal: err}
	}
	r.awaiting = k
	return true, nil
}
