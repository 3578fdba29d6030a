package job

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
)

// Frame is one level of an asynchronous stack: a waiter for the level before it. A field
// is empty if its value is not known.
type Frame struct {
	// What is the kind of the waiter: "job", "continuation", "WhenAll", "async function", …
	What string
	// Job is the job that cannot end before the wait does: its name in quotes, or its
	// ID as #n.
	Job string
	// Function, File and Line are the place where an async function waits, or where a
	// job was made, if it recorded that ([RecordCreation]).
	Function string
	File     string
	Line     int
}

// String returns the frame on one line or, if its location is known, on two, as Go
// prints stacks.
func (f Frame) String() string {
	s := f.What
	if f.Job != "" {
		s += " " + f.Job
	}
	if f.Function != "" {
		s += " in " + f.Function
	}
	if f.File != "" {
		s += fmt.Sprintf("\n\t%s:%d", f.File, f.Line)
	}
	return s
}

// waiter is implemented by a continuation.Target that can report the job behind it, so
// that asynchronous stacks and cycles show that job: by machines. Its methods are called
// while the wait is frozen: the target's node cannot be delivered meanwhile. They must
// neither block nor retain anything.
type waiter interface {
	// WaitingFrames returns the levels that the wait stands for, the innermost first.
	WaitingFrames() []Frame
	// WaitingJob returns the job that cannot end before the wait does, or nil.
	WaitingJob() Handle
}

// AsyncStack returns the asynchronous stack of j: j, a waiter for j, a waiter for that
// waiter, and so on. Of several waiters it follows the newest that has a job behind it.
// It is a snapshot for reports: a job that continues meanwhile may be missing. It has at
// most 32 levels, not counting those of machines.
func AsyncStack(j Handle) []Frame {
	c := baseOf(j)
	if c == nil {
		return nil
	}
	return c.asyncStack()
}

const (
	maxStackDepth = 32 // jobs in an asynchronous stack
	maxVisited    = 8  // waiters of one job that are examined
)

func (c *core) asyncStack() []Frame {
	frames := []Frame{c.frame("job")}
	for range maxStackDepth {
		level, above := c.levelAbove()
		frames = append(frames, level...)
		if above == nil {
			break
		}
		c = above
	}
	return frames
}

// levelAbove returns the frames of a waiter for the job, and the job behind that waiter.
func (c *core) levelAbove() (level []Frame, above *core) {
	if r := c.runner(); r != nil {
		return []Frame{r.frame("job")}, r
	}
	c.waiting.Visit(maxVisited, func(t continuation.Target) {
		if above != nil {
			return
		}
		frames, job, known := framesOf(t)
		if known && (level == nil || job != nil) {
			level, above = frames, job
		}
	})
	return level, above
}

// waits is implemented by the targets of this package that link two jobs.
type waits interface {
	// waitingJob returns the job that cannot end before the target has been notified, or
	// nil, and the kind of the target.
	waitingJob() (*core, string)
}

// framesOf returns the frames of a target and the job behind it; known is false for a
// target of another kind.
func framesOf(t continuation.Target) (frames []Frame, above *core, known bool) {
	if w := asWaiter(t); w != nil {
		return w.WaitingFrames(), baseOf(w.WaitingJob()), true
	}
	w, ok := t.(waits)
	if !ok {
		return nil, nil, false
	}
	above, what := w.waitingJob()
	if above == nil {
		return []Frame{{What: what}}, nil, true
	}
	return []Frame{above.frame(what)}, above, true
}

// optional is implemented by targets that may be only one of several ways in which the
// job behind them can end.
type optional interface {
	// endsOtherwise reports whether that job may end although this target is never notified.
	endsOtherwise() bool
}

// jobBehind returns the job behind a target, or nil if there is none, or if that job can
// end without the target.
func jobBehind(t continuation.Target) *core {
	if o, ok := t.(optional); ok && o.endsOtherwise() {
		return nil
	}
	if w := asWaiter(t); w != nil {
		return baseOf(w.WaitingJob())
	}
	if w, ok := t.(waits); ok {
		above, _ := w.waitingJob()
		return above
	}
	return nil
}

// asWaiter returns the target as a waiter, or the waiter that the target notifies.
func asWaiter(t continuation.Target) waiter {
	if r, ok := t.(*resumption); ok {
		w, _ := r.k.(waiter)
		return w
	}
	w, _ := t.(waiter)
	return w
}

// frame describes a job.
func (c *core) frame(what string) Frame {
	f := Frame{What: what, Job: c.label()}
	if r := interleave.LoadPointer(&c.extra); r != nil && r.diagnostics != nil && r.diagnostics.creationPC != 0 {
		f.Function, f.File, f.Line = where(r.diagnostics.creationPC)
	}
	return f
}

// label returns the name of a job in quotes, or its ID.
func (c *core) label() string {
	r := c.ensureExtra()
	if r.name != "" {
		return fmt.Sprintf("%q", r.name)
	}
	return fmt.Sprintf("#%d", r.id)
}

// where returns the source position of a program counter from runtime.Callers.
func where(pc uintptr) (function, file string, line int) {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return strings.TrimSuffix(f.Function, "[...]"), f.File, f.Line
}

// Waiters implements jobcore.Telling.
func (i *internals) Waiters(f func(stack any, count int)) {
	s := &survey{groups: map[string]*waiterGroup{}, left: maxWaiters}
	s.visit(i.core(), nil, maxStackDepth)
	for _, key := range s.order {
		f(s.groups[key].stack, s.groups[key].count)
	}
}

const maxWaiters = 100_000

// survey is a call of inspect.Waiters.
type survey struct {
	groups map[string]*waiterGroup
	order  []string // of their keys
	left   int      // how many more waiters are examined
}

// waiterGroup is a group of waiters that wait in the same functions and lines.
type waiterGroup struct {
	stack []Frame // of one of them
	count int
}

// hop is one waiter of a job.
type hop struct {
	frames []Frame
	above  *core
}

// visit follows the waiters of c. way is the path from the surveyed job to c.
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

// count counts the waiter at the end of a path.
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
		g = &waiterGroup{stack: way}
		s.groups[key] = g
		s.order = append(s.order, key)
	}
	g.count++
}
