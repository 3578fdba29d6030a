// Package scaling predicts how work scales on more cores than the machine at hand has. It
// simulates the accesses to the cache lines that cores share, at costs that were measured on two
// cores.
//
// # The model
//
// A core repeats one operation, which is a list of steps. Computing, and writing to lines that
// no other core writes, takes the same time on any number of cores. What does not is a shared
// line: one core has it at a time, and a core that does not have it waits until the others that
// asked before have used it, and then until the line has moved.
//
//	Compute    takes its time, whatever the others do
//	Section    needs a line for itself: a lock, with what is done under it, or one atomic step
//	Fetch      reads or claims what another core has written: the line moves, without a queue
//	Put, Take  an item of a queue; Take waits for an item if there is none
//
// Time goes in the order of the cores' clocks: the core that is furthest behind makes the next
// step. So the first core at a line gets it first, as in a lock that is fair.
//
// # What the model leaves out
//
// A lock that has to be waited for is held a little longer, since waiters spin or sleep; a line
// takes longer to move between sockets; cores share caches and memory. So the curves are upper
// bounds, and the first bottleneck is what they are for.
package scaling

import "github.com/movenext/movenext/internal/heap"

// Costs are times in nanoseconds.
type Costs struct {
	Local float64 // a locked instruction on a line that the core has
	Move  float64 // the same on a line that another core has
}

// Measured are the costs of the machine of docs/laboratory.md.
var Measured = Costs{Local: 5, Move: 47}

// Line is a cache line that several cores write. The zero value is a line that no core has.
type Line struct {
	Name string

	owner *core
	free  float64 // when its last user has finished
	used  float64 // how long it was used or moving
}

// Queue is a queue of items without content. Its lock is a Line, and another step.
type Queue struct {
	items   int
	waiting []*core
}

// Step is a part of an operation.
type Step struct {
	compute float64
	line    *Line
	fetch   bool
	put     *Queue
	take    *Queue
}

// Compute is computing for ns nanoseconds.
func Compute(ns float64) Step { return Step{compute: ns} }

// Section is one locked instruction on l, and ns nanoseconds for which no other core may use l.
func Section(l *Line, ns float64) Step { return Step{line: l, compute: ns} }

// Fetch is the first access to what another core has written and uses no more.
func Fetch() Step { return Step{fetch: true} }

// Put adds an item to q.
func Put(q *Queue) Step { return Step{put: q} }

// Take removes an item from q, and waits for one if there is none.
func Take(q *Queue) Step { return Step{take: q} }

// core repeats its operation.
type core struct {
	operation []Step
	at        int // the next step
	clock     float64
	done      int // operations
}

// Run simulates cores, one for each operation, for ns nanoseconds. It returns how often each
// operation was finished.
func Run(costs Costs, ns float64, operations [][]Step) (done []int) {
	cores := make([]*core, len(operations))
	var order heap.Heap[*core]
	for i, o := range operations {
		cores[i] = &core{operation: o, clock: float64(i)} // they do not start in step
		order.Push(cores[i])
	}
	for order.Len() > 0 && order.First().clock < ns {
		c := order.Pop()
		if woken := c.step(costs); woken != nil {
			order.Push(woken)
		}
		if !c.waits() {
			order.Push(c)
		}
	}
	for _, c := range cores {
		done = append(done, c.done)
	}
	return done
}

// waits reports whether c waits in a queue. Its next step is then to be repeated.
func (c *core) waits() bool {
	q := c.operation[c.at].take
	return q != nil && len(q.waiting) > 0 && q.waiting[len(q.waiting)-1] == c
}

// step makes the next step of c. It returns a core that no longer waits, or nil.
func (c *core) step(costs Costs) (woken *core) {
	s := c.operation[c.at]
	switch {
	case s.line != nil:
		c.use(s.line, s.compute, costs)
	case s.fetch:
		c.clock += costs.Move
	case s.put != nil:
		woken = s.put.put(c.clock)
	case s.take != nil:
		if !s.take.remove(c) {
			return nil
		}
	default:
		c.clock += s.compute
	}
	c.at = (c.at + 1) % len(c.operation)
	if c.at == 0 {
		c.done++
	}
	return woken
}

func (c *core) use(l *Line, ns float64, costs Costs) {
	access := costs.Local
	if l.owner != c {
		access = costs.Move
	}
	c.clock = max(c.clock, l.free) + access + ns
	l.owner, l.free = c, c.clock
	l.used += access + ns
}

func (q *Queue) put(now float64) (woken *core) {
	q.items++
	if len(q.waiting) == 0 {
		return nil
	}
	woken, q.waiting = q.waiting[0], q.waiting[1:]
	woken.clock = max(woken.clock, now)
	return woken
}

// remove takes an item for c, or lets c wait.
func (q *Queue) remove(c *core) bool {
	if q.items == 0 {
		q.waiting = append(q.waiting, c)
		return false
	}
	q.items--
	return true
}

// Before implements heap.Element: the core that is furthest behind comes first.
func (c *core) Before(other *core) bool { return c.clock < other.clock }

// Moved implements heap.Element. A core is never removed from the middle.
func (*core) Moved(int) {}
