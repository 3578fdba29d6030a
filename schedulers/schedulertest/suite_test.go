package schedulertest

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestASchedulerWithoutFaultsPasses(t *testing.T) {
	Run(t, func(testing.TB) Scheduler { return newFaulty("") })
}

func TestEachFaultIsFoundByItsCheck(t *testing.T) {
	checks := map[string]check{}
	for _, c := range allChecks() {
		require.NotContains(t, checks, c.name, "two checks of one name")
		checks[c.name] = c
	}
	for _, f := range faults {
		t.Run(f.fault+": "+f.check, func(t *testing.T) {
			c, ok := checks[f.check]
			require.True(t, ok, "no check has this name")
			assert.True(t, found(t, c, f.fault), "finds nothing")
		})
	}
}

// found runs a check on schedulers with a fault until it fails, and reports whether it did.
// Many faults show only if two goroutines coincide. On a loaded machine that may not happen
// the first or second time, but it will happen.
func found(t *testing.T, c check, fault string) bool {
	t.Helper()
	for range 20 {
		if len(failures(t, c, fault)) > 0 {
			return true
		}
	}
	return false
}

func TestEachCheckFindsAFaultAndNothingWhereThereIsNone(t *testing.T) {
	for _, c := range allChecks() {
		t.Run(c.name, func(t *testing.T) {
			assert.True(t, slices.ContainsFunc(faults, func(f fault) bool { return f.check == c.name }),
				"no fault shows that this check can fail")
			assert.Empty(t, failures(t, c, ""), "complains without a fault")
		})
	}
}

// failures runs one check on schedulers with a fault and returns its failures.
func failures(t *testing.T, c check, fault string) []string {
	t.Helper()
	patience := 20 * time.Second
	if fault != "" {
		patience = 150 * time.Millisecond // the time to notice that an event never happens
	}
	r := &recorder{}
	e := &env{
		TB: r,
		make: func(tb testing.TB) Scheduler {
			s := newFaulty(fault)
			tb.Cleanup(s.release)
			return s
		},
		config: config{timeout: patience},
		has:    capabilities{timers: true, meter: true, snapshotter: true, limiter: true, consenter: true, blocker: true, givesWay: true, tells: true},
	}
	e.bubble = func(f func(testing.TB)) {
		// Clean-ups must run inside the bubble, by a recorder of its own.
		synctest.Test(t, func(*testing.T) {
			inside := &recorder{}
			inside.run(func() { f(inside) })
			r.add(inside.failures()...)
		})
	}
	e.parallel = func(n int, f func(*env)) { // one after the other, to keep the load low
		for range n {
			f(e)
		}
	}
	r.run(func() { c.run(e) })
	return r.failures()
}

// recorder is a testing.TB that records failures instead of failing.
type recorder struct {
	testing.TB // nil: methods that are not overridden must not be called

	mu       sync.Mutex
	failed   []string
	cleanups []func()
}

// run runs a check and its clean-ups, each to its end or to its Fatal.
func (r *recorder) run(f func()) {
	r.guard(f)
	for last := r.lastCleanup(); last != nil; last = r.lastCleanup() {
		r.guard(last)
	}
}

func (r *recorder) lastCleanup() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.cleanups) - 1
	if n < 0 {
		return nil
	}
	last := r.cleanups[n]
	r.cleanups = r.cleanups[:n]
	return last
}

func (r *recorder) guard(f func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f()
	}()
	<-ended
}

func (r *recorder) failures() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *recorder) add(failed ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, failed...)
}

func (r *recorder) Errorf(format string, args ...any) { r.add(fmt.Sprintf(format, args...)) }

func (r *recorder) Error(args ...any) { r.Errorf("%s", fmt.Sprint(args...)) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

func (r *recorder) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

func (r *recorder) Helper()             {}
func (r *recorder) Log(...any)          {}
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Name() string        { return "recorder" }
func (r *recorder) Failed() bool        { return len(r.failures()) > 0 }
