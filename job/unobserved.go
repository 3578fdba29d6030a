package job

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/schedulers"
)

// # Unobserved failures
//
// A job that fails, and whose handles are all dropped without a look at its error, has
// failed silently. Only the garbage collector can detect that. So a failed job, and only
// a failed one, gets a cleanup that the collector calls when the job is gone. The
// cleanup must not keep the job alive, so its report is not in the job but in a separate
// record, which the job points to and marks when it is observed.

// Failure describes an unobserved failure to a hook; see [OnUnobserved].
type Failure struct {
	Err      error
	ID       uint64
	Name     string
	Creation Frame // File is empty if it was not recorded
}

// OnUnobserved sets the hook that is called for each unobserved failure. A failure is
// unobserved if a job Faulted while a hook was set, all its handles were dropped without
// a call of Wait, Await, GetResult or Err, and no other job has taken the failure over.
// A canceled job is not a failure. A [Source] that was made while a hook was set, and
// was dropped before it was completed, is one ([ErrDropped]). OnUnobserved returns the
// previous hook; nil means none. It is safe for concurrent use.
//
// An unobserved panic of a job that Faulted while no hook was set is written to standard error
// with its stack, once, and the program continues; other failures are not reported. So a panic
// is never silent, as it is not in plain Go, where it ends the process. A hook replaces that.
//
// The hook is called some time after the next garbage collection, or by
// [ReportUnobserved], on any goroutine, and must not block. A panic in it is contained
// (see [schedulers.Hook]), and the failure counts as reported. A job that succeeds pays
// nothing for this; a Source that is made while a hook is set takes a microsecond and
// 300 bytes more (BenchmarkSourceWhileFailuresAreReported). An error that refers to its
// own job (by the job's context, say) keeps that job in memory, and only
// ReportUnobserved reports it.
func OnUnobserved(hook func(Failure)) (before func(Failure)) {
	var next *unobserved
	if hook != nil {
		next = &unobserved{hook, schedulers.NewHook("job.OnUnobserved", hook)}
	}
	if last := interleave.SwapPointer(&unobservedHook, next); last != nil {
		return last.function
	}
	return nil
}

// ReportUnobserved immediately reports all failures not observed so far, even of jobs
// that are still reachable, and returns their number. It is meant for the end of a
// program or a test. Each failure is reported once.
func ReportUnobserved() int {
	n := 0
	for _, f := range outstanding.all() {
		if f.report() {
			n++
		}
	}
	return n
}

var unobservedHook interleave.Pointer[unobserved]

// unobserved is a hook that was set: the user's function, and the form in which it is called.
type unobserved struct {
	function func(Failure)
	hook     schedulers.Hook[Failure]
}

// failure is the record of one failure.
type failure struct {
	Failure
	creationPC uintptr         // of a source: its program counter, looked up for the report; or 0
	settled    interleave.Bool // observed, or reported
	unhooked   bool            // there was no hook when the job failed: its panics are written
}

// reportWith arranges for the collector to report f when c is garbage.
func (f *failure) reportWith(c *core) {
	runtime.AddCleanup(c, func(f *failure) { f.report() }, f)
}

// fail makes the record of a failure, if a hook is set or the failure is a panic. The
// caller has written the error and not yet published it.
func (c *core) fail() {
	if c.mode&reported != 0 {
		return
	}
	r := c.ensureExtra()
	unhooked := interleave.LoadPointer(&unobservedHook) == nil
	if unhooked && len(panicsIn(r.err, nil)) == 0 {
		return
	}
	f := &failure{Failure: Failure{Err: r.err, ID: r.id, Name: r.name, Creation: c.frame("job")}, unhooked: unhooked}
	r.failure = f
	outstanding.add(f)
	f.reportWith(c)
}

// # Sources that are dropped
//
// A machine that waits for a source's job is kept alive by that job alone. If the source
// is dropped, both are garbage, and the machine vanishes without a trace: its deferred
// calls never run. Only the collector can detect that. A cleanup makes a source ten
// times as expensive (1.0 to 2.4 µs instead of 0.1, 360 bytes instead of 48), so a
// source gets one only while a hook is set. A goroutine that waits keeps the source
// alive, and is visible in a dump of the goroutines.

// mayBeDropped arranges for the collector to report the job of a source if it is dropped
// before it is completed. skip is the number of calls between here and the code to name.
// mayBeDropped is called before the job is in use. If several goroutines use a zero
// source first, the one that stores its record names its place.
func (c *core) mayBeDropped(skip int) {
	if interleave.LoadPointer(&unobservedHook) == nil {
		return
	}
	id := lastID.Add(1)
	f := &failure{Failure: Failure{Err: ErrDropped, ID: id}}
	var made [1]uintptr
	runtime.Callers(skip+1, made[:])
	f.creationPC = made[0]
	if interleave.CompareAndSwapPointer(&c.extra, nil, &extra{id: id, diagnostics: &diagnostics{dropFailure: f}}) {
		f.reportWith(c)
	}
}

// observe records that a caller has read the outcome.
func (c *core) observe() {
	if !c.state.observe() {
		return
	}
	if r := interleave.LoadPointer(&c.extra); r != nil && r.failure != nil {
		if r.failure.settled.CompareAndSwap(false, true) {
			outstanding.remove(r.failure)
		}
	}
	runtime.KeepAlive(c) // or the cleanup could come before the mark
}

// report passes the failure to the hook, unless it is settled.
func (f *failure) report() bool {
	if !f.settled.CompareAndSwap(false, true) {
		return false
	}
	outstanding.remove(f)
	hook := interleave.LoadPointer(&unobservedHook)
	if f.unhooked || hook == nil {
		return f.write()
	}
	if f.creationPC != 0 {
		f.Creation = Frame{What: "source", Job: fmt.Sprintf("#%d", f.ID)}
		f.Creation.Function, f.Creation.File, f.Creation.Line = where(f.creationPC)
	}
	hook.hook.Call(f.Failure)
	return true
}

// write writes the panics of a failure to standard error, and reports whether there was
// one that had not been written yet: a panic may be the failure of several jobs.
func (f *failure) write() bool {
	written := false
	for _, p := range panicsIn(f.Err, nil) {
		if p.written.CompareAndSwap(false, true) {
			written = true
			writePanic.Call(unobservedPanic{f, p})
		}
	}
	return written
}

type unobservedPanic struct {
	failure *failure
	panic   *PanicError
}

// writePanic is a hook because it calls methods of the panic's value.
var writePanic = schedulers.NewHook("job.OnUnobserved", func(u unobservedPanic) {
	name := fmt.Sprintf("#%d", u.failure.ID)
	if u.failure.Name != "" {
		name = fmt.Sprintf("%q", truncate.Name(u.failure.Name))
	}
	var text strings.Builder
	u.panic.writeStacks(&text)
	_, _ = fmt.Fprintf(os.Stderr, "movenext: nobody has looked at the error of job %s: %s\n\n%s\n", name, truncate.Indented(u.panic.Error()), &text)
})

// panicsIn appends the panics in the tree of err, as far as errors.Join and fmt.Errorf have
// made it. It is tempting to call every Unwrap, as errors.As does. But a completer asks, and
// completing runs no user code: an Unwrap that panics would leave the waiters waiting.
func panicsIn(err error, all []*PanicError) []*PanicError {
	if p, ok := err.(*PanicError); ok {
		return append(all, p)
	}
	switch reflect.TypeOf(err) {
	case joined, wrappedSeveral:
		for _, inner := range err.(interface{ Unwrap() []error }).Unwrap() {
			all = panicsIn(inner, all)
		}
	case wrapped:
		return panicsIn(errors.Unwrap(err), all)
	}
	return all
}

// The types of the trees of the standard library.
var (
	joined         = reflect.TypeOf(errors.Join(ErrGoexit))
	wrapped        = reflect.TypeOf(fmt.Errorf("%w", ErrGoexit))
	wrappedSeveral = reflect.TypeOf(fmt.Errorf("%w %w", ErrGoexit, ErrGoexit))
)

// outstanding are the failures that are not settled.
var outstanding failureSet

type failureSet struct {
	mu  interleave.Mutex
	set shrinkmap.Map[*failure, struct{}]
}

func (s *failureSet) add(f *failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shrinkmap.Put(&s.set, f, struct{}{})
}

func (s *failureSet) remove(f *failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shrinkmap.Delete(&s.set, f)
}

func (s *failureSet) all() (fs []*failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range shrinkmap.All(&s.set) {
		fs = append(fs, f)
	}
	return fs
}
