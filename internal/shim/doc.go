// Package shim contains the common parts of schedulers on top of another scheduler. A shim
// decides the order of work, or how much runs at a time, or observes it; the scheduler
// beneath decides where it runs.
//
// # The easy part
//
// A shim is a scheduler, so it accepts work. It runs no work itself: for each work item, it
// submits one item of its own to the scheduler beneath:
//
//	Submit(w) ──▶ item around w ──▶ beneath.Submit(item) ──▶ item.Run ──▶ w.Run
//
// # The worker that work sees
//
// Work must see the shim as its home, not the scheduler beneath; otherwise the work that it
// starts would bypass the shim. So it gets a worker that belongs to the shim: a [Worker], which
// names the shim and the worker of the scheduler beneath. Shims on shims are
// workers on workers; [Beneath] returns the actual worker at the bottom, for hints.
//
// # Capabilities of the scheduler beneath
//
// The announcement that a worker blocks goes to its worker, which passes it on: only the
// scheduler beneath can add a worker. Timers are passed on too, because the time of a
// simulation must be the same above a shim ([Clock]); above a scheduler without timers, the
// shim has its own queue. Consent to run work in place concerns where work runs, so both
// schedulers must agree.
//
// Three optimisations are not passed on.
//
//   - [dispatch.Reclaimer]: the item is queued beneath, not the work, and an item that is
//     never called would be counted as pending by the shim forever. A waiter falls back on
//     consent, which leaves behind an entry that finds nothing to do.
//   - [dispatch.Admitter]: work that is not submitted would bypass the shim.
//   - [dispatch.Leaver]: when the work ends, the worker beneath is not free yet, since the
//     shim may have other work to resume.
//
// # Refusal after acceptance
//
// This is the hard case. If a shim queues first and submits afterwards, the scheduler
// beneath may refuse after the work was accepted; if it submits first, the item may run
// before the work is queued. Each shim takes one of two solutions:
//
// Bound items: the submitted item runs the work that was submitted with it and no other. A
// refusal beneath is a refusal above; the lock of the shim's list decides which contender
// gets the work of an item ([Item]). Shims that do not reorder work this way ([Passthrough]),
// and so do shims that hold work back until it may run ([Turns]). The latter submit later,
// and if the scheduler beneath refuses then, the work is abandoned.
//
// Tickets: the item is a right to run one work item, and the work is chosen when the ticket
// is used. The work is in the queue before its ticket is submitted, so a ticket finds work: if
// k tickets have been used before, then at least k+1 work items were put into the queue, and k
// were taken. If the scheduler beneath refuses a ticket, its work is withdrawn, and refused. It
// may be gone by then: the ticket of another work item has taken it, and one item is left without
// a ticket. So the submitter, whose work has run, submits a ticket for that one. Only a Shutdown
// that gives up queued work leaves tickets that find nothing, and a refused ticket that is one of
// these is not replaced ([Surplus]).
//
// (The tempting alternative puts the work into the queue once its ticket is known to be accepted.
// Then a ticket that runs at once has to check whether its work is there, under the submitters'
// lock: each work item would move that lock between two processors.)
//
// Shims that reorder use tickets ([Tickets]), and their queues are [WorkQueue]s. Over a
// [dispatch.Repeater], all tickets are one object: an object for each would cost a third of the
// rest of the shim. Other schedulers get a ticket for each item, which knows its work: some run
// it on top of a wait for that work, or tell work items apart.
//
// # Panics
//
// A panic passes through a shim: the scheduler beneath has to survive it anyway, and its
// observers of panics must see it. The shim only counts it.
//
// # The end
//
// Shutdown of a shim ends the shim. The scheduler beneath belongs to its own creator, and
// continues.
package shim
