package workset_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/schedulertest"
	"github.com/movenext/movenext/schedulers/workset"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
		return workset.New(pool.New(pool.Workers(2, 2)))
	})
}

// do is a function as Work.
type do func(on schedulers.Worker)

func (f do) Run(on schedulers.Worker) {
	if f != nil {
		f(on)
	}
}

func (do) Abandon(error) {}

func queue(t *testing.T, s *workset.Set, f func(on schedulers.Worker)) *workset.Item {
	t.Helper()
	it, err := s.Queue(do(f), schedulers.Hint{})
	require.NoError(t, err)
	return it
}

// ended returns a context that has ended with the given cause.
func ended(cause error) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	return ctx
}

var errOnPurpose = errors.New("on purpose")

// Each work item submits two more, five levels deep, so their number is not known beforehand.
func TestWaitReturnsWhenATreeOfWorkHasEnded(t *testing.T) {
	s := workset.New(pool.New())
	var ran atomic.Int64
	var node func(depth int) func(on schedulers.Worker)
	node = func(depth int) func(on schedulers.Worker) {
		return func(on schedulers.Worker) {
			if ran.Add(1); depth > 0 {
				for range 2 {
					assert.NoError(t, s.Submit(do(node(depth-1)), schedulers.Hint{From: on}))
				}
			}
		}
	}
	for range 3 { // a set can be used again
		queue(t, s, node(5))
		require.NoError(t, s.Wait(context.Background()))
		assert.Equal(t, int64(63), ran.Swap(0))
		assert.Zero(t, s.Len())
	}
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestWaitForNothingReturnsAtOnce(t *testing.T) {
	s := workset.New(manual.New())
	require.NoError(t, s.Wait(ended(errOnPurpose)))
	var none context.Context
	require.NoError(t, s.Wait(none))
}

func TestAWaitEndsWithItsContextAndLeavesTheWork(t *testing.T) {
	beneath := manual.New()
	s := workset.New(beneath)
	it := queue(t, s, nil)
	assert.Equal(t, errOnPurpose, s.Wait(ended(errOnPurpose)))
	assert.Equal(t, errOnPurpose, it.Wait(ended(errOnPurpose)))
	assert.Equal(t, errOnPurpose, workset.WaitAll(ended(errOnPurpose), it))
	i, err := workset.WaitAny(ended(errOnPurpose), it)
	assert.Equal(t, -1, i)
	assert.Equal(t, errOnPurpose, err)
	assert.Equal(t, 1, s.Len())
	beneath.RunAll()
	require.NoError(t, s.Wait(context.Background()))
}

func TestPanicsGoexitsAndAbandonmentsEndAWaitToo(t *testing.T) {
	beneath := goroutine.New()
	s := workset.New(beneath)
	panics := queue(t, s, func(schedulers.Worker) { panic("on purpose") })
	exits := queue(t, s, func(schedulers.Worker) { runtime.Goexit() })
	require.NoError(t, workset.WaitAll(context.Background(), panics, exits))
	require.NoError(t, s.Wait(context.Background()))

	stuck := manual.New()
	lost := workset.New(stuck)
	first, second := queue(t, lost, nil), queue(t, lost, nil)
	stuck.Step()
	require.ErrorIs(t, lost.Shutdown(ended(errOnPurpose)), errOnPurpose)
	require.ErrorIs(t, workset.WaitAll(context.Background(), first, second), schedulers.ErrShutdown)
	require.NoError(t, first.Err())
	require.ErrorIs(t, second.Wait(context.Background()), schedulers.ErrShutdown)
	require.NoError(t, lost.Wait(context.Background()))
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestRefusedWorkIsNotWaitedFor(t *testing.T) {
	s := workset.New(nil)
	_, err := s.Queue(do(nil), schedulers.Hint{})
	require.ErrorIs(t, err, schedulers.ErrRejected)
	_, err = s.Queue(nil, schedulers.Hint{})
	require.ErrorIs(t, err, schedulers.ErrRejected)
	require.NoError(t, s.Wait(context.Background()))
}

func TestWaitAnyReturnsTheFirstThatEnds(t *testing.T) {
	beneath := manual.New()
	s, other := workset.New(beneath), workset.New(beneath)
	a, b, c := queue(t, s, nil), queue(t, other, nil), queue(t, s, nil)
	beneath.StepAt(1)
	i, err := workset.WaitAny(context.Background(), a, b, c)
	require.NoError(t, err)
	assert.Equal(t, 1, i)
	beneath.RunAll()
	i, err = workset.WaitAny(context.Background(), c, a, b)
	require.NoError(t, err)
	assert.Equal(t, 0, i, "all have ended: the lowest index")
	i, err = workset.WaitAny(context.Background(), a, a)
	require.NoError(t, err)
	assert.Equal(t, 0, i)
	_, err = workset.WaitAny(context.Background())
	require.ErrorIs(t, err, workset.ErrNoItems)
}

// The wait begins before the items end; in each round another item is the first. If a wait
// misses the end, it never returns, and the bubble reports it.
func TestWaitAnyThatHasBegunSeesTheEnd(t *testing.T) {
	for first := range 3 {
		synctest.Test(t, func(t *testing.T) {
			beneath := manual.New()
			s := workset.New(beneath)
			items := []*workset.Item{queue(t, s, nil), queue(t, s, nil), queue(t, s, nil)}
			won := make(chan int)
			go func() {
				i, err := workset.WaitAny(context.Background(), items...)
				assert.NoError(t, err)
				won <- i
			}()
			synctest.Wait()
			beneath.StepAt(first)
			assert.Equal(t, first, <-won)
			beneath.RunAll()
		})
	}
}

func TestWaitAnyRacingTheEnd(t *testing.T) {
	beneath := goroutine.New()
	s := workset.New(beneath)
	for range 500 {
		a, b := queue(t, s, nil), queue(t, s, nil)
		i, err := workset.WaitAny(context.Background(), a, b)
		require.NoError(t, err)
		select {
		case <-[]*workset.Item{a, b}[i].Done():
		default:
			t.Fatal("the winner has not ended")
		}
	}
	require.NoError(t, s.Wait(context.Background()))
	require.NoError(t, s.Shutdown(context.Background()))
}

// The only worker waits for a set that it has filled. The wait ends, because it is announced
// to the pool.
func TestAWaitInsideOfWorkDoesNotHang(t *testing.T) {
	beneath := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	j := job.Run(schedulers.With(context.Background(), beneath), func(ctx context.Context) (int, error) {
		s := workset.New(beneath)
		var ran atomic.Int64
		for range 10 {
			queue(t, s, func(schedulers.Worker) { ran.Add(1) })
		}
		err := s.Wait(ctx)
		return int(ran.Load()), err
	})
	n, err := j.Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 10, n)
	require.NoError(t, beneath.Shutdown(context.Background()))
}

func TestOverAnyScheduler(t *testing.T) {
	schedulertest.RunOver(t, func(_ testing.TB, s schedulers.Scheduler) schedulertest.Scheduler { return workset.New(s) })
}
