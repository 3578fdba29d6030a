package main

import (
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
)

// observed counts the steps of machines on a scheduler. A scheduler is one method, so a counting
// one is made by wrapping it: an extension, not a feature.
type observed struct {
	schedulers.Scheduler
	suspensions atomic.Int64 // machines that came back after a suspension
	hops        atomic.Int64 // machines that did not continue where they were woken
}

// Submit implements schedulers.Scheduler.
func (o *observed) Submit(w schedulers.Work, from schedulers.Hint) error {
	if !from.Flags.Has(schedulers.Resumed) {
		return o.Scheduler.Submit(w, from)
	}
	o.suspensions.Add(1)
	return o.Scheduler.Submit(&resumed{Work: w, woken: from.From, by: o}, from)
}

// resumed is a machine between its wake-up and the place where it continues.
type resumed struct {
	schedulers.Work
	woken schedulers.Worker
	by    *observed
}

// Run implements schedulers.Work.
func (r *resumed) Run(on schedulers.Worker) {
	if on != r.woken {
		r.by.hops.Add(1)
	}
	r.Work.Run(on)
}
