package jobtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/errtree"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// session is one call of Run or Explore: a program, and the state that its
// schedules share.
type session struct {
	*settings
	t             testing.TB
	program       func(context.Context) error
	hang          context.Context   // ends if a step hangs
	moved         atomic.Bool       // a step was taken since the watchdog last checked
	goroutines    int               // of the process, outside of any schedule
	knownStacks   map[string]string // their stacks, if there is one schedule only
	runs          int
	horizon       int  // choices of the longest schedule
	choosingFault bool // the choice is whether a fault happens
}

// outcome is the outcome of one schedule.
type outcome struct {
	failure *failure // nil: it ended correctly
	trace   simulation.Trace
	events  []simulation.Event // up to the failure, if they were recorded

	unrepeated bool // it has not failed when it was repeated
	running    bool // it has taken too many steps, and could not be ended
}

func (o outcome) failed() bool { return o.failure != nil }

// kind is the kind of a failure. A schedule is shrunk as long as its failure keeps its kind.
type kind string

const (
	failed    kind = "an error"
	panicked  kind = "a panic"
	deadlock  kind = "a deadlock"
	leak      kind = "a leak"
	broken    kind = "a broken invariant"
	endless   kind = "no end"
	hanging   kind = "a step that hangs"
	diverging kind = "another program"
)

// failure describes what went wrong in a schedule.
type failure struct {
	kind kind
	err  error
	more string // further text of a report: stacks
}

// errOver is the cause of the context of the test's function once the function
// has returned.
var errOver = errors.New("jobtest: the test's function has returned")

// graceSteps limits the steps that work left behind by the test's function may take before the
// context ends. Work that ends by itself is not affected; a ticker is.
const graceSteps = 1000

// errHangs is the cause when the driver gives up.
var errHangs = errors.New("jobtest: a step has not returned within 10 s: it waits for something that the simulation does not see")

// maxStepTime is the real time that a step may take.
const maxStepTime = 10 * time.Second

// maxEndTime is the real time after which a program whose context has ended, and which goes on
// taking steps, is taken for one that never ends.
const maxEndTime = time.Second

// watch starts the clock of the watchdog. A test replaces it with one that it drives by hand.
var watch = func(d time.Duration) (ticks <-chan time.Time, stop func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// rootName is the name of the job that calls the test's function.
const rootName = "the test"

// newSession returns a session, of a single schedule or of many, and the function that
// ends it.
func newSession(t testing.TB, program func(context.Context) error, single bool, opts []Option) (*session, func()) {
	s := &session{settings: settingsOf(opts, single), t: t, program: program}
	hang, cancel := context.WithCancelCause(context.Background())
	s.hang = hang
	restoreBudget := func() {}
	if s.suspendEverywhere || !single {
		restoreBudget = budget.EveryAwait()
	}
	stopWatchdog := s.startWatchdog(cancel)
	if s.goroutines = runtime.NumGoroutine(); single || *replayFlag != "" {
		s.knownStacks = goroutines()
	}
	return s, func() {
		stopWatchdog()
		restoreBudget()
		cancel(nil)
	}
}

// startWatchdog starts a goroutine that calls cancel if a step does not return.
func (s *session) startWatchdog(cancel context.CancelCauseFunc) (stop func()) {
	ticks, stopTicks := watch(maxStepTime)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				return
			case <-ticks:
				if !s.moved.Swap(false) {
					cancel(errHangs)
					return
				}
			}
		}
	}()
	return func() {
		close(over)
		stopTicks()
		<-ended
	}
}

// runningSchedule is the program while it runs in one schedule.
type runningSchedule struct {
	*session
	sim         *simulation.Scheduler
	recording   bool
	ctx         context.Context // of the test's function
	cancel      context.CancelCauseFunc
	interrupted bool
	began       bool // the test's function
	returned    bool // or has panicked
	after       int  // steps since then
	result      error
	panic       *simulation.Panic
	broken      error
	events      []simulation.Event
}

// run runs the program in one schedule. make is passed the options of the simulation. If record
// is set, the outcome has events.
func (s *session) run(make func(...simulation.Option) *simulation.Scheduler, record bool) outcome {
	s.runs++
	r := &runningSchedule{session: s, recording: record}
	r.ctx, r.cancel = context.WithCancelCause(context.WithValue(context.Background(), faultKey{}, r))
	defer r.cancel(nil)
	opts := append(observer(r, record), simulation.Steps(s.steps), simulation.StepTime(s.timeRaces), simulation.Settle(),
		simulation.OnPanic(r.notePanic), simulation.Between(r.check), simulation.Idle(r.idle))
	if s.settings.cancel {
		opts = append(opts, simulation.Interrupt(func() { r.interrupted = true; r.cancel(context.Canceled) }))
	}
	if s.faults != nil {
		opts = append(opts, simulation.Refuse(r.refuse))
	}
	sim := make(opts...)
	r.sim = sim
	defer ambient.StandIn(sim)() // for functions without a context
	root := job.Go(schedulers.With(r.ctx, sim), r.body, job.Named(rootName))
	err := sim.RunUntil(s.hang, nil)
	o := outcome{trace: sim.Trace()}
	s.horizon = max(s.horizon, len(o.trace))
	if root.IsCompleted() {
		_, r.result = root.GetResult()
	}
	o.failure, o.events = r.judge(err), r.events
	if errors.Is(err, simulation.ErrTooManySteps) && !r.stop(sim) {
		o.running = true
		o.failure.more += "\nThe program ignores the end of its context, and is still running: tests after this one are slower, and may fail."
	}
	if d, is := errors.AsType[*simulation.Deadlock](err); is {
		o.events = eventsBefore(d, o.events)
	}
	return o
}

// stop ends the context of a program that has taken too many steps, and reports whether the
// program has ended.
func (r *runningSchedule) stop(sim *simulation.Scheduler) bool {
	r.cancel(errOver)
	ctx, cancel := context.WithTimeout(r.hang, maxEndTime)
	defer cancel()
	return sim.Shutdown(ctx) == nil
}

// observer returns the options that record the events of r.
func observer(r *runningSchedule, record bool) []simulation.Option {
	if !record {
		return nil
	}
	return []simulation.Option{simulation.Observe(r.record)}
}

// body is the function of the job that calls the test's function.
func (r *runningSchedule) body(ctx context.Context) error {
	r.began = true
	defer func() { r.returned = true }()
	return r.program(ctx)
}

// idle ends the context when all other work that the test's function has left
// behind is done.
func (r *runningSchedule) idle() bool {
	if !r.returned || r.ctx.Err() != nil {
		return false
	}
	r.cancel(errOver)
	return true
}

// notePanic notes the first panic.
func (r *runningSchedule) notePanic(p *simulation.Panic) {
	if r.panic == nil {
		r.panic = p
	}
}

// record records events until something is wrong.
func (r *runningSchedule) record(e simulation.Event) {
	if r.panic == nil && r.broken == nil {
		r.events = append(r.events, e)
	}
}

// eventsBefore returns the events before a deadlock, which is broken afterwards so that
// all work ends.
func eventsBefore(d *simulation.Deadlock, events []simulation.Event) []simulation.Event {
	steps := 0
	for i, e := range events {
		if e.Kind != simulation.Begin && e.Kind != simulation.Resume {
			continue
		}
		if steps++; steps > d.Steps {
			return events[:i]
		}
	}
	return events
}

// check calls the invariant.
func (r *runningSchedule) check() error {
	r.moved.Store(true)
	if r.returned {
		if r.after++; r.after == graceSteps {
			r.cancel(errOver)
		}
	}
	if r.invariant == nil || !r.began {
		return nil
	}
	r.broken = r.invariant()
	return r.broken
}

// judge returns what is wrong with a schedule whose driver has returned err.
func (r *runningSchedule) judge(err error) *failure {
	var d *simulation.Deadlock
	switch {
	case errors.Is(err, errHangs):
		return &failure{hanging, err, stacks()}
	case errors.Is(err, simulation.ErrDiverged):
		return &failure{kind: diverging, err: err}
	case r.panic != nil:
		return &failure{panicked, fmt.Errorf("%s has panicked: %v", r.panic.Work, r.panic.Value), string(r.panic.Stack)}
	case r.broken != nil:
		return &failure{kind: broken, err: r.broken}
	case errors.Is(err, simulation.ErrTooManySteps):
		return &failure{kind: endless, err: fmt.Errorf("the program has not ended after %d steps", r.steps)}
	case errors.As(err, &d) && r.includesTest(d):
		return &failure{kind: deadlock, err: d}
	case err != nil && !errors.As(err, &d):
		return &failure{kind: failed, err: err}
	case r.result != nil && (!r.interrupted || !errtree.ConsistsOf(r.result, context.Canceled)):
		return &failure{kind: failed, err: r.result}
	case d != nil:
		return &failure{kind: leak, err: &leaked{d}}
	}
	return nil
}

// includesTest reports whether the test's function is part of a deadlock. If not, the
// waiting work was left behind by it.
func (r *runningSchedule) includesTest(d *simulation.Deadlock) bool {
	for _, w := range d.Waiting {
		if w.Work == rootName {
			return true
		}
	}
	return !r.returned
}

// leaked is a deadlock of work that the test's function has left behind.
type leaked struct{ deadlock *simulation.Deadlock }

// Error describes the leak, one line for each waiter.
func (l *leaked) Error() string {
	text := fmt.Sprintf("jobtest: the test's function has returned and its context has ended, and %d still wait, forever:", len(l.deadlock.Waiting))
	for _, w := range l.deadlock.Waiting {
		text += "\n\t" + w.String()
	}
	return text
}

// Unwrap returns the deadlock.
func (l *leaked) Unwrap() error { return l.deadlock }
