package simulation

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/idpool"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/internal/vclock"
	"github.com/movenext/movenext/schedulers"
)

// Scheduler runs work in an order that depends only on its seed. Make one with [New] or
// [Replay]. All methods are safe for concurrent use, but a program is reproducible only
// if it uses them from one goroutine and from the work itself.
//
// Besides [schedulers.Scheduler] it implements Shutdowner, Timers (with virtual time),
// Snapshotter, Limiter and Meter, and its workers implement Blocker and Pumper. It
// gives no consent to run work in place: that would be a choice outside the schedule.
type Scheduler struct {
	tally   tally.Tally
	driver  driver
	observe schedulers.Hook[Event]
	// See the options OnPanic, Between, Idle and Interrupt.
	panicked  schedulers.Hook[*Panic]
	between   schedulers.Hook[*error]
	idle      schedulers.Hook[*bool]
	interrupt schedulers.Hook[struct{}] // unset once it is called
	refuse    schedulers.Hook[*refusal]
	// See the options of these names.
	maxSteps int // steps; 0: no limit
	outside  time.Duration
	stepTime time.Duration
	settle   bool

	now atomic.Int64 // what clock shows

	mu          sync.Mutex
	clock       vclock.Guarded
	ids         idpool.Guarded // of workers
	choices     choices
	ready       turns
	waits       waits // of work items
	actors      actors
	suspended   suspended
	woken       map[probe.Suspension]any // what they have waited for; for the observer
	suspensions int                      // suspensions so far
	arriving    int                      // machines that were woken and are not queued yet
	arrived     chan struct{}            // closed when there are none; nil: not awaited
	burst       *burst                   // the steps that are being taken; nil: none
	holder      *task                    // the work that has the baton
	waking      bool                     // the next submission is that of a sleeper, and its
	awake       turn                     // turn, which has been chosen
	steps       int
	checked     bool   // Between was called since the last step
	others      []Kind // what can be chosen besides ready; kept for its memory
	births      births
	ends        ctxwatch.Ends // of contexts; not guarded
	impatient   bool          // a goroutine that delivers ends does not come to an end
	slack       time.Duration // see time.go
	early       int           // how often time has passed early in this round; see time.go
	overdue     bool          // a timer was armed with no time left
	failure     error         // the first deadlock, or ErrTooManySteps
}

// Option configures a scheduler that is being made.
type Option func(*Scheduler)

// Steps limits how many steps the simulation takes before its driver returns
// [ErrTooManySteps]; a program that keeps starting work would run forever. Zero
// or less means no limit, which is the default.
func Steps(most int) Option { return func(s *Scheduler) { s.maxSteps = most } }

// Outside makes the driver wait for d whenever nothing can run, before it lets
// time pass or reports a deadlock, so that goroutines that are not simulated get
// their turn. Without it, the driver waits only before it reports a deadlock, and
// only until no other goroutine of the process runs or could run, for some
// milliseconds at most. In a bubble of testing/synctest any d above zero is long
// enough, and costs nothing: the wait ends when all other goroutines are blocked.
func Outside(d time.Duration) Option { return func(s *Scheduler) { s.outside = d } }

// StepTime lets each step take up to most of virtual time. A timer that is due
// within the time that the last steps may have taken races with what can run:
// whether it is first is a choice like the others. So a timeout of ten
// milliseconds ends work of a hundred steps of a millisecond, under some seeds.
// While a turn is ready, time passes 16 times at most, so a ticker does not keep
// work from running. Without this option, steps take no time, and a timer expires
// when nothing can run. Zero or less is the default.
func StepTime(most time.Duration) Option { return func(s *Scheduler) { s.stepTime = max(0, most) } }

// Observe sets a function that the driver calls before each step and each expiry of a
// timer. It must not use the scheduler.
func Observe(f func(Event)) Option {
	return func(s *Scheduler) { s.observe = schedulers.NewHook("simulation.Observe", f) }
}

// Between sets a function that is called between two steps, and after the last
// one, on the goroutine of a step. The driver returns its first error: an
// invariant of the program is broken. The simulation continues, so that all work
// ends, and f is not called again. f must not use the scheduler, and must not
// block.
func Between(f func() error) Option {
	return func(s *Scheduler) {
		s.between = schedulers.NewHook("simulation.Between", func(err *error) { *err = f() })
	}
}

// New returns a scheduler that makes its choices with a random number generator of that
// seed.
func New(seed uint64, opts ...Option) *Scheduler {
	return newScheduler(choices{random: rand.New(rand.NewPCG(seed, 0))}, opts)
}

// Replay returns a scheduler that makes the choices of a trace, and beyond its end
// always chooses what has been ready for the longest time. If the program does not
// offer the choices of the trace, Run returns an error that wraps [ErrDiverged].
func Replay(trace Trace, opts ...Option) *Scheduler {
	return newScheduler(choices{script: slices.Clone(trace), scripted: true}, opts)
}

func newScheduler(c choices, opts []Option) *Scheduler {
	s := &Scheduler{choices: c, checked: true}
	s.driver.scheduler = s
	s.tally.WorkerPerItem = true
	for _, o := range opts {
		if o != nil {
			o(s)
		}
	}
	if c.chooser.IsSet() || s.settle {
		s.actors.numbers = map[any]uint64{}
	}
	if s.settle {
		s.births.happened()
	}
	if s.observe.IsSet() {
		s.woken = map[probe.Suspension]any{}
	}
	return s
}

// Submit queues w, or refuses it: with [schedulers.ErrShutdown] after Shutdown, and
// with [schedulers.ErrRejected] if w is nil or [Refuse] says so. It never blocks and
// never runs w. It ignores all hints but schedulers.Resumed, which Refuse needs.
func (s *Scheduler) Submit(w schedulers.Work, from schedulers.Hint) error {
	if err := s.tally.Enter("simulation", s, w); err != nil {
		return err
	}
	if s.refuses(w, from) {
		s.tally.Refuse(s, w)
		return schedulers.ErrRejected
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := turn{kind: Begin, what: w}
	if s.waking {
		s.waking = false
		s.actors.introduce(&t)
		s.awake = t
		return nil
	}
	s.enqueue(t)
	return nil
}

// enqueue makes a turn possible; mu is held.
func (s *Scheduler) enqueue(t turn) {
	s.actors.introduce(&t)
	s.ready.add(t)
}

// Context returns a copy of parent that makes s the ambient scheduler, and the caller
// its driver: a wait with this context drives the simulation. It is for the goroutine
// of the test; work gets its own contexts.
func (s *Scheduler) Context(parent context.Context) context.Context {
	return context.WithValue(schedulers.With(parent, s), contract.WorkerKey, schedulers.Worker(&s.driver))
}

// Trace returns the choices made so far. The caller owns the slice.
func (s *Scheduler) Trace() Trace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.choices.made.trace()
}

// Now returns the virtual time that has passed since the scheduler was made.
func (s *Scheduler) Now() time.Duration { return time.Duration(s.now.Load()) }

// MaxConcurrency returns 1.
func (s *Scheduler) MaxConcurrency() int { return 1 }

// Metrics implements [schedulers.Meter]. Work that waits counts as running.
func (s *Scheduler) Metrics() schedulers.Metrics { return s.tally.Metrics() }

// Snapshot implements [schedulers.Snapshotter]: what is queued, in the order of
// submission.
func (s *Scheduler) Snapshot() []schedulers.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready.works()
}

// Shutdown refuses all further work and drives the simulation until the last work has
// ended; it then returns nil. If ctx ends first, what is still queued is abandoned with
// [schedulers.ErrShutdown] and the cause of ctx is returned. Deadlocks are broken as
// the package comment says, and are not errors here: Run returns them. Shutdown lifts
// the limit of steps, so that work stopped in the middle can end.
//
// It blocks, and may be called any number of times, concurrently too, but not by work.
// A nil ctx never ends.
func (s *Scheduler) Shutdown(ctx context.Context) error {
	done := s.tally.Close()
	if ctx == nil {
		ctx = context.Background()
	}
	s.mu.Lock()
	s.maxSteps = 0
	s.mu.Unlock()
	s.drive(ctx, done, forever)
	err := s.tally.Shutdown(ctx, s.abandonQueued)
	s.refuseSleepers()
	return err
}

func (s *Scheduler) abandonQueued() {
	s.mu.Lock()
	all := s.ready.works()
	s.ready.drop(turn.submitted)
	s.mu.Unlock()
	for _, w := range all {
		s.tally.Abandon(s, w, schedulers.ErrShutdown)
	}
}

// refuseSleepers wakes the machines whose sleep is over and that have not had their turn. Their
// submission is refused, so that they continue elsewhere, with that error.
func (s *Scheduler) refuseSleepers() {
	s.mu.Lock()
	all := s.ready.sleepers()
	s.ready.drop(func(t turn) bool { return t.asleep })
	s.mu.Unlock()
	for _, w := range all {
		w.Expire(nil)
	}
}
