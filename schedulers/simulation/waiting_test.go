package simulation_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/simulation"
)

func one(context.Context) (int, error) { return 1, nil }

// The test's own goroutine waits, and the wait drives the simulation, sleeps included.
func TestAWaitOfTheTestDrivesTheSimulation(t *testing.T) {
	for seed := range uint64(20) {
		s := simulation.New(seed)
		ctx := s.Context(context.Background())
		n, err := job.Run(ctx, func(ctx context.Context) (int, error) {
			if err := job.Sleep(ctx, time.Hour); err != nil {
				return 0, err
			}
			return job.Run(ctx, one).Wait(ctx)
		}).Wait(ctx)
		require.NoError(t, err, "seed %d", seed)
		assert.Equal(t, 1, n)
		assert.Equal(t, time.Hour, s.Now())
	}
}

// Work items that wait for work items that wait for others: each waits on its own
// goroutine, so it does not matter in which order they began.
func TestNestedWaitsEndUnderEachSeed(t *testing.T) {
	for seed := range uint64(50) {
		s := simulation.New(seed)
		var tree func(depth int, done chan<- struct{}) func(on schedulers.Worker)
		leaves := 0
		tree = func(depth int, done chan<- struct{}) func(on schedulers.Worker) {
			return func(on schedulers.Worker) {
				defer close(done)
				if depth == 0 {
					leaves++
					return
				}
				left, right := make(chan struct{}), make(chan struct{})
				submit(t, s, "left", tree(depth-1, left))
				submit(t, s, "right", tree(depth-1, right))
				assert.NoError(t, pump(on, left))
				assert.NoError(t, pump(on, right))
			}
		}
		done := make(chan struct{})
		submit(t, s, "root", tree(5, done))
		require.NoError(t, s.RunUntil(context.Background(), done))
		assert.Equal(t, 32, leaves)
	}
}

// A waiter is released in the step after the one that ends the wait, chosen like any
// other; unneeded work has not run.
func TestRunUntilStopsWhenItIsDone(t *testing.T) {
	s := simulation.New(1)
	done := make(chan struct{})
	submit(t, s, "closer", func(schedulers.Worker) { close(done) })
	require.NoError(t, s.RunUntil(context.Background(), done))
	ran := false
	submit(t, s, "other", func(schedulers.Worker) { ran = true })
	var none context.Context
	require.NoError(t, s.RunUntil(none, done))
	assert.False(t, ran)

	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	submit(t, s, "canceler", func(schedulers.Worker) { cancel(cause) })
	assert.Equal(t, cause, s.RunUntil(ctx, make(chan struct{})))
	require.NoError(t, s.Run())
	assert.True(t, ran)
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	s := simulation.New(1)
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	var got error
	submit(t, s, "waiter", func(on schedulers.Worker) {
		got = on.(schedulers.Pumper).Pump(ctx, nil, make(chan struct{}))
	})
	submit(t, s, "canceler", func(schedulers.Worker) { cancel(cause) })
	require.NoError(t, s.Run())
	assert.Equal(t, cause, got)
}

// Two work items wait for each other. The simulation reports both and their
// places, lets the later one fail, and continues until all has ended.
func TestADeadlockIsReportedAndBroken(t *testing.T) {
	s := simulation.New(3)
	aDone, bDone := make(chan struct{}), make(chan struct{})
	errs := map[string]error{}
	submit(t, s, "starter", func(schedulers.Worker) {
		submit(t, s, "a", func(on schedulers.Worker) { defer close(aDone); errs["a"] = pump(on, bDone) })
	})
	require.True(t, s.Step())
	require.True(t, s.Step())
	submit(t, s, "b", func(on schedulers.Worker) { defer close(bDone); errs["b"] = pump(on, aDone) })
	job.SleepAsync(s.Context(context.Background()), time.Minute)

	err := s.Run()
	require.ErrorIs(t, err, schedulers.ErrWouldDeadlock)
	var d *simulation.Deadlock
	require.ErrorAs(t, err, &d)
	assert.Equal(t, time.Minute, d.Time, "time has passed first")
	assert.Equal(t, s.Trace()[:len(d.Trace)], d.Trace)
	require.Len(t, d.Waiting, 2)
	assert.Equal(t, "a", d.Waiting[0].Work)
	assert.Equal(t, "b", d.Waiting[1].Work)
	assert.Contains(t, d.Waiting[0].Where, "simulation_test.pump (schedule_test.go:")
	assert.Contains(t, err.Error(), "deadlock at 1m0s: nothing can run, no timer is set, and 2 wait:\n\ta, since 0s, in ")
	require.NoError(t, errs["a"])
	require.ErrorIs(t, errs["b"], schedulers.ErrWouldDeadlock)
	require.NoError(t, s.Run(), "it was told once")
	assert.Equal(t, uint64(3), s.Metrics().Completed)
}

func TestAWaitThatNothingEndsIsADeadlock(t *testing.T) {
	s := simulation.New(1)
	err := s.RunUntil(context.Background(), make(chan struct{}))
	require.ErrorIs(t, err, schedulers.ErrWouldDeadlock)
	assert.Contains(t, err.Error(), "what is waited for has not happened")

	ctx := s.Context(context.Background())
	_, err = job.NewSource[int]().Job().Wait(ctx)
	require.ErrorIs(t, err, schedulers.ErrWouldDeadlock)
}

// Block does not say what it waits for. It ends when nothing else can happen, the
// latest first, and never hangs.
func TestABlockEndsWhenNothingElseCanHappen(t *testing.T) {
	s := simulation.New(1)
	var order []string
	block := func(name string) func(on schedulers.Worker) {
		return func(on schedulers.Worker) {
			unblock, err := on.(schedulers.Blocker).Block()
			assert.Nil(t, unblock)
			assert.ErrorIs(t, err, schedulers.ErrWouldDeadlock)
			order = append(order, name)
		}
	}
	submit(t, s, "first", block("first"))
	require.True(t, s.Step())
	submit(t, s, "second", block("second"))
	submit(t, s, "busy", func(schedulers.Worker) { order = append(order, "busy") })
	job.ContinueWith(schedulers.With(context.Background(), s), job.SleepAsync(s.Context(context.Background()), time.Hour),
		func(context.Context, *job.Job[job.Void]) (int, error) {
			order = append(order, "an hour later")
			return 0, nil
		})
	require.NoError(t, s.Run())
	assert.Equal(t, []string{"busy", "an hour later", "second", "first"}, order)
}

func TestAWaitAboveAShimIsSeenBeneath(t *testing.T) {
	for seed := range uint64(20) {
		s := simulation.New(seed)
		strand := limited.New(s, 1)
		done := make(chan struct{})
		submit(t, strand, "waiter", func(on schedulers.Worker) { assert.NoError(t, pump(on, done)) })
		submit(t, strand, "closer", func(schedulers.Worker) { close(done) }) // needs its slot
		require.NoError(t, s.Run())
		assert.Equal(t, uint64(2), strand.Metrics().Completed)
	}
}

// Another goroutine has the context of a work item. While that work runs, its wait lets
// others run concurrently; afterwards it is a wait like any other; and the baton is
// never lost.
func TestAWaitOnBehalfOfAnotherGoroutinesWorkIsHarmless(t *testing.T) {
	s := simulation.New(1)
	over, otherRan := make(chan struct{}), make(chan struct{})
	var on schedulers.Worker
	returned := make(chan error, 2)
	submit(t, s, "victim", func(w schedulers.Worker) {
		on = w
		submit(t, s, "other", func(schedulers.Worker) { close(otherRan) })
		go func() {
			unblock, err := w.(schedulers.Blocker).Block()
			if err == nil {
				unblock()
			}
			returned <- err
		}()
		<-otherRan
		go func() { returned <- pump(w, over) }()
	})
	require.NoError(t, s.Run())
	close(over)
	for range 2 {
		t.Log(<-returned) // both pumps have come back
	}

	submit(t, s, "last", func(schedulers.Worker) {})
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, uint64(3), s.Metrics().Completed)
	unblock, err := on.(schedulers.Blocker).Block()
	require.NoError(t, err)
	unblock()
	require.NoError(t, pump(on, over))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, on.(schedulers.Pumper).Pump(ctx, nil, make(chan struct{})), context.Canceled)
}

// The end of a context wakes a sleeper on a goroutine of the standard library. In a
// bubble, the simulation waits until that has happened.
func TestInABubbleTheRestOfTheWorldHasItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(20) {
			s := simulation.New(seed, simulation.Outside(1))
			ctx, cancel := context.WithCancel(s.Context(context.Background()))
			slept := job.SleepAsync(ctx, time.Hour)
			woken := job.ContinueWith(s.Context(context.Background()), slept,
				func(_ context.Context, j *job.Job[job.Void]) (bool, error) { return j.Status() == job.Canceled, nil })
			submit(t, s, "canceler", func(schedulers.Worker) { cancel() })
			canceled, err := woken.Wait(s.Context(context.Background()))
			require.NoError(t, err)
			assert.True(t, canceled)
			assert.Zero(t, s.Now(), "no time has passed")
		}
	})
}

func TestTheLimitOfStepsStopsWhatFeedsItself(t *testing.T) {
	s := simulation.New(1, simulation.Steps(100))
	steps := 0
	var again func(schedulers.Worker)
	again = func(schedulers.Worker) {
		steps++
		_ = s.Submit(do{"again", again}, schedulers.Hint{}) // refused in the end
	}
	submit(t, s, "again", again)
	submit(t, s, "waiter", func(on schedulers.Worker) {
		assert.ErrorIs(t, pump(on, make(chan struct{})), schedulers.ErrWouldDeadlock)
	})
	require.ErrorIs(t, s.Run(), simulation.ErrTooManySteps)
	assert.Equal(t, 99, steps)
	require.NoError(t, s.Shutdown(context.Background()), "the rest ends, so that no goroutine is left")
}

func TestAShutdownThatGivesUpAbandonsWhatIsQueued(t *testing.T) {
	s := simulation.New(1)
	ran := false
	j := job.Go(schedulers.With(context.Background(), s), func(context.Context) error { ran = true; return nil })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Shutdown(ctx), context.Canceled)
	require.ErrorIs(t, j.Err(), schedulers.ErrShutdown)
	assert.False(t, ran)
	require.ErrorIs(t, s.Submit(do{}, schedulers.Hint{}), schedulers.ErrShutdown)
	require.ErrorIs(t, s.Submit(nil, schedulers.Hint{}), schedulers.ErrRejected)
}

// TestWaitsOfAForeignGoroutineEndWithTheWork has work that gives its worker to a goroutine, which
// waits in its name, and ends first. That is not a deadlock: the goroutine is none of the
// simulation's, and continues waiting by itself.
func TestWaitsOfAForeignGoroutineEndWithTheWork(t *testing.T) {
	for seed := range uint64(20) {
		s := simulation.New(seed)
		answer, waited := make(chan struct{}), make(chan error, 1)
		submit(t, s, "gives its worker away", func(on schedulers.Worker) {
			next := make(chan struct{})
			submit(t, s, "next", func(schedulers.Worker) { close(next) })
			go func() { waited <- pump(on, answer) }()
			<-next // it runs when the goroutine waits, since that puts down the baton
		})
		require.NoError(t, s.Run(), "seed %d", seed)
		select {
		case err := <-waited:
			require.Fail(t, "the wait has ended before its answer", "seed %d: %v", seed, err)
		default:
		}
		close(answer)
		require.NoError(t, <-waited)
	}
}
