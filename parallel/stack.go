package parallel

// stack holds the forks of one worker that have not been joined, in the order in which
// they were made.
//
// # One fork
//
// A fork that is not taken is a postponed plain call. So it costs little more: the
// function and its argument are written to an entry on the stack, and the join reads them
// back, on the same goroutine, without an atomic operation. The entries keep their fork
// objects, so forking allocates only when the stack grows beyond its greatest depth.
//
// # Others want something to do
//
// The stack belongs to its owner alone. When the team has fewer offers than it wants
// (two plain loads at each fork), the owner moves its oldest private forks to its
// offers, where others may take them under a lock. The join of such a fork takes it back
// from there, or finds it taken and waits.
//
// # The states of an entry below top
//
//	       push              offer               taken, and ended
//	free ───────▶ private ─────────▶ offered ─────────────────────▶ (its header tells)
//	  ▲              │                  │
//	  │              │ join             │ join takes it back
//	  │              ▼                  ▼
//	  └─────────── joined ◀─────────────┘      done: the owner ran it early, for its join
//
//	state     meaning                                            may also touch the fork
//	private   not begun                                          –
//	offered   begun or not; the ticket is its place in offers    its taker
//	done      the owner has run it before its join               –
//	joined    over, but younger forks lie above it               –
//
// The owner alone reads and writes states.
//
// Entries are freed from the top. Forks that are not joined in the reverse order of
// their making leave joined entries behind, which are freed together with the ones above
// them. So whenever a function is called, the entry below top is not in state joined,
// and the entries that the function leaves on the stack are those above the top that it
// began with.
type stack struct {
	entries []entry
	top     int // how many entries are in use
	oldest  int // no entry below it is private
}

type entry struct {
	fork   anyFork
	spare  anyFork // another one, of another type
	ticket uint64
	state  entryState
}

type entryState uint8

const (
	private entryState = iota + 1
	offered
	done
	joined
)

// push puts a fork on the stack.
func push[A, R any](w *Worker, fn func(*Worker, A) R, arg A) *fork[A, R] {
	p := w.free()
	f, ok := p.fork.(*fork[A, R])
	if !ok {
		f = exchange(w, p, newFork[A, R])
	}
	f.fn, f.arg = fn, arg
	p.state = private
	w.top++
	w.supply()
	return f
}

// pushThunk is push for a function without argument. It is tempting to push a fork whose
// argument is the function, and which calls it. But that fork's function would be generic in
// R, and a generic function used as a value here is a closure, which is allocated.
func pushThunk[R any](w *Worker, fn func(*Worker) R) *thunk[R] {
	p := w.free()
	f, ok := p.fork.(*thunk[R])
	if !ok {
		f = exchange(w, p, newThunk[R])
	}
	f.fn = fn
	p.state = private
	w.top++
	w.supply()
	return f
}

// free returns the first entry that is not in use. Like supply, it is small enough for the
// compiler to inline into push.
func (w *Worker) free() *entry {
	if w.top == len(w.entries) {
		w.grow()
	}
	return &w.entries[w.top]
}

// supply makes offers if the worker has fewer than the team wants.
func (w *Worker) supply() {
	if w.offers.count.Load() < w.team.demand.Load() {
		w.offer()
	}
}

func newFork[A, R any]() *fork[A, R] { return new(fork[A, R]) }

func newThunk[R any]() *thunk[R] { return new(thunk[R]) }

// exchange replaces the fork of the top entry of the stack, which is of another type, by one
// of type F. The old fork is kept as a spare, so two types may alternate without allocating.
func exchange[F anyFork](w *Worker, p *entry, make func() F) F {
	f, ok := p.spare.(F)
	if !ok {
		f = make()
		h := f.base()
		h.owner, h.index = w, w.top
	}
	p.fork, p.spare = f, p.fork
	return f
}

// grow adds entries.
func (w *Worker) grow() {
	if w.team.over.Load() {
		panic("parallel: a Worker was used after its Run has returned")
	}
	w.entries = append(w.entries, make([]entry, max(16, len(w.entries)))...)
}

// invalidate makes each later use of the worker panic, and releases its forks.
func (w *Worker) invalidate() {
	w.entries, w.top = nil, 0
}

// vacate frees entry i, or marks it if others lie above it.
func (w *Worker) vacate(i int) {
	if i+1 < w.top {
		w.entries[i].state = joined
		return
	}
	w.top = i
	if i > 0 && w.entries[i-1].state == joined {
		w.collapse()
	}
	w.oldest = min(w.oldest, w.top)
}

// collapse frees joined entries on top of the stack.
func (w *Worker) collapse() {
	for w.top > 0 && w.entries[w.top-1].state == joined {
		w.top--
	}
}

// takeBack gives the owner back a fork that it has not begun, and reports whether it
// did: false means that another worker has begun it, or the owner has run it early.
func (w *Worker) takeBack(p *entry) bool {
	return p.state == private || p.state == offered && w.offers.withdraw(p.ticket, p.fork, w.floor())
}

// offer moves private forks to the offers, the oldest first: as many as the team
// lacks, and at least half of them, so that an owner whose functions are short
// does not have to do it each time.
func (w *Worker) offer() {
	if w.oldest >= w.top {
		return
	}
	missing := int(w.team.demand.Load() - w.offers.count.Load())
	share := max(missing, (w.top-w.oldest)/2)
	w.offers.mu.Lock()
	for ; w.oldest < w.top && share > 0; w.oldest++ {
		p := &w.entries[w.oldest]
		if p.state == private {
			p.ticket = w.offers.add(p.fork)
			p.state = offered
			share--
		}
	}
	w.offers.mu.Unlock()
	for h := w.current; h != nil; h = h.outer {
		h.nudge()
	}
	w.team.group.invite()
}

// floor returns the lowest ticket that may be reused.
func (w *Worker) floor() uint64 {
	if w.current == nil {
		return 0
	}
	return w.current.since
}
