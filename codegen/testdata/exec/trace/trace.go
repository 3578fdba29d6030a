// Package trace is what the cases of the two-executions test are made of: things
// to await whose completion is timed, and a log to compare.
package trace

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Timing says when what a case awaits completes.
type Timing string

const (
	Complete Timing = "complete" // before it is awaited
	Same     Timing = "same"     // later, on the worker that runs the case
	Other    Timing = "other"    // at any moment, on another worker
	Yield    Timing = "yield"    // the case gives up its worker and is resumed at once
)

// Timings are all of them.
var Timings = []Timing{Complete, Same, Other, Yield}

// T is one run of one case.
type T struct {
	Timing Timing

	// Elsewhere is a scheduler that is not the case's home.
	Elsewhere schedulers.Scheduler

	home  schedulers.Scheduler
	mu    sync.Mutex
	lines []string
	burnt int
}

// Log adds a line to the trace.
func (t *T) Log(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

// Note logs v and returns it: it makes the order of evaluation visible.
func Note[V any](t *T, v V) V {
	t.Log("note %v", v)
	return v
}

// Later logs v and returns a job that completes with it when the timing says.
func Later[V any](t *T, v V) *job.Job[V] { return LaterErr(t, v, nil) }

// LaterErr is Later with an error.
func LaterErr[V any](t *T, v V, err error) *job.Job[V] {
	t.Log("later %v %v", v, err)
	return settle(t, v, err)
}

func settle[V any](t *T, v V, err error) *job.Job[V] {
	source := job.NewSource[V]()
	t.at(func() { source.TrySet(v, err) })
	return source.Job()
}

// at calls f when the timing says.
func (t *T) at(f func()) {
	switch t.Timing {
	case Complete:
		f()
	case Same, Yield:
		do(t.home, f)
	case Other:
		do(t.Elsewhere, f)
	}
}

// Get returns v after a suspension. Its twin is written by hand, so a machine
// awaits a job.
func Get[V any](t *T, v V) V {
	v, _ = GetAsync(t, v).Await()
	return v
}

// GetAsync is the twin of Get.
func GetAsync[V any](t *T, v V) *job.Job[V] {
	t.Log("get %v", v)
	return settle(t, v, nil)
}

// Try returns v and err after a suspension, as Get does.
func Try[V any](t *T, v V, err error) (V, error) { return TryAsync(t, v, err).Await() }

// TryAsync is the twin of Try.
func TryAsync[V any](t *T, v V, err error) *job.Job[V] {
	t.Log("try %v %v", v, err)
	return settle(t, v, err)
}

// Step returns n after a suspension. Its twin is generated, so a machine of
// another package enters it without a job.
//
//movenext:async
func Step(t *T, n int) int {
	t.Log("step %d", n)
	if t.Timing == Yield {
		job.Yield()
		return n
	}
	v, _ := settle(t, n, nil).Await()
	return v
}

// Pause suspends and returns nothing.
//
//movenext:async
func Pause(t *T) {
	Step(t, 0)
}

// Foreign returns something to await that is not a job.
func Foreign[V any](t *T, v V, err error) awaiter.Awaitable[V] {
	t.Log("foreign %v %v", v, err)
	return &foreign[V]{t: t, value: v, err: err}
}

type foreign[V any] struct {
	t     *T
	value V
	err   error
}

func (f *foreign[V]) GetAwaiter() awaiter.Awaiter[V] { return f }
func (f *foreign[V]) IsCompleted() bool              { return f.t.Timing == Complete }
func (f *foreign[V]) GetResult() (V, error)          { return f.value, f.err }

// OnCompleted resumes on the spot if the timing is Yield: an awaiter may.
func (f *foreign[V]) OnCompleted(c continuation.Continuation) {
	if f.t.Timing == Yield {
		c.Resume()
		return
	}
	f.t.at(c.Resume)
}

// Context is the context that a case is given.
func (t *T) context() context.Context {
	return schedulers.With(context.Background(), t.home)
}
