package job

import (
	"fmt"
	"runtime"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/schedulers"
)

// # Unobserved failures
//
// A job that fails, and whose handles are all dropped without a look, has failed
// silently. Only the garbage collector knows the moment. So a failure, and only a
// failure, gets a cleanup that the collector calls when the job is gone. What the
// cleanup reports cannot be in the job, since it must not keep the job alive. It is in
// a record of its own, which the job points to and marks when it is observed.

// Failure is what a hook is told; see [OnUnobserved].
type Failure struct {
	Err      error
	ID       uint64
	Name     string
	Creation Frame // File is empty if it was not recorded
}

// OnUnobserved has hook called for each unobserved failure: of a job that Faulted while
// a hook was set, and whose handles were all dropped without a call of Wait, Await,
// GetResult or Err, and without another job taking the failure over. A canceled job is
// no failure. A [Source] that was made while a hook was set, and was dropped before it
// was completed, is one ([ErrDropped]). It returns the hook that was set before; nil is
// none. It is safe for concurrent use.
//
// The hook is called some time after the next garbage collection, or by
// [ReportUnobserved], on any goroutine, and must not block. A panic in it is contained
// (see [schedulers.Hook]), and the failure counts as reported. A job that succeeds pays
// nothing for it; a Source that is made while a hook is set takes a microsecond and 300
// bytes more (BenchmarkSourceWhileFailuresAreReported). An error that itself refers to
// its job (by the job's context, say) keeps that job in memory, and is reported by
// ReportUnobserved alone.
func OnUnobserved(hook func(Failure)) (before func(Failure)) {
	var next *unobserved
	if hook != nil {
		next = &unobserved{hook, schedulers.NewHook("job.OnUnobserved", hook)}
	}
	if last := unobservedHook.Swap(next); last != nil {
		return last.given
	}
	return nil
}

// ReportUnobserved immediately reports all failures not observed so far, even of jobs
// that are still held, and returns their number. It is for the end of a program, and of
// a test. Each failure is reported once.
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

// unobserved is what was set: the function as it was given, and as it is called.
type unobserved struct {
	given func(Failure)
	hook  schedulers.Hook[Failure]
}

// failure is the record of one failure.
type failure struct {
	Failure
	made    uintptr         // of a source: where, looked up when it is reported; or 0
	settled interleave.Bool // observed, or reported
}

// reportWith has the collector report f when c is garbage.
func (f *failure) reportWith(c *core) {
	runtime.AddCleanup(c, func(f *failure) { f.report() }, f)
}

// fail makes the record of a failure, if a hook is set. The caller has written the
// error and not yet published it.
func (c *core) fail() {
	if unobservedHook.Load() == nil || c.mode&reported != 0 {
		return
	}
	r := c.extras()
	f := &failure{Failure: Failure{Err: r.err, ID: r.id, Name: r.name, Creation: c.frame("job")}}
	r.failure = f
	outstanding.add(f)
	f.reportWith(c)
}

// # Sources that are dropped
//
// A machine that waits for a source's job is kept alive by that job alone. If the source
// is dropped, both are garbage, and the machine is gone without a trace: its deferred
// calls never run. Only the collector knows. A cleanup makes a source ten times as expensive
// (1.0 to 2.4 µs instead of 0.1, 360 bytes instead of 48), so there is one only while a hook
// listens, which is how a program asks to be told. A goroutine that waits keeps the
// source alive, and is seen in a dump of the goroutines.

// mayBeDropped has the collector report a job that others complete, if none does. skip is the
// number of calls between here and the code to name. It is called before the job is in use;
// of several first uses of a zero source, the one whose record gets in reports.
func (c *core) mayBeDropped(skip int) {
	if unobservedHook.Load() == nil {
		return
	}
	id := lastID.Add(1)
	f := &failure{Failure: Failure{Err: ErrDropped, ID: id}}
	var made [1]uintptr
	runtime.Callers(skip+1, made[:])
	f.made = made[0]
	if c.rare.CompareAndSwap(nil, &rare{id: id, recorded: &recorded{dropped: f}}) {
		f.reportWith(c)
	}
}

// observe notes that the outcome has been given out.
func (c *core) observe() {
	if !c.state.observe() {
		return
	}
	if r := c.rare.Load(); r != nil && r.failure != nil {
		if r.failure.settled.CompareAndSwap(false, true) {
			outstanding.remove(r.failure)
		}
	}
	runtime.KeepAlive(c) // or the cleanup could come before the mark
}

// report tells the hook, unless the failure is settled.
func (f *failure) report() bool {
	if !f.settled.CompareAndSwap(false, true) {
		return false
	}
	outstanding.remove(f)
	hook := unobservedHook.Load()
	if hook == nil {
		return false
	}
	if f.made != 0 {
		f.Creation = Frame{What: "source", Job: fmt.Sprintf("#%d", f.ID)}
		f.Creation.Function, f.Creation.File, f.Creation.Line = where(f.made)
	}
	hook.hook.Call(f.Failure)
	return true
}

// outstanding are the failures that are not settled.
var outstanding failureSet

type failureSet struct {
	mu  interleave.Mutex
	set shrinkmap.Map[*failure, struct{}]
}

func (s *failureSet) add(f *failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set.Put(f, struct{}{})
}

func (s *failureSet) remove(f *failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set.Delete(f)
}

func (s *failureSet) all() (fs []*failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.set.All() {
		fs = append(fs, f)
	}
	return fs
}
