package jobtest

import (
	"math"
	"math/rand/v2"
	"time"
)

// Option configures the search of [Run] and [Explore] for a schedule that fails.
type Option interface{ set(*settings) }

// settings are the values of the options.
type settings struct {
	schedules         int
	steps             int
	seed              uint64
	timeRaces         time.Duration
	cancel            bool
	suspendEverywhere bool                   // SuspendEverywhere
	faults            func(name string) bool // nil: none
	invariant         func() error
	choices           []byte // of Choices
	hasChoices        bool   // Choices is given
	strategies        []strategy
}

const (
	defaultSchedules = 1_000
	defaultSteps     = 100_000
)

// settingsOf returns the values of options, for one schedule or for a search.
func settingsOf(opts []Option, single bool) *settings {
	c := &settings{schedules: defaultSchedules, steps: defaultSteps}
	if !single {
		TimeRaces.set(c)
	}
	for _, o := range opts {
		if o != nil {
			o.set(c)
		}
	}
	if len(c.strategies) == 0 {
		c.strategies = []strategy{newExhaustive(0), pct(0), random{}, pos{}}
	}
	return c
}

// random returns the source of randomness of one schedule.
func (c *settings) random(schedule int) *rand.Rand {
	return rand.New(rand.NewPCG(c.seed, uint64(schedule)))
}

// option is an option that is a function.
type option func(*settings)

func (o option) set(c *settings) { o(c) }

// Schedules limits the number of schedules that Explore tries, 1000 by default. Zero or less
// means the default.
func Schedules(n int) Option {
	return option(func(c *settings) {
		if c.schedules = n; n <= 0 {
			c.schedules = defaultSchedules
		}
	})
}

// Steps limits the number of steps in a schedule, 100 000 by default. A longer schedule is a
// failure: the program does not end. Zero or less means the default.
func Steps(n int) Option {
	return option(func(c *settings) {
		if c.steps = n; n <= 0 {
			c.steps = defaultSteps
		}
	})
}

// Seed sets the seed of the random numbers, 0 by default. A seed determines the
// sequence of schedules.
func Seed(n uint64) Option { return option(func(c *settings) { c.seed = n }) }

// StepTime sets how much virtual time a step may take. With StepTime(0), the default of [Run],
// steps take no time, so a timer expires only when nothing can run: a pause is always long enough
// for work that needs no other pause, and a timeout never ends work that can run. With a limit
// above zero a timer races with work, and with timers that expire a little later. But a timeout of
// a second does not end work of a few steps of a millisecond; see simulation.StepTime. Without any
// limit, the default of [Explore], this is [TimeRaces]. A negative limit counts as zero.
func StepTime(limit time.Duration) Option { return option(func(c *settings) { c.timeRaces = limit }) }

// Invariant sets a function that is called after each step. Its error is a failure of the
// schedule. f is called on the goroutine of a step, while no other step runs, so it may read the
// state of the program without a lock. It must not wait. The first call follows the first step of
// the test's function.
func Invariant(f func() error) Option { return option(func(c *settings) { c.invariant = f }) }

// Choices makes [Run] take its choices from data, one byte for each, and choose the oldest turn
// after the end of data. So a fuzzer can drive the schedule:
//
//	f.Fuzz(func(t *testing.T, choices []byte) { jobtest.Run(t, shop, jobtest.Choices(choices)) })
//
// data must not change during the call. [Explore] ignores this option.
func Choices(data []byte) Option {
	return option(func(c *settings) { c.choices, c.hasChoices = data, true })
}

// toggle is an option without a parameter.
type toggle uint8

const (
	// CancelEverywhere ends the context of the test's function at some point of each schedule:
	// before any of its steps, or when nothing else can happen. An error that wraps
	// context.Canceled is then no failure. The search is for the damage that a canceled program
	// leaves behind: leaks, held locks, broken invariants.
	CancelEverywhere toggle = iota

	// SuspendEverywhere makes a machine yield before each await that is already complete: a lock
	// that is free, a job that has ended, a channel with a value. So other work may run between
	// any two awaits, as it may on several processors. [Explore] always does this; the option is
	// for [Run]. A plain function that is not a machine still does not yield where it need not
	// wait.
	SuspendEverywhere

	// TimeRaces lets each step take any amount of virtual time, as on a machine that stalls. So
	// a timer may expire before any runnable work, and work that a timer wakes may run late and
	// in any order. What is ready has its turn after 16 instants at which timers expire, at most,
	// so a ticker does not keep work from running. [Explore] always does this unless [StepTime]
	// says otherwise; the option is for [Run].
	TimeRaces

	// Random makes each choice at random, with equal probability for every turn.
	Random

	// POS gives each turn a random priority when it becomes possible, and takes the turn with the
	// highest priority. So one turn may be delayed by many others, which is rare with independent
	// choices. This is the basic form of partial order sampling (Yuan et al., 2018). The full
	// form changes the priorities of turns that race for the same memory, which the simulation
	// cannot see.
	POS
)

func (t toggle) set(c *settings) {
	switch t {
	case CancelEverywhere:
		c.cancel = true
	case SuspendEverywhere:
		c.suspendEverywhere = true
	case TimeRaces:
		c.timeRaces = math.MaxInt64
	case Random:
		c.strategies = append(c.strategies, random{})
	case POS:
		c.strategies = append(c.strategies, pos{})
	}
}

// PCT gives each actor (a job, a machine, a timer) a random priority, and always
// lets the one with the highest priority run. At depth-1 random points of the
// schedule, the actor that would run falls behind all others. A bug that needs
// depth ordered steps is found with a known probability: 1/(n·k^(depth-1)) for n
// actors and k steps (Burckhardt et al., 2010). Most bugs have depth 1 to 3. With
// a depth of zero or less, the depths 1 to 4 rotate.
func PCT(depth int) Option {
	return option(func(c *settings) { c.strategies = append(c.strategies, pct(max(0, depth))) })
}

// Exhaustive tries all schedules, each once, in the order of their number of deviations from the
// oldest turn, up to bound deviations; zero or less means no bound. If all schedules of the
// program have been tried, Explore logs that the search is complete. Otherwise it logs its
// progress. There is no partial-order reduction: the simulation does not see which steps touch
// the same memory, so it cannot know which orders are equivalent.
//
// "All schedules" are those of the simulation: steps are not interrupted, and randomness, real
// time and goroutines that the program starts itself are not part of it.
func Exhaustive(bound int) Option {
	return option(func(c *settings) { c.strategies = append(c.strategies, newExhaustive(bound)) })
}
