package simulation_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/simulation"
)

//go:generate go tool movenext .

// transferBetween locks one account after the other.
//
//movenext:async
func transferBetween(ctx context.Context, from, to *coord.Mutex) error {
	if err := from.Lock(ctx); err != nil {
		return err
	}
	defer from.Unlock()
	job.Yield()
	if err := to.Lock(ctx); err != nil {
		return err
	}
	to.Unlock()
	return nil
}

// deadlockUnderSomeSeed returns the first deadlock of a program.
func deadlockUnderSomeSeed(t *testing.T, program func(ctx context.Context)) *simulation.Deadlock {
	t.Helper()
	for seed := range uint64(50) {
		s := simulation.New(seed)
		program(s.Context(context.Background()))
		var d *simulation.Deadlock
		if errors.As(s.Run(), &d) {
			return d
		}
	}
	require.Fail(t, "no seed has a deadlock")
	return nil
}

func TestMachinesInACycleOfLocksAreADeadlock(t *testing.T) {
	d := deadlockUnderSomeSeed(t, func(ctx context.Context) {
		var a, b coord.Mutex
		_ = cycleOfMachinesAsync(ctx, &a, &b)
	})
	require.Len(t, d.Waiting, 3)
	assert.Equal(t, "job there", d.Waiting[0].For, "the one that has started the two")
	holders := map[string]string{}
	for _, w := range d.Waiting[1:] {
		assert.Contains(t, w.Where, "machines_test.go:")
		assert.Equal(t, "coord.Mutex", w.For)
		holders[w.Work] = w.Holder
	}
	assert.Equal(t, map[string]string{"there": "back", "back": "there"}, holders)
	assert.Contains(t, d.Error(), "for coord.Mutex, held by ")
	assert.ErrorIs(t, d, schedulers.ErrWouldDeadlock)
}

// cycleOfMachines lets two transfers wait for each other's lock.
//
//movenext:async
func cycleOfMachines(ctx context.Context, a, b *coord.Mutex) {
	there := job.Go(ctx, func(ctx context.Context) error { return transferBetween(ctx, a, b) }, job.Named("there"))
	back := job.Go(ctx, func(ctx context.Context) error { return transferBetween(ctx, b, a) }, job.Named("back"))
	_, _ = there.Await()
	_, _ = back.Await()
}

func TestPlainWorkInACycleOfLocksNamesItsHolders(t *testing.T) {
	d := deadlockUnderSomeSeed(t, func(ctx context.Context) {
		var a, b coord.Mutex
		transfer := func(from, to *coord.Mutex) func(context.Context) error {
			return func(ctx context.Context) error {
				if err := from.Lock(ctx); err != nil {
					return err
				}
				defer from.Unlock()
				if err := job.Sleep(ctx, time.Second); err != nil {
					return err
				}
				return to.Lock(ctx)
			}
		}
		job.Go(ctx, transfer(&a, &b), job.Named("there"))
		job.Go(ctx, transfer(&b, &a), job.Named("back"))
	})
	require.Len(t, d.Waiting, 2)
	for i, w := range d.Waiting {
		assert.Contains(t, w.Where, "machines_test.go:")
		assert.Equal(t, "coord.Mutex", w.For)
		assert.Equal(t, d.Waiting[1-i].Work, w.Holder)
	}
}

// waitForLock is suspended while another holder has the lock.
//
//movenext:async
func waitForLock(ctx context.Context, l *coord.RWMutex) error {
	if err := l.RLock(ctx); err != nil {
		return err
	}
	l.RUnlock()
	return nil
}

// waitForKey is the same for one key.
//
//movenext:async
func waitForKey(ctx context.Context, l *coord.KeyedMutex[string], key string) error {
	if err := l.Lock(ctx, key); err != nil {
		return err
	}
	l.Unlock(key)
	return nil
}

func TestAMachineThatWaitsForeverIsADeadlock(t *testing.T) {
	hold := func(t *testing.T, ctx context.Context, lock func(ctx context.Context) error) {
		t.Helper()
		_, err := job.Go(ctx, lock, job.Named("holder")).Wait(ctx)
		require.NoError(t, err)
	}
	cases := []struct {
		name, what, holder string
		start              func(t *testing.T, ctx context.Context)
	}{
		{"job", `job #\d+`, "", func(_ *testing.T, ctx context.Context) {
			awaitAsync(ctx, job.NewSource[int]().Job())
		}},
		{"writer", "coord.RWMutex", "holder", func(t *testing.T, ctx context.Context) {
			l := new(coord.RWMutex)
			hold(t, ctx, l.Lock)
			waitForLockAsync(ctx, l)
		}},
		{"key", `coord.KeyedMutex\[string\]`, "holder", func(t *testing.T, ctx context.Context) {
			l := new(coord.KeyedMutex[string])
			hold(t, ctx, func(ctx context.Context) error { return l.Lock(ctx, "k") })
			waitForKeyAsync(ctx, l, "k")
		}},
		{"released and taken again", "coord.Mutex", "holder", func(t *testing.T, ctx context.Context) {
			l := new(coord.Mutex)
			require.NoError(t, l.Lock(context.Background()))
			l.Unlock()
			hold(t, ctx, l.Lock)
			transferBetweenAsync(ctx, l, l)
		}},
		{"above a shim", "coord.Mutex", "", func(_ *testing.T, ctx context.Context) {
			l := new(coord.Mutex)
			_ = l.TryLock()
			transferBetweenAsync(schedulers.With(ctx, limited.New(schedulers.FromContext(ctx), 1)), l, l)
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := simulation.New(1)
			c.start(t, s.Context(context.Background()))
			var d *simulation.Deadlock
			require.ErrorAs(t, s.Run(), &d)
			require.Len(t, d.Waiting, 1)
			assert.Regexp(t, "^"+c.what, d.Waiting[0].For)
			assert.Equal(t, c.holder, d.Waiting[0].Holder)
			assert.Contains(t, d.Waiting[0].Where, "machines_test.go:")
			require.ErrorAs(t, s.Run(), &d, "it is suspended still")
		})
	}
}

// await awaits a job.
//
//movenext:async
func await(_ context.Context, j *job.Job[int]) (int, error) { return j.Await() }

// A machine that is no longer suspended is no deadlock, however it continued. The
// bubble is for the end of the context, which the standard library reports on its own
// goroutine.
func TestMachinesThatEndAreNoDeadlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(20) {
			s := simulation.New(seed, simulation.Outside(1))
			ctx := s.Context(context.Background())
			src := job.NewSource[int]()
			all := []*job.Job[int]{awaitAsync(ctx, src.Job()), awaitAsync(ctx, src.Job())}
			bounded, cancel := context.WithCancel(ctx)
			l := new(coord.Mutex)
			_ = l.TryLock()
			gaveUp := transferBetweenAsync(bounded, l, l)
			job.Go(ctx, func(context.Context) error { cancel(); src.TrySetResult(7); return nil })
			require.NoError(t, s.Run(), "seed %d", seed)
			for _, j := range all {
				n, err := j.GetResult()
				require.NoError(t, err)
				assert.Equal(t, 7, n)
			}
			assert.Equal(t, job.Canceled, gaveUp.Status())
		}
	})
}

// nap sleeps and then records its name.
//
//movenext:async
func nap(ctx context.Context, d time.Duration, name string, log *[]string) error {
	if err := job.Sleep(ctx, d); err != nil {
		return err
	}
	*log = append(*log, name)
	return nil
}

func TestTimersOfOneInstantExpireInAnyOrder(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(200) {
		s := simulation.New(seed)
		ctx := s.Context(context.Background())
		var log []string
		for _, name := range []string{"a", "b", "c"} {
			napAsync(ctx, time.Second, name, &log)
		}
		require.NoError(t, s.Run())
		require.Len(t, log, 3)
		orders[log[0]+log[1]+log[2]] = true
		assert.Equal(t, time.Second, s.Now())
		assert.Len(t, s.Trace(), 2, "the order in which sleeps expire that nothing can stop is not chosen")
	}
	assert.Len(t, orders, 6)
}

// The context of a sleep ends at the instant at which the sleep is over.
func TestTheEndOfAContextRacesWithTheEndOfASleep(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(100) {
		s := simulation.New(seed, simulation.Settle())
		ctx, cancel := context.WithCancel(s.Context(context.Background()))
		var log []string
		sleeper := napAsync(ctx, time.Second, "slept", &log)
		job.ContinueWith(s.Context(context.Background()), job.SleepAsync(s.Context(context.Background()), time.Second),
			func(context.Context, *job.Job[job.Void]) (int, error) { cancel(); return 0, nil })
		require.NoError(t, s.Run())
		if sleeper.Status() == job.Canceled {
			log = append(log, "canceled")
		}
		require.Len(t, log, 1)
		outcomes[log[0]]++
	}
	assert.Len(t, outcomes, 2)
}

// work takes a number of steps.
//
//movenext:async
func work(ctx context.Context, steps int) (int, error) {
	for i := range steps {
		if ctx.Err() != nil {
			return i, ctx.Err()
		}
		job.Yield()
	}
	return steps, nil
}

// reserve sells the last one, unless that takes too long.
func reserve(s *simulation.Scheduler, steps int, limit time.Duration) (tooLate bool) {
	ctx := s.Context(context.Background())
	job.ContinueWith(ctx, job.SleepAsync(ctx, limit), func(context.Context, *job.Job[job.Void]) (int, error) {
		tooLate = true
		return 0, nil
	})
	done := false
	job.ContinueWith(ctx, workAsync(ctx, steps), func(context.Context, *job.Job[int]) (int, error) {
		done = true
		return 0, nil
	})
	for !done && s.Step() {
	}
	return tooLate
}

func TestStepsThatTakeTimeRaceWithTimers(t *testing.T) {
	outcomes := map[bool]int{}
	for seed := range uint64(100) {
		s := simulation.New(seed, simulation.StepTime(time.Millisecond))
		late := reserve(s, 20, 10*time.Millisecond)
		outcomes[late]++
		assert.LessOrEqual(t, s.Now(), 25*time.Millisecond)

		again := simulation.Replay(s.Trace(), simulation.StepTime(time.Millisecond))
		require.Equal(t, late, reserve(again, 20, 10*time.Millisecond))
		require.Equal(t, s.Trace(), again.Trace())

		require.False(t, reserve(simulation.New(seed), 20, 10*time.Millisecond), "steps take no time otherwise")
		soon := simulation.New(seed, simulation.StepTime(time.Millisecond))
		require.False(t, reserve(soon, 5, 10*time.Millisecond), "five steps do not take ten milliseconds")
	}
	assert.Positive(t, outcomes[true])
	assert.Positive(t, outcomes[false])
}

// expiring is a timer that calls a function.
type expiring struct {
	schedulers.Timer
	expire func()
}

func (e *expiring) Expire(*schedulers.Timer) { e.expire() }

func after(s *simulation.Scheduler, d time.Duration, expire func()) *expiring {
	e := &expiring{expire: expire}
	e.OnExpire = e
	s.StartTimer(&e.Timer, d)
	return e
}

// The time that steps may have taken is spent when a timer expires: twenty steps of a
// millisecond let a timer of 10 ms race with them, and none of 25 ms behind that.
func TestTheTimeOfStepsPassesOnce(t *testing.T) {
	first := 0
	for seed := range uint64(200) {
		s := simulation.New(seed, simulation.StepTime(time.Millisecond))
		done := false
		job.ContinueWith(s.Context(context.Background()), workAsync(s.Context(context.Background()), 18),
			func(context.Context, *job.Job[int]) (int, error) { done = true; return 0, nil })
		after(s, 10*time.Millisecond, func() {
			if !done {
				first++
			}
		})
		after(s, 25*time.Millisecond, func() { assert.True(t, done, "seed %d", seed) })
		require.NoError(t, s.Run())
	}
	assert.Positive(t, first)
}

// ticking has a ticker and some work, and returns how often time has passed at most while a turn
// was ready. choose gets the turns without the one that lets time pass, and whether there is one;
// it returns -1 for that.
func ticking(t *testing.T, choose func(turns []simulation.Turn, time bool) int) (most int) {
	passed := map[uint64]int{} // by turn
	s := simulation.NewWith(func(turns []simulation.Turn) int {
		last := len(turns) - 1
		if turns[last].Kind != simulation.Pass {
			return choose(turns, false)
		}
		i := choose(turns[:last], true)
		if i >= 0 || most > 100 { // no limit holds
			return max(0, i)
		}
		for _, turn := range turns[:last] {
			passed[turn.Seq]++
			most = max(most, passed[turn.Seq])
		}
		return last
	}, simulation.StepTime(math.MaxInt64), simulation.Steps(10_000))
	ctx := s.Context(context.Background())
	first, second := workAsync(ctx, 20), workAsync(ctx, 20)
	var tick *expiring
	tick = after(s, time.Millisecond, func() {
		if !first.IsCompleted() || !second.IsCompleted() {
			tick = after(s, time.Millisecond, tick.expire)
			workAsync(ctx, 2)
		}
	})
	require.NoError(t, s.Run())
	return most
}

// Whatever a strategy prefers, a ticker does not keep work from running.
func TestATickerDoesNotKeepWorkFromRunning(t *testing.T) {
	latest := func(turns []simulation.Turn, time bool) int {
		if time {
			return -1
		}
		return newest(turns)
	}
	assert.Equal(t, 8, ticking(t, latest), "all turns are ready when the round begins")
	most := 0
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0))
		limit := random.IntN(40)
		most = max(most, ticking(t, func(turns []simulation.Turn, time bool) int {
			if time && random.IntN(40) >= limit {
				return -1
			}
			return random.IntN(len(turns))
		}))
	}
	assert.Greater(t, most, 8)
	assert.LessOrEqual(t, most, 16)
}

// A ticker of a program that is never idle ticks on.
func TestTimePassesInAProgramThatIsNeverIdle(t *testing.T) {
	s := simulation.NewWith(newest, simulation.StepTime(math.MaxInt64), simulation.Steps(100_000))
	ctx, cancel := context.WithCancel(s.Context(context.Background()))
	spinner := workAsync(ctx, math.MaxInt)
	ticks := 0
	var tick *expiring
	tick = after(s, time.Millisecond, func() {
		if ticks++; ticks == 1000 {
			cancel()
			return
		}
		tick = after(s, time.Millisecond, tick.expire)
	})
	require.NoError(t, s.Run())
	assert.Equal(t, job.Canceled, spinner.Status())
	assert.Equal(t, time.Second, s.Now())
}

// Of two timers of one instant, the first to expire stops the other, which is already
// due.
func TestATimerThatIsDueCanBeStopped(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(50) {
		s := simulation.New(seed)
		expired := ""
		var a, b *expiring
		a = after(s, time.Second, func() { expired += "a"; assert.True(t, s.StopTimer(&b.Timer)) })
		b = after(s, time.Second, func() { expired += "b"; assert.True(t, s.StopTimer(&a.Timer)) })
		late := after(s, time.Minute, func() { expired += "never" })
		assert.True(t, s.StopTimer(&late.Timer))
		require.NoError(t, s.Run())
		outcomes[expired]++
		assert.False(t, s.StopTimer(&a.Timer))
		assert.False(t, s.StopTimer(&b.Timer))
	}
	assert.Len(t, outcomes, 2)
	assert.Equal(t, 50, outcomes["a"]+outcomes["b"])
}

// Work that ends its goroutine does not take the baton with it.
func TestGoexitInAStepDoesNotEndTheSimulation(t *testing.T) {
	s := simulation.New(1)
	ran := 0
	for range 10 {
		submit(t, s, "exits", func(schedulers.Worker) { ran++; runtime.Goexit() })
		submit(t, s, "panics", func(schedulers.Worker) { ran++; panic("contained") })
	}
	require.NoError(t, s.Run())
	assert.Equal(t, 20, ran)
}

// gated is a layer on a simulation that holds each submission at a gate.
type gated struct {
	*simulation.Scheduler
	gate chan struct{}
}

func (g *gated) Submit(w schedulers.Work, hint schedulers.Hint) error {
	<-g.gate
	return g.Scheduler.Submit(w, hint)
}

func (g *gated) Beneath() schedulers.Scheduler { return g.Scheduler }

// A machine that another goroutine wakes is for a moment neither suspended nor queued.
// The simulation has not ended then, whichever driver it has.
func TestAMachineOnItsWayToTheQueueKeepsTheSimulationAlive(t *testing.T) {
	drivers := map[string]func(*simulation.Scheduler, *job.Job[int]) error{
		"Run":      func(s *simulation.Scheduler, _ *job.Job[int]) error { return s.Run() },
		"RunUntil": func(s *simulation.Scheduler, j *job.Job[int]) error { return s.RunUntil(nil, j.Done()) }, //nolint:staticcheck // none is allowed
		"Wait": func(s *simulation.Scheduler, j *job.Job[int]) error {
			_, err := j.Wait(s.Context(context.Background()))
			return err
		},
	}
	for name, drive := range drivers {
		for _, opts := range [][]simulation.Option{nil, {simulation.Outside(1)}} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := simulation.New(1, opts...)
					g := &gated{s, make(chan struct{})}
					src := job.NewSource[int]()
					j := awaitAsync(schedulers.With(context.Background(), g), src.Job())
					require.Error(t, s.Run(), "it is suspended")
					go src.TrySetResult(7)
					synctest.Wait() // for the moment between the wait and the queue
					outcome := make(chan error, 1)
					go func() { outcome <- drive(s, j) }()
					time.Sleep(time.Second)
					assert.Empty(t, outcome, "it has to wait for the machine")
					close(g.gate)
					require.NoError(t, <-outcome)
					got, err := j.GetResult()
					require.NoError(t, err)
					assert.Equal(t, 7, got)
				})
			})
		}
	}
}
