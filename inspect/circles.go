package inspect

import (
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # Cycles
//
// Each suspended machine waits for one thing: a lock, and so for the machine that
// holds it, or a job, which may be that of a machine. Package job finds cycles of
// jobs when they close; a cycle that leads over a lock is found here, starting
// from the locks that machines wait for.
//
//	1. begin with the holders of these locks
//	2. go through the table: note what each of them waits for
//	3. what was noted leads to other jobs: again from 2 with those, until there are none
// 	4. follow the notes: a chain that leads back to itself is a cycle
// 	5. go through the table once more: a machine that no longer waits as noted
//     breaks its cycle
//
// Proof. A machine that is in the table in 2 and in 5, with the same time of
// suspension, has waited all the while. All of 2 comes before all of 5, so there
// is a moment at which all machines of the cycle waited. Each waits for a holder
// that was the holder in 2 and in 5, and that did not run in between, so it held
// the lock at that moment, and only the holder itself could release it.

// rounds bounds step 3: a longer chain of waits is not followed to its end.
const rounds = 16

// noted is what one machine waits for.
type noted struct {
	of    tracking.Machine
	since int64
	next  job.Handle
	still bool
	link  Link
}

// findCycles returns the cycles that lead over the locks.
func findCycles(locks map[any]*lock) (cycles []Circle) {
	sought := map[job.Handle]bool{}
	for _, l := range locks {
		if h, ok := l.holder.(job.Handle); ok {
			sought[h] = true
		}
	}
	notes := map[job.Handle]*noted{}
	for range rounds {
		if len(sought) == 0 {
			break
		}
		sought = note(notes, sought)
	}
	rings := follow(notes)
	if len(rings) == 0 {
		return nil
	}
	tracking.Each(func(r *tracking.Record) {
		h, _ := r.Of.Handle().(job.Handle)
		if n := notes[h]; n != nil && n.of == r.Of && n.since == r.Since && awaited(r.On) == n.next {
			n.still = true
		}
	})
	for _, ring := range rings {
		if c := cycleOf(ring); c != nil {
			cycles = append(cycles, c)
		}
	}
	return cycles
}

// note notes what the machines of the sought jobs wait for, and returns the jobs that
// this leads to.
func note(notes map[job.Handle]*noted, sought map[job.Handle]bool) (next map[job.Handle]bool) {
	g := gathering{now: tracking.Now()}
	next = map[job.Handle]bool{}
	tracking.Each(func(r *tracking.Record) {
		h, ok := r.Of.Handle().(job.Handle)
		if !ok || !sought[h] || notes[h] != nil {
			return
		}
		n := &noted{of: r.Of, since: r.Since, next: awaited(r.On), link: Link{Machine: g.machine(r)}}
		if s, ok := r.Of.(schedulers.Suspension); ok {
			n.link.Place = s.Where()
		}
		notes[h] = n
		if n.next != nil {
			next[n.next] = true
		}
	})
	for h := range next {
		if notes[h] != nil {
			delete(next, h) // a round costs a walk through the table
		}
	}
	return next
}

// awaited returns the job that has to continue before on ends, or nil.
func awaited(on any) job.Handle {
	switch on := on.(type) {
	case job.Handle:
		return on
	case holding:
		_, by := on.Held()
		h, _ := by.(job.Handle)
		return h
	}
	return nil
}

// follow returns the notes that lead back to themselves.
func follow(notes map[job.Handle]*noted) (rings [][]*noted) {
	seen := map[*noted]int{} // in which walk
	walk := 0
	for _, n := range notes {
		walk++
		var way []*noted
		for n != nil && seen[n] == 0 {
			seen[n] = walk
			way = append(way, n)
			n = notes[n.next]
		}
		if n == nil || seen[n] != walk {
			continue
		}
		for i := range way {
			if way[i] == n {
				rings = append(rings, way[i:])
			}
		}
	}
	return rings
}

// cycleOf returns the cycle of a ring, beginning with the machine that has waited
// longest, or nil if one of its machines has moved.
func cycleOf(ring []*noted) (c Circle) {
	first := 0
	for i, n := range ring {
		if !n.still {
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
