package job

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/continuation"
)

// WaiterGroup is the waiters of a job that wait in the same functions and lines.
type WaiterGroup struct {
	// Stack is what waits for the job, then what waits for that, and so on: that of one
	// of the waiters, without the job itself.
	Stack []Frame
	// Count is the number of the waiters.
	Count int
}

// Waiters returns all that waits for j, directly or through other jobs, by the functions
// and lines in which it waits, the largest group first: where [AsyncStack] follows one
// waiter of each job, Waiters follows all. Each end of a chain of waits counts as one.
// It is a snapshot for reports, of at most 32 jobs one behind the other and a hundred
// thousand waiters. It does not block, but j cannot complete while its waiters are
// looked at, some hundred nanoseconds for each.
func Waiters(j Handle) []WaiterGroup {
	c := baseOf(j)
	if c == nil {
		return nil
	}
	s := &survey{groups: map[string]*WaiterGroup{}, left: mostWaiters}
	s.visit(c, nil, stackDepth)
	all := make([]WaiterGroup, 0, len(s.groups))
	for _, key := range s.order {
		all = append(all, *s.groups[key])
	}
	slices.SortStableFunc(all, func(a, b WaiterGroup) int { return cmp.Compare(b.Count, a.Count) })
	return all
}

const mostWaiters = 100_000

// survey is a call of Waiters.
type survey struct {
	groups map[string]*WaiterGroup
	order  []string // of their keys
	left   int      // how many more waiters are looked at
}

// hop is one waiter of a job.
type hop struct {
	frames []Frame
	above  *core
}

// visit follows the waiters of c, which way leads to.
func (s *survey) visit(c *core, way []Frame, depth int) {
	hops := s.hops(c)
	if len(hops) == 0 || depth == 0 {
		if len(way) > 0 {
			s.count(way)
		}
		return
	}
	for _, h := range hops {
		way := append(slices.Clip(way), h.frames...)
		if h.above == nil {
			s.count(way)
			continue
		}
		s.visit(h.above, way, depth-1)
	}
}

// hops returns the waiters of c.
func (s *survey) hops(c *core) (all []hop) {
	if r := c.runner(); r != nil {
		all = append(all, hop{[]Frame{r.frame("job")}, r})
	}
	limit := s.left
	c.waiting.Visit(limit, func(t continuation.Target) {
		s.left--
		if frames, above, known := framesOf(t); known {
			all = append(all, hop{frames, above})
		}
	})
	return all
}

// count counts the waiter at the end of a way.
func (s *survey) count(way []Frame) {
	var b strings.Builder
	for i := range way {
		f := &way[i]
		b.WriteString(f.What)
		b.WriteByte(0)
		b.WriteString(f.Function)
		b.WriteByte(0)
		b.WriteString(f.File)
		b.WriteString(strconv.Itoa(f.Line))
		b.WriteByte(0)
	}
	key := b.String()
	g := s.groups[key]
	if g == nil {
		g = &WaiterGroup{Stack: way}
		s.groups[key] = g
		s.order = append(s.order, key)
	}
	g.Count++
}
