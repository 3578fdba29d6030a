package simulation

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/schedulers"
)

// Deadlock reports that nothing could run while something waited. It wraps
// [schedulers.ErrWouldDeadlock].
type Deadlock struct { //nolint:errname // what has happened, and not a kind of error
	Time    time.Duration // on the virtual clock
	Waiting []Waiting     // machines too, in the order in which they began
	Trace   Trace         // the schedule that led to it
	Steps   int           // taken so far

	// RealTime says that something waits for a context with a deadline of the real clock, as
	// context.WithTimeout makes it. That time does not pass in a simulation.
	RealTime bool
}

// Waiting is one work item or one machine that waits.
type Waiting struct {
	Work   string        // its String or Name, or else its type
	Since  time.Duration // on the virtual clock
	Where  string        // function, file and line of the wait
	For    string        // what it waits for: "coord.Mutex", "job #5"; "" if that is not known
	Holder string        // the holder of what it waits for, by name, if known
}

// String returns a line of a report.
func (w Waiting) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, since %v, in %s", w.Work, w.Since, w.Where)
	if w.For != "" {
		fmt.Fprintf(&b, ", for %s", w.For)
	}
	if w.Holder != "" {
		fmt.Fprintf(&b, ", held by %s", w.Holder)
	}
	return b.String()
}

// Error describes the deadlock, one line for each waiter.
func (d *Deadlock) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "simulation: deadlock at %v: nothing can run, no timer is set, and ", d.Time)
	if len(d.Waiting) == 0 {
		b.WriteString("what is waited for has not happened")
	} else {
		fmt.Fprintf(&b, "%d wait:", len(d.Waiting))
	}
	for _, w := range d.Waiting {
		b.WriteString("\n\t" + w.String())
	}
	if d.RealTime {
		b.WriteString("\n\tand one that waits has a context that ends in real time, as context.WithTimeout makes it;" +
			" the time here is virtual, and that of job.WithTimeout too")
	}
	return b.String()
}

// Unwrap returns schedulers.ErrWouldDeadlock.
func (d *Deadlock) Unwrap() error { return schedulers.ErrWouldDeadlock }

func (s *Scheduler) deadlock() *Deadlock {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.report()
}

// report describes what waits; mu is held.
func (s *Scheduler) report() *Deadlock {
	d := &Deadlock{Time: s.clock.Now(), Trace: s.choices.made.trace(), Steps: s.steps}
	d.RealTime = s.ends.InRealTime()
	for w := range s.waits.All() {
		d.RealTime = d.RealTime || ctxwatch.EndsInRealTime(w.ctx)
		d.Waiting = append(d.Waiting, waiting(name(w.task.work), w.since, place(w.where), w.ctx.Value(contract.ReasonKey)))
	}
	for _, m := range s.suspended.inOrder() {
		at := s.suspended[m]
		d.Waiting = append(d.Waiting, waiting(m.Name(), at.since, dispatch.PlaceOf(m), at.on))
	}
	slices.SortStableFunc(d.Waiting, func(a, b Waiting) int { return cmp.Compare(a.Since, b.Since) })
	return d
}

func waiting(work string, since time.Duration, where schedulers.Place, on any) Waiting {
	what, holder := reason(on)
	return Waiting{
		Work: truncate.Name(work), Since: since, Where: truncate.Text(where.String(), 1<<10),
		For: truncate.Name(what), Holder: truncate.Name(holder),
	}
}

// reason names what a wait is for, and its holder.
func reason(on any) (what, holder string) {
	switch r := on.(type) {
	case probe.Reasoner:
		return r.Reason()
	case numbered:
		return "job " + name(r), ""
	default:
		return "", ""
	}
}

// machinery are the packages that are never reported as the location of a wait.
var machinery = []string{"schedulers.", "schedulers/simulation.", "internal/dispatch.", "internal/shim.", "internal/budget.", "job.", "awaiter.", "coord.", "parallel.", "durable/durabletest.simulated.", "durable.orderedStore."}

const module = "github.com/movenext/movenext/"

// place returns the innermost location outside the machinery, or the outermost one.
func place(stack []uintptr) schedulers.Place {
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		ours, inside := strings.CutPrefix(f.Function, module)
		if !more || !inside || !slices.ContainsFunc(machinery, func(p string) bool { return strings.HasPrefix(ours, p) }) {
			return schedulers.Place{Function: f.Function, File: f.File, Line: f.Line}
		}
	}
}

// numbered is a job, named or not.
type numbered interface{ ID() uint64 }

// name names a work item for a report: a job without a name by its number.
func name(w any) string {
	if l := label(w); l != fmt.Sprintf("%T", w) {
		return l
	}
	if n, ok := w.(numbered); ok {
		return fmt.Sprintf("#%d", n.ID())
	}
	return fmt.Sprintf("%T", w)
}

// label names a work item for an event.
func label(w any) string {
	// The String of a job has its status, which changes from one report to the next.
	_, isJob := w.(interface{ IsCompleted() bool })
	if s, ok := w.(fmt.Stringer); ok && !isJob {
		return s.String()
	}
	if n, ok := w.(interface{ Name() string }); ok && n.Name() != "" {
		return n.Name()
	}
	return fmt.Sprintf("%T", w)
}
