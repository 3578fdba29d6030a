package limited_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
)

// do is a function as Work. It records the reason for which it was abandoned.
type do struct {
	run       func(on schedulers.Worker)
	abandoned error
}

func (d *do) Run(on schedulers.Worker) { d.run(on) }

func (d *do) Abandon(reason error) { d.abandoned = reason }

func submit(t *testing.T, s schedulers.Scheduler, run func(on schedulers.Worker)) *do {
	t.Helper()
	d := &do{run: run}
	require.NoError(t, s.Submit(d, schedulers.Hint{}))
	return d
}

func TestSubmissionsBeneathRespectTheLimit(t *testing.T) {
	beneath := manual.New()
	s := limited.New(beneath, 2)
	var order []int
	for i := range 5 {
		submit(t, s, func(schedulers.Worker) { order = append(order, i) })
	}
	assert.Len(t, s.Snapshot(), 5)
	for steps := range 5 {
		assert.Equal(t, min(2, 5-steps), beneath.Len())
		require.True(t, beneath.Step())
	}
	assert.False(t, beneath.Step(), "five works, five submissions")
	assert.Equal(t, []int{0, 1, 2, 3, 4}, order)
}

// The manual scheduler beneath runs the newest first, and yet the order holds.
func TestWithALimitOfOneTheOrderBeneathDoesNotMatter(t *testing.T) {
	beneath := manual.New()
	s := limited.New(beneath, 1)
	var order []int
	for i := range 5 {
		submit(t, s, func(schedulers.Worker) { order = append(order, i) })
	}
	submit(t, beneath, func(schedulers.Worker) { order = append(order, 100) })
	for beneath.StepAt(beneath.Len() - 1) {
	}
	assert.Equal(t, []int{100, 0, 1, 2, 3, 4}, order)
}

func TestOthersHaveTheirTurnInBetween(t *testing.T) {
	beneath := manual.New()
	s := limited.New(beneath, 1)
	var order []string
	for range 3 {
		submit(t, s, func(schedulers.Worker) { order = append(order, "ours") })
		submit(t, beneath, func(schedulers.Worker) { order = append(order, "theirs") })
	}
	beneath.RunAll()
	assert.Equal(t, []string{"ours", "theirs", "theirs", "theirs", "ours", "ours"}, order)
}

// On one worker and with a limit of one, work items wait for work items behind them:
// directly, which runs those in place, and through a job that cannot be run in place, which
// passes the permit on.
func TestNestedWaitsDoNotHang(t *testing.T) {
	for name, beneath := range map[string]interface {
		schedulers.Scheduler
		schedulers.Shutdowner
	}{
		"pool of one": pool.New(pool.Workers(1, 1)),
		"goroutines":  goroutine.New(),
		"inline":      inline.New(),
	} {
		t.Run(name, func(t *testing.T) {
			s := limited.New(beneath, 1)
			ctx := schedulers.With(context.Background(), s)
			var nested func(depth int) func(context.Context) (int, error)
			nested = func(depth int) func(context.Context) (int, error) {
				return func(ctx context.Context) (int, error) {
					if depth == 0 {
						return 1, nil
					}
					one, err := job.Run(ctx, nested(depth-1)).Wait(ctx)
					if err != nil {
						return 0, err
					}
					two, err := job.WhenAll(job.Run(ctx, nested(depth-1)), job.Run(ctx, nested(depth-1))).Wait(ctx)
					if err != nil {
						return 0, err
					}
					return one + two[0] + two[1], nil
				}
			}
			leaves, err := job.Run(ctx, nested(4)).Wait(ctx)
			require.NoError(t, err)
			assert.Equal(t, 81, leaves)
			require.NoError(t, s.Shutdown(ctx))
			require.NoError(t, beneath.Shutdown(ctx))
		})
	}
}

// The waiter gives its permit to the second work item. After its wait it must not continue
// while the third item, which has the permit by then, runs; but it must continue before the
// fourth begins.
func TestAWaiterTakesASlotBeforeItContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limited.New(goroutine.New(), 1)
		var mu sync.Mutex
		var order []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
		}
		waitOver, third := make(chan struct{}), make(chan struct{})
		submit(t, s, func(on schedulers.Worker) {
			note("first waits")
			unblock, err := on.(schedulers.Blocker).Block()
			assert.NoError(t, err)
			<-waitOver
			note("wait over")
			unblock()
			note("first continues")
		})
		submit(t, s, func(schedulers.Worker) { note("second") })
		submit(t, s, func(schedulers.Worker) { note("third begins"); <-third; note("third ends") })
		submit(t, s, func(schedulers.Worker) { note("fourth") })
		synctest.Wait()
		close(waitOver)
		synctest.Wait()
		assert.Equal(t, uint64(2), s.Metrics().Running)
		close(third)
		require.NoError(t, s.Shutdown(context.Background()))
		assert.Equal(t, []string{
			"first waits", "second", "third begins", "wait over", "third ends", "first continues", "fourth",
		}, order)
	})
}

// Another goroutine has the context of work, and waits on behalf of that work, which
// continues. Meanwhile one more work item may run; afterwards the limit holds again.
func TestAWaitOnBehalfOfWorkThatHasEndedTakesNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		beneath := goroutine.New()
		s := limited.New(beneath, 1)
		workers := make(chan schedulers.Worker, 1)
		end := make(chan struct{})
		submit(t, s, func(on schedulers.Worker) { workers <- on; <-end })
		on := (<-workers).(schedulers.Blocker)

		one, err := on.Block()
		require.NoError(t, err)
		two, err := on.Block()
		require.NoError(t, err)
		close(end)
		synctest.Wait()
		one()
		two()
		two() // a second call does no harm
		late, err := on.Block()
		require.NoError(t, err)

		held, release := make(chan struct{}), make(chan struct{})
		submit(t, s, func(schedulers.Worker) { close(held); <-release })
		<-held
		submit(t, s, func(schedulers.Worker) {})
		synctest.Wait()
		assert.Equal(t, uint64(1), s.Metrics().Running)
		close(release)
		late()
		require.NoError(t, s.Shutdown(context.Background()))
	})
}

// Two goroutines wait to regain the same permit while other work holds it.
func TestTwoWaitsOnBehalfOfTheSameWorkBothContinue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limited.New(goroutine.New(), 1)
		end, hold := make(chan struct{}), make(chan struct{})
		submit(t, s, func(on schedulers.Worker) {
			unblock, err := on.(schedulers.Blocker).Block()
			assert.NoError(t, err)
			submit(t, s, func(schedulers.Worker) { <-hold }) // gets the permit
			synctest.Wait()
			var both sync.WaitGroup
			both.Go(unblock)
			synctest.Wait()
			both.Go(func() {
				again, err := on.(schedulers.Blocker).Block()
				assert.NoError(t, err)
				again()
			})
			synctest.Wait()
			close(hold)
			both.Wait()
			close(end)
		})
		<-end
		require.NoError(t, s.Shutdown(context.Background()))
	})
}

// moody refuses selected work items.
type moody struct {
	schedulers.Scheduler
	refuse func(hint schedulers.Hint) error
}

func (m *moody) Submit(w schedulers.Work, hint schedulers.Hint) error {
	if err := m.refuse(hint); err != nil {
		return err
	}
	return m.Scheduler.Submit(w, hint)
}

func TestARefusalBeneathIsARefusal(t *testing.T) {
	beneath := manual.New()
	full := true
	s := limited.New(&moody{beneath, func(schedulers.Hint) error {
		if full {
			return schedulers.ErrRejected
		}
		return nil
	}}, 1)
	err := s.Submit(&do{}, schedulers.Hint{})
	require.ErrorIs(t, err, schedulers.ErrRejected)
	assert.EqualError(t, err, "limited: refused by the scheduler beneath: schedulers: work was rejected")
	full = false
	submit(t, s, func(schedulers.Worker) {})
	assert.Equal(t, 1, beneath.RunAll(), "the refused work has given its slot back")
	assert.Equal(t, schedulers.Metrics{Submitted: 1, Refused: 1, Completed: 1}, s.Metrics())
}

// The second and third work items were accepted long before the scheduler beneath refuses
// them. A full queue must accept them, because they have the flag Resumed.
func TestARefusalWhenItsTurnHasComeAbandonsTheWork(t *testing.T) {
	beneath := manual.New()
	var hints []schedulers.Hint
	s := limited.New(&moody{beneath, func(hint schedulers.Hint) error {
		if hints = append(hints, hint); len(hints) == 2 {
			return schedulers.ErrRejected
		}
		return nil
	}}, 1)
	ran := 0
	count := func(schedulers.Worker) { ran++ }
	submit(t, s, count)
	second := submit(t, s, count)
	third := submit(t, s, count)
	beneath.RunAll()
	assert.Equal(t, 2, ran)
	require.ErrorIs(t, second.abandoned, schedulers.ErrShutdown)
	require.ErrorIs(t, second.abandoned, schedulers.ErrRejected)
	assert.NoError(t, third.abandoned)
	assert.Zero(t, hints[0].Flags)
	assert.True(t, hints[2].Flags.Has(schedulers.Resumed))
}

func TestAbandonedBeneathIsAbandonedAbove(t *testing.T) {
	beneath := manual.New()
	s := limited.New(beneath, 1)
	all := []*do{submit(t, s, nil), submit(t, s, nil), submit(t, s, nil)}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, beneath.Shutdown(ctx), context.Canceled)
	for _, d := range all {
		require.ErrorIs(t, d.abandoned, schedulers.ErrShutdown)
	}
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, schedulers.Metrics{Submitted: 3, Abandoned: 3}, s.Metrics())
}

func TestShutdownLeavesTheSchedulerBeneathAlone(t *testing.T) {
	beneath := manual.New()
	s := limited.New(beneath, 1)
	waiting := submit(t, s, nil)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	require.Equal(t, cause, s.Shutdown(ctx))
	require.Equal(t, schedulers.ErrShutdown, waiting.abandoned)
	require.ErrorIs(t, s.Submit(&do{}, schedulers.Hint{}), schedulers.ErrShutdown)

	ran := false
	submit(t, beneath, func(schedulers.Worker) { ran = true })
	assert.Equal(t, 2, beneath.RunAll(), "the items submitted beneath find nothing to do")
	assert.True(t, ran)
}

func TestALongQueueOverInlineUsesConstantStack(t *testing.T) {
	s := limited.New(inline.New(), 1)
	depths := map[int]bool{}
	submit(t, s, func(on schedulers.Worker) {
		for i := range 100_000 {
			submit(t, s, func(schedulers.Worker) {
				if i%1000 == 0 {
					depths[runtime.Callers(0, make([]uintptr, 1000))] = true
				}
			})
		}
	})
	require.NoError(t, s.Shutdown(context.Background()))
	assert.LessOrEqual(t, len(depths), 2)
}

func TestTimersAreThoseOfTheSchedulerBeneath(t *testing.T) {
	beneath := manual.New()
	ctx := schedulers.With(context.Background(), limited.New(beneath, 1))
	slept := job.SleepAsync(ctx, time.Hour)
	assert.False(t, slept.IsCompleted())
	beneath.Advance(time.Hour)
	assert.True(t, slept.IsCompleted())
}

func TestBadLimitsAndNoSchedulerBeneath(t *testing.T) {
	assert.Equal(t, 1, limited.New(manual.New(), -3).MaxConcurrency())
	assert.Equal(t, 5, limited.New(manual.New(), 5).MaxConcurrency())
	assert.Equal(t, 2, limited.New(pool.New(pool.Workers(1, 2)), 5).MaxConcurrency())
	s := limited.New(nil, 1)
	require.ErrorIs(t, s.Submit(&do{}, schedulers.Hint{}), schedulers.ErrRejected)
	require.ErrorIs(t, s.Submit(nil, schedulers.Hint{}), schedulers.ErrRejected)
	require.NoError(t, s.Shutdown(context.Background()))
}
