package simulation

import (
	"cmp"
	"runtime/metrics"
)

// Settle makes the driver wait, after each step that has created goroutines,
// until no other goroutine of the process runs or could run, for some
// milliseconds at most. The end of a context is such a step, since package
// context reports it on goroutines of its own: without Settle, the machines that
// wait for it continue at a different point in each run.
//
// Machines that become ready in such a step are queued in the order in which they
// were first suspended, since the order in which those goroutines wake them is a
// matter of chance.
func Settle() Option { return func(s *Scheduler) { s.settle = true } }

// births counts the goroutines that were created.
type births struct {
	own     uint64 // runners, which are simulated
	turns   uint64 // that had become possible when the step began
	foreign uint64 // at the last look
	sample  [1]metrics.Sample
}

// newRunner starts a runner; mu is held.
func (s *Scheduler) newRunner() {
	s.births.own++
	go s.run()
}

// happened reports whether foreign goroutines were created since the last call.
func (b *births) happened() bool {
	b.sample[0].Name = "/sched/goroutines-created:goroutines"
	metrics.Read(b.sample[:])
	v := b.sample[0].Value
	if v.Kind() != metrics.KindUint64 {
		return true
	}
	before := b.foreign
	b.foreign = v.Uint64() - b.own
	return b.foreign != before
}

// letWorldSettle waits for the goroutines that the last step has created; mu is
// held, but not meanwhile.
func (s *Scheduler) letWorldSettle() {
	if !s.births.happened() {
		return
	}
	s.deliverEnds()
	s.mu.Unlock()
	settles(func() bool { return false })
	s.mu.Lock()
	s.deliverEnds() // of contexts that a goroutine has ended
	s.births.happened()
	first := len(s.ready.all)
	for first > 0 && s.ready.all[first-1].seq() > s.births.turns {
		first--
	}
	if len(s.ready.all)-first > 1 {
		s.ready.sortFrom(first, func(a, b turn) int { return cmp.Compare(a.actor(), b.actor()) })
	}
}

// seq returns the number of a turn, or 0 for a hole.
func (t turn) seq() uint64 {
	if t.id == nil {
		return 0
	}
	return t.id.Seq
}

// actor returns the actor of a turn, or 0 for a hole.
func (t turn) actor() uint64 {
	if t.id == nil {
		return 0
	}
	return t.id.Actor
}
