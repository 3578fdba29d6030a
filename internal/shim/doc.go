// Package shim is what schedulers on top of another scheduler have in common. A
// shim decides in which order, how many at a time, or under whose eyes work
// runs; where it runs, the scheduler beneath decides.
//
// # The easy part
//
// A shim is a scheduler, so it accepts work; it runs none itself, so it submits something of
// its own to the scheduler beneath, once for each work:
//
//	Submit(w) ──▶ item around w ──▶ beneath.Submit(item) ──▶ item.Run ──▶ w.Run
//
// # Where am I?
//
// Work must see the shim as its home, not the scheduler beneath, or what it starts in
// turn would go past the shim. So it is handed a worker of the shim's: a [Visit], which
// is a stay on a worker of the scheduler beneath. Seen from inside, shims on shims
// are visits on visits; [Beneath] leads down to the worker that is really there, for hints.
//
// # What the scheduler beneath can do
//
// A worker that blocks tells its visit, which passes it on: only the scheduler beneath can
// add a worker. Timers are passed on too, because a simulation's time must be the same above a shim
// ([Clock]); a scheduler without timers gets a queue of them. Consent to run work in
// place is a question of where, so both have to agree.
//
// Three do not pass, which save time and nothing else. [schedulers.Reclaimer]: beneath, an item is queued and not the
// work, and an item that nobody calls any more would never leave the shim's books; who waits falls back on consent, which leaves
// an entry behind that finds nothing to do. [schedulers.Admitter]: work that is not submitted would pass the shim by. And
// [schedulers.Leaver]: when the work of a visit ends, its worker is not free yet, since the shim may have others to let go on.
//
// # Refusal after acceptance
//
// This is the hard one. If a shim queues first and submits afterwards, the scheduler
// beneath may refuse when the work is already promised; if it submits first, the
// item may run before it is queued. There are two ways out, and each shim takes one:
//
// Bound items: the item that is submitted runs the work that came with it and no
// other. Refused beneath means refused above; a state word decides between those who
// may take the item ([Item]). Shims that do not reorder are of this kind ([Through]), and
// shims that hold work back until it may run ([Turns]): these submit later,
// and if the scheduler beneath refuses then, the work is abandoned.
//
// Tickets: the item is a right to run one work, and whose turn it is is decided when it is
// used. The work enters the queue when its ticket is known to be accepted, and not
// before. There are two who may learn that first, Submit (the call beneath has
// returned nil) and the ticket (it is running), and whoever it is puts
// the work into the queue; a bit under the queue's lock says that it is done. So
// a ticket always finds work: if k tickets have been used before, then k+1 works were put
// into the queue by these tickets or before them, and k were taken. Shims that reorder are of this
// kind ([Tickets]).
//
// # Panics
//
// A panic passes through a shim: the scheduler beneath has to survive it anyway, and
// what watches there for panics must see it. The shim only counts.
//
// # The end
//
// A shim's Shutdown ends the shim. The scheduler beneath belongs to somebody
// else, and goes on.
package shim
