package schedulertest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestASchedulerWithoutFaultsPasses(t *testing.T) {
	Run(t, func(testing.TB) Scheduler { return newFaulty("") })
}

// found says which check is there for a fault.
var found = map[string]string{
	"loses work":                          "each accepted work runs exactly once",
	"runs twice":                          "each accepted work runs exactly once",
	"refuses what it queues":              "each accepted work runs exactly once",
	"abandons instead of running":         "each accepted work runs exactly once",
	"loses fair work":                     "flags lose no work",
	"compares works":                      "work of a type that cannot be compared is accepted",
	"accepts nil":                         "nil work is refused, not run",
	"runs in Submit":                      "Submit does not run the work itself",
	"waits for room":                      "Submit does not wait for busy workers",
	"refuses resumed work":                "resumed work is not refused for lack of room",
	"gives equal IDs":                     "workers that run at the same time have different IDs",
	"loses a worker to a panic":           "a panic in work kills no worker",
	"loses a worker to Goexit":            "runtime.Goexit in work kills no worker",
	"trusts hints":                        "a hint that names another scheduler's worker is harmless",
	"panics on a typed nil":               "a hint that names a nil worker of the own kind is harmless",
	"abandons at Shutdown":                "Shutdown runs what is queued",
	"does not wait":                       "Shutdown waits for the work that runs",
	"returns an error the second time":    "Shutdown may be called again",
	"ignores the context of Shutdown":     "Shutdown with an ended context abandons what is queued",
	"gives up without abandoning":         "Shutdown with an ended context abandons what is queued",
	"abandons for another reason":         "Shutdown with an ended context abandons what is queued",
	"returns Err rather than the cause":   "Shutdown with an ended context returns its cause",
	"accepts late":                        "a late Submit is refused with ErrShutdown",
	"refuses late with another error":     "a late Submit is refused with ErrShutdown",
	"leaks a goroutine":                   "many lives of a scheduler leave no goroutine behind",
	"counts refusals as submissions":      "metrics add up after the end",
	"does not count panics":               "metrics add up after the end",
	"forgets to count what it abandons":   "metrics count what was abandoned",
	"shows its own queue as the snapshot": "a snapshot lists what is queued and nothing else",
	"leaves work out of the snapshot":     "a snapshot lists what is queued and nothing else",
	"exceeds its limit":                   "no more works run at a time than MaxConcurrency says",
	"drops what may run in place":         "work that was run in place is not run a second time by its entry",
	"ignores Block":                       "waits that are nested deeper than there are workers do not hang",
	"refuses to block with another error": "waits that are nested deeper than there are workers do not hang",
	"expires early":                       "a timer does not expire before its time",
	"expires in StartTimer":               "a timer of zero or less expires, and not inside of StartTimer",
	"has no timers of zero":               "a timer of zero or less expires, and not inside of StartTimer",
	"does not stop timers":                "a stopped timer does not expire",
	"says true of expired timers":         "StopTimer after the expiry returns false",
}

func TestEachFaultIsFoundByTheCheckThatIsThereForIt(t *testing.T) {
	t.Cleanup(func() { close(leaks); leaks = make(chan struct{}) })
	checks := map[string]check{}
	for _, c := range allChecks() {
		require.NotContains(t, checks, c.name, "two checks of one name")
		checks[c.name] = c
	}
	for fault, name := range found {
		t.Run(fault, func(t *testing.T) {
			c, ok := checks[name]
			require.True(t, ok, "there is no check %q", name)
			assert.NotEmpty(t, failures(c, fault), "%q finds nothing", name)
			assert.Empty(t, failures(c, ""), "%q finds something where there is no fault", name)
		})
	}
}

// failures runs one check on a scheduler with a fault and returns what it complains about. It
// runs outside of bubbles, where a fault would be a deadlock of the test itself.
func failures(c check, fault string) []string {
	patience := 20 * time.Second
	if fault != "" {
		patience = 300 * time.Millisecond // how long it takes to notice that something never happens
	}
	r := &recorder{}
	e := &env{
		TB:     r,
		make:   func(testing.TB) Scheduler { return newFaulty(fault) },
		config: config{patience: patience, noBubble: true},
		has:    capabilities{timers: true, meter: true, snapshotter: true, limiter: true, consenter: true, blocker: true},
	}
	r.run(func() { c.run(e) })
	return r.failures()
}

// recorder is a testing.TB that notes failures instead of failing.
type recorder struct {
	testing.TB // nil: what is not overridden must not be called

	mu       sync.Mutex
	failed   []string
	cleanups []func()
}

// run runs a check and its clean-ups, each to its end or to its Fatal.
func (r *recorder) run(f func()) {
	r.guard(f)
	for len(r.cleanups) > 0 {
		last := r.cleanups[len(r.cleanups)-1]
		r.cleanups = r.cleanups[:len(r.cleanups)-1]
		r.guard(last)
	}
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

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

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
