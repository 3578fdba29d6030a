package simulation

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// Deadlock says that nothing could run while something waited. It wraps [schedulers.ErrWouldDeadlock].
type Deadlock struct { //nolint:errname // what has happened, and not a kind of error
	Time    time.Duration // on the virtual clock
	Waiting []Waiting     // who waited, in the order of the beginning
	Trace   Trace         // how it came to that
}

// Waiting is one work that waits.
type Waiting struct {
	Work  string        // its String or Name, or else its type
	Since time.Duration // on the virtual clock
	Where string        // function, file and line of the wait
}

// Error describes the deadlock, a line for each that waits.
func (d *Deadlock) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "simulation: deadlock at %v: nothing can run, no timer is set, and ", d.Time)
	if len(d.Waiting) == 0 {
		b.WriteString("what is waited for has not happened")
	} else {
		fmt.Fprintf(&b, "%d wait:", len(d.Waiting))
	}
	for _, w := range d.Waiting {
		fmt.Fprintf(&b, "\n\t%s, since %v, in %s", w.Work, w.Since, w.Where)
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
	d := &Deadlock{Time: s.clock.Now(), Trace: slices.Clone(s.choices.made)}
	for _, w := range s.waits {
		d.Waiting = append(d.Waiting, Waiting{w.task.label, w.since, place(w.where)})
	}
	return d
}

// machinery are the packages of which the place of a wait is not of interest.
var machinery = []string{"schedulers.", "schedulers/simulation.", "internal/shim.", "job.", "awaiter.", "coord.", "parallel."}

const module = "github.com/movenext/movenext/"

// place returns the innermost frame outside of the machinery.
func place(pcs []uintptr) string {
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		ours, inside := strings.CutPrefix(f.Function, module)
		known := inside && slices.ContainsFunc(machinery, func(p string) bool { return strings.HasPrefix(ours, p) })
		if !known || !more {
			return fmt.Sprintf("%s (%s:%d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:], base(f.File), f.Line)
		}
	}
}

func base(file string) string { return file[strings.LastIndexByte(file, '/')+1:] }

// label names a work.
func label(w any) string {
	if s, ok := w.(fmt.Stringer); ok {
		return s.String()
	}
	if n, ok := w.(interface{ Name() string }); ok && n.Name() != "" {
		return n.Name()
	}
	return fmt.Sprintf("%T", w)
}
