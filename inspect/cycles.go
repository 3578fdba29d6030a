package inspect

import (
	"slices"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/tracking"
)

// # Cycles
//
// Each suspended machine waits for one thing: a lock, and so for the machine that holds it, or a
// job, which may be that of a machine. Package job finds cycles of jobs when they close; cycles
// that include a lock are found here, starting from the locks that machines wait for.
//
//	1. begin with the holders of these locks
//	2. go through the table: note what each of them waits for
//	3. if the notes refer to other jobs: repeat 2 with those, until there are none
//	4. follow the notes: a chain that returns to its beginning is a cycle
//	5. go through the table once more: a machine that no longer waits as noted
//	   breaks its cycle
//
// Proof. A machine that is in the table in 2 and in 5, with the same time of suspension, has
// waited the whole time. All of 2 precedes all of 5, so there is a moment at which all machines
// of the cycle waited. Each waits for a holder that was the holder in 2 and in 5 and did not run
// in between, so it held the lock at that moment, and only the holder itself could release it.

// A machine may wait for several others at once: for a WhenAll, or for a continuation of
// one. Then each of their jobs has to end, so each is a wait of its own. A WhenAny is
// not followed, since it ends without the others.

const (
	rounds    = 16   // of step 3: a longer chain of waits is not followed to its end
	fanout    = 1000 // jobs behind one wait
	nestedFor = 32   // combinators of combinators
)

// waitingMachine records what one machine waits for.
type waitingMachine struct {
	machine   tracking.Machine
	since     int64
	next      []jobcore.Internals
	unchanged bool
	link      Link

	walked, onWay bool // see follow
}

// findCycles returns the cycles that include the locks.
func findCycles(locks map[any]*lock) (cycles []Cycle) {
	sought := map[jobcore.Internals]bool{}
	for _, l := range locks {
		if h := jobcore.Of(l.holder); h != nil {
			sought[h] = true
		}
	}
	notes := map[jobcore.Internals]*waitingMachine{}
	for range rounds {
		if len(sought) == 0 {
			break
		}
		sought = collectMachines(notes, sought)
	}
	rings := follow(notes)
	if len(rings) == 0 {
		return nil
	}
	tracking.Each(func(r *tracking.Record) {
		if n := notes[jobcore.Of(r.Machine.Handle())]; n != nil && n.machine == r.Machine && n.since == r.Since && slices.Equal(jobsAwaited(r.Awaited), n.next) {
			n.unchanged = true
		}
	})
	for _, ring := range rings {
		if c := cycleOf(ring); c != nil {
			cycles = append(cycles, c)
		}
	}
	return cycles
}

// collectMachines records what the machines of the sought jobs wait for, and returns the jobs to
// which that refers.
func collectMachines(notes map[jobcore.Internals]*waitingMachine, sought map[jobcore.Internals]bool) (next map[jobcore.Internals]bool) {
	g := gatherer{now: tracking.Now()}
	next = map[jobcore.Internals]bool{}
	tracking.Each(func(r *tracking.Record) {
		h := jobcore.Of(r.Machine.Handle())
		if h == nil || !sought[h] || notes[h] != nil {
			return
		}
		n := &waitingMachine{machine: r.Machine, since: r.Since, next: jobsAwaited(r.Awaited), link: Link{Machine: g.machine(r)}}
		if s, ok := r.Machine.(probe.Suspension); ok {
			n.link.Place = dispatch.PlaceOf(s)
		}
		notes[h] = n
		for _, j := range n.next {
			next[j] = true
		}
	})
	for h := range next {
		if notes[h] != nil {
			delete(next, h) // a round costs a walk through the table
		}
	}
	return next
}

// jobsAwaited returns the jobs that must continue before on ends.
func jobsAwaited(on any) (jobs []jobcore.Internals) {
	if h, ok := on.(holderReporter); ok {
		_, by := h.Held()
		on = by
	}
	if j := jobcore.Of(on); j != nil {
		jobs = antecedents(j, nil, nestedFor)
	}
	return jobs
}

// antecedents appends j, or all the jobs that must end before it can.
func antecedents(j jobcore.Internals, jobs []jobcore.Internals, depth int) []jobcore.Internals {
	before := j.Antecedents()
	if len(before) == 0 || depth == 0 {
		return append(jobs, j)
	}
	for _, b := range before {
		if len(jobs) < fanout {
			jobs = antecedents(b, jobs, depth-1)
		}
	}
	return jobs
}

// follow returns the chains of notes that return to their beginning. Each note is visited once,
// so of several cycles that share a machine one may be missed.
func follow(notes map[jobcore.Internals]*waitingMachine) (rings [][]*waitingMachine) {
	var way []*waitingMachine
	var walk func(n *waitingMachine)
	walk = func(n *waitingMachine) {
		n.walked, n.onWay = true, true
		way = append(way, n)
		for _, j := range n.next {
			switch next := notes[j]; {
			case next == nil:
			case next.onWay:
				rings = append(rings, slices.Clone(way[slices.Index(way, next):]))
			case !next.walked:
				walk(next)
			}
		}
		n.onWay = false
		way = way[:len(way)-1]
	}
	for _, n := range notes {
		if !n.walked {
			walk(n)
		}
	}
	return rings
}

// cycleOf returns the cycle of a ring, beginning with the machine that has waited longest, or nil
// if one of its machines has moved on.
func cycleOf(ring []*waitingMachine) (c Cycle) {
	first := 0
	for i, n := range ring {
		if !n.unchanged {
			return nil
		}
		if n.since < ring[first].since {
			first = i
		}
	}
	for i := range ring {
		c = append(c, ring[(first+i)%len(ring)].link)
	}
	return c
}
