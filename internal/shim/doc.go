// Package shim holds what schedulers on top of another scheduler have in common.
// A shim decides in which order work runs, or how much at a time, or watches it;
// the scheduler beneath decides where it runs.
//
// # The easy part
//
// A shim is a scheduler, so it accepts work; it runs none itself, so it submits an item
// of its own to the scheduler beneath, once for each work item:
//
//	Submit(w) ──▶ item around w ──▶ beneath.Submit(item) ──▶ item.Run ──▶ w.Run
//
// # The worker that work sees
//
// Work must see the shim as its home, not the scheduler beneath; otherwise the
// work that it starts would bypass the shim. So it gets a worker of the shim's: a
// [Visit], which is a stay on a worker of the scheduler beneath. Shims on shims
// are visits on visits; [Beneath] leads down to the actual worker, for hints.
//
// # What the scheduler beneath can do
//
// A worker that blocks tells its visit, which passes it on: only the scheduler beneath
// can add a worker. Timers are passed on too, because a simulation's time must be the
// same above a shim ([Clock]); above a scheduler without timers the shim has a queue of
// its own. Consent to run work in place is a question of where work runs, so both must
// agree.
//
// Three optimisations are not passed on. [schedulers.Reclaimer]: the item is queued
// beneath, not the work, and an item that is never called would stay in the shim's
// accounts forever. A waiter falls back on consent, which leaves behind an entry that
// finds nothing to do. [schedulers.Admitter]: work that is not submitted would bypass
// the shim. [schedulers.Leaver]: when the work of a visit ends, its worker is not free
// yet, since the shim may have other work to resume.
//
// # Refusal after acceptance
//
// This is the hard case. If a shim queues first and submits afterwards, the scheduler
// beneath may refuse after the work was accepted; if it submits first, the item may run
// before the work is queued. Each shim takes one of two solutions:
//
// Bound items: the item that is submitted runs the work that came with it and no other.
// A refusal beneath is a refusal above; a state word decides which contender takes the
// item ([Item]). Shims that do not reorder are of this kind ([Through]), and so are
// shims that hold work back until it may run ([Turns]): these submit later, and if the
// scheduler beneath refuses then, the work is abandoned.
//
// Tickets: the item is a right to run one work item, and the work is chosen when
// the ticket is used. The work enters the queue once its ticket is known to be
// accepted, and not before. Either of two may learn that first: Submit (the call
// beneath has returned nil) or the ticket (it is running). The first to learn it
// puts the work into the queue; a bit under the queue's lock records that. So a
// ticket always finds work: if k tickets have been used before, then k+1 work
// items were put into the queue by these tickets or before them, and k were
// taken. Shims that reorder are of this kind ([Tickets]), and their queues are [Line]s.
//
// # Panics
//
// A panic passes through a shim: the scheduler beneath has to survive it anyway, and
// its observers of panics must see it. The shim only counts it.
//
// # The end
//
// A shim's Shutdown ends the shim. The scheduler beneath belongs to its own creator,
// and continues.
package shim
