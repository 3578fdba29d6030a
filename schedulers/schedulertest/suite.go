package schedulertest

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// Scheduler is the subject of the suite: a scheduler that can be shut down. Otherwise every
// test of its users would leave its workers behind.
type Scheduler interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// Option adapts the suite to a scheduler with a documented deviation.
type Option func(*config)

type config struct {
	timeout  time.Duration
	inPlace  bool
	blocks   bool
	noBubble bool
}

// Patience sets how long a check waits for an event that must happen before it
// counts the event as lost; the default is 20 seconds. Otherwise no check fails
// for being slow.
func Patience(d time.Duration) Option { return func(c *config) { c.timeout = d } }

// RunsInPlace declares that Submit may run the work before it returns. In the suite it
// must not do so on the caller's goroutine: some work calls runtime.Goexit, which would
// end the test, and some waits for the caller's next action. To test a scheduler that runs
// work on the goroutine of its caller, wrap it in one that calls Submit on another
// goroutine.
func RunsInPlace() Option { return func(c *config) { c.inPlace = true } }

// SubmitBlocks declares that Submit may wait for room while all workers are busy.
func SubmitBlocks() Option { return func(c *config) { c.blocks = true } }

// NoBubble declares that the scheduler does not work inside a testing/synctest bubble,
// because it uses something outside of it.
func NoBubble() Option { return func(c *config) { c.noBubble = true } }

// Run runs every check that applies to the schedulers that make returns, each in a subtest
// with a scheduler of its own. make must return a new scheduler, which the suite shuts
// down.
//
// The checks for leaks inspect all goroutines of the process. Do not call Run in a test
// that runs in parallel with others.
func Run(t *testing.T, make func(testing.TB) Scheduler, opts ...Option) {
	t.Helper()
	cfg := newConfig(opts)
	has := examine(t, make, cfg)
	for _, c := range allChecks() {
		if c.applies(has, cfg) {
			t.Run(c.name, func(t *testing.T) {
				e := &env{TB: t, make: make, config: cfg, has: has, bubble: bubbleIn(t)}
				e.parallel = parallelIn(t, e)
				c.run(e)
			})
		}
	}
}

func newConfig(opts []Option) config {
	cfg := config{timeout: 20 * time.Second}
	for _, o := range opts {
		o(&cfg)
	}
	return cfg
}

// bubbleIn returns a function that runs f inside a synctest bubble below t. The bubble
// has a testing.TB of its own, so that functions registered with Cleanup run inside.
func bubbleIn(t *testing.T) func(f func(testing.TB)) {
	return func(f func(testing.TB)) { synctest.Test(t, func(t *testing.T) { f(t) }) }
}

// parallelIn returns a function that runs f as n parallel subtests of t.
func parallelIn(t *testing.T, e *env) func(n int, f func(*env)) {
	return func(n int, f func(*env)) {
		for i := range n {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				each := *e
				each.TB, each.bubble = t, bubbleIn(t)
				f(&each)
			})
		}
	}
}

// check is one requirement that a scheduler's author can get wrong.
type check struct {
	name    string // the requirement, as a subtest's name
	applies func(capabilities, config) bool
	run     func(*env)
}

func allChecks() []check {
	var all []check
	all = append(all, runningChecks()...)
	all = append(all, survivalChecks()...)
	all = append(all, hintChecks()...)
	all = append(all, shutdownChecks()...)
	all = append(all, raceChecks()...)
	all = append(all, capabilityChecks()...)
	all = append(all, blockingChecks()...)
	all = append(all, yieldingChecks()...)
	all = append(all, roomChecks()...)
	all = append(all, timerChecks()...)
	all = append(all, bubbleChecks()...)
	all = append(all, eventChecks()...)
	return all
}

func always(capabilities, config) bool { return true }

// capabilities are the optional capabilities of a scheduler and its workers.
type capabilities struct {
	timers, meter, snapshotter, limiter, consenter bool

	blocker, keeper bool // of its workers
	givesWay        bool // its workers pump or are replaced while they wait
	tells           bool // it reports events
}

func examine(tb testing.TB, make func(testing.TB) Scheduler, cfg config) capabilities {
	tb.Helper()
	e := &env{TB: tb, make: make, config: cfg}
	a := listen()
	defer a.stop()
	s := e.new()
	var has capabilities
	_, has.timers = s.(schedulers.Timers)
	_, has.meter = s.(schedulers.Meter)
	_, has.snapshotter = s.(schedulers.Snapshotter)
	_, has.limiter = s.(schedulers.Limiter)
	_, has.consenter = s.(schedulers.Consenter)
	l := e.ledger(s)
	l.submit(func(on schedulers.Worker) {
		_, has.blocker = on.(schedulers.Blocker)
		_, has.keeper = on.(dispatch.Keeper)
		_, has.givesWay = on.(schedulers.Pumper)
		has.givesWay = has.givesWay || has.blocker
	}, schedulers.Hint{})
	l.finish()
	has.tells = a.heard()
	return has
}

// env is the environment of a check.
type env struct {
	testing.TB
	config

	make func(testing.TB) Scheduler
	has  capabilities

	bubble   func(f func(testing.TB))       // runs f inside a bubble
	parallel func(n int, f func(each *env)) // runs f n times at once
}

// times returns how often a check does what it repeats: n times, and a fifth of that with -short.
// Where each work item has a thread of its own, repetition is nearly all that the suite takes.
func (e *env) times(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

// inBubble runs f inside a bubble, with an env that belongs to the bubble. Patience costs
// no time there: the clock jumps to the deadline when nothing else can happen.
func (e *env) inBubble(f func(*env)) {
	e.bubble(func(tb testing.TB) {
		inside := *e
		inside.TB = tb
		inside.timeout = 100 * time.Hour
		f(&inside)
	})
}

// new makes a scheduler that is shut down, one way or the other, when the check ends.
func (e *env) new() Scheduler {
	e.Helper()
	s := e.make(e.TB)
	if s == nil {
		e.Fatal("the function that makes schedulers returned nil")
	}
	e.Cleanup(func() { e.end(s) })
	return s
}

// end shuts s down, so that a check that has failed does not make the next one fail too. It does
// not wait longer for a Shutdown that hangs: the others would not be checked.
func (e *env) end(s Scheduler) {
	ctx, cancel := context.WithTimeout(context.Background(), e.timeout)
	defer cancel()
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		_ = s.Shutdown(ctx)
	}()
	select {
	case <-returned:
	case <-time.After(2 * e.timeout):
	}
}

// deadline returns a channel that delivers when the timeout has passed. In a bubble,
// that is when nothing more can happen.
func (e *env) deadline() <-chan time.Time { return time.After(e.timeout) }

// await receives from c, or fails with a message that contains what.
func (e *env) await(c <-chan struct{}, what string, args ...any) {
	e.Helper()
	select {
	case <-c:
	case <-e.deadline():
		e.Fatalf("waited %v: "+what, append([]any{e.timeout}, args...)...)
	}
}
