package job

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// waitersOf returns how many registrations a job holds.
func waitersOf(j Handle) (n int) {
	baseOf(j).waiting.Visit(math.MaxInt, func(continuation.Target) { n++ })
	return n
}

func TestWaitOnACreatedJobReturnsErrNotStarted(t *testing.T) {
	j := New((&manual{}).ctx(), constant(1, nil))
	_, err := j.Wait(context.Background())
	assert.Equal(t, ErrNotStarted, err)
	assert.Equal(t, Created, j.Status())
}

func TestAwaitAndGetAwaiterStartACreatedJob(t *testing.T) {
	ctx := onPool(t, 1)
	v, err := New(ctx, constant(1, nil)).Await()
	assert.NoError(t, err)
	assert.Equal(t, 1, v)

	m := &manual{}
	j := New(m.ctx(), constant(1, nil))
	j.GetAwaiter()
	assert.Equal(t, Scheduled, j.Status())
}

func TestAWaitThatEndsLeavesTheJobAloneAndNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSource[int]()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errBoom)
		defer cancel()
		_, err := s.Job().Wait(ctx)
		var w *WaitError
		require.ErrorAs(t, err, &w)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorIs(t, err, errBoom)
		assert.Equal(t, WaitingForActivation, s.Job().Status())
		assert.Zero(t, waitersOf(s.Job()))

		s.TrySetResult(3)
		v, err := s.Job().Wait(ctx)
		assert.NoError(t, err, "a result that is there is returned, also to a caller without time left")
		assert.Equal(t, 3, v)
	})
}

func TestManyWaitersGetOneResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSource[int]()
		const n = 10
		got := make(chan int, n)
		for range n {
			go func() {
				v, _ := s.Job().Wait(t.Context())
				got <- v
			}()
		}
		synctest.Wait()
		s.TrySetResult(4)
		for range n {
			assert.Equal(t, 4, <-got)
		}
	})
}

func TestCompleteBetweenTheLookAndTheRegistration(t *testing.T) {
	s := NewSource[int]()
	p := &parked{awake: make(chan struct{})}
	p.node.Prepare(p)
	s.TrySetResult(1)
	assert.False(t, s.Job().Register(&p.node), "the waiter sees the result at once")
	select {
	case <-p.awake:
		t.Fatal("a refused node was delivered")
	default:
	}
}

func TestTheJobEndsWhileTheWaiterGivesUp(t *testing.T) {
	s := NewSource[int]()
	p := &parked{awake: make(chan struct{})}
	p.node.Prepare(p)
	c := baseOf(s.Job())
	require.True(t, c.register(&p.node))
	s.TrySetResult(1)
	assert.NoError(t, c.giveUp(p, context.Canceled), "the wait has succeeded")
}

func TestAWaiterWhoseTimeIsUpRunsNothing(t *testing.T) {
	m := &manual{consent: true}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ran := false
	j := Run(m.ctx(), func(context.Context) (int, error) { ran = true; return 1, nil })
	_, err := j.Wait(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	assert.False(t, ran)
	m.all()
}

func TestAWaiterRunsAQueuedJobInPlaceByConsent(t *testing.T) {
	m := &manual{consent: true}
	j := Run(m.ctx(), constant(1, nil))
	v, err := j.Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 1, v)
	m.all() // the queued entry finds nothing left to do
	assert.Equal(t, 1, m.asked)
}

func TestAWaiterWithADeadlineRunsNothingInPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{consent: true}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		j := Run(m.ctx(), constant(1, nil))
		_, err := j.Wait(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Zero(t, m.asked)
		m.all()
	})
}

func TestAWorkerClaimsWhileTheWaiterIsAskingForConsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{consent: true}
		gate := make(chan struct{})
		runs := 0
		j := Run(m.ctx(), func(context.Context) (int, error) { runs++; <-gate; return 1, nil })
		go m.all() // claims
		synctest.Wait()
		go func() { time.Sleep(time.Second); close(gate) }()
		assert.False(t, j.core.runInPlace(t.Context(), nil))
		v, err := j.Wait(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
		assert.Equal(t, 1, runs)
	})
}

func TestAPanicInAJobRunInPlaceDoesNotReachTheWaiter(t *testing.T) {
	m := &manual{consent: true}
	j := Run(m.ctx(), func(context.Context) (int, error) { return explode("ouch") })
	_, err := j.Wait(context.Background())
	var p *PanicError
	assert.ErrorAs(t, err, &p)
}

func TestTheOnlyWorkerWaitsForAJobOfItsOwn(t *testing.T) {
	p := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	ctx := schedulers.With(context.Background(), p)
	v, err := Run(ctx, func(ctx context.Context) (int, error) {
		return Run(ctx, func(ctx context.Context) (int, error) {
			return Run(ctx, constant(3, nil)).Wait(ctx)
		}).Wait(ctx)
	}).Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestAWorkerTellsThatItBlocksAndThatItDoesNotAnyMore(t *testing.T) {
	m := &manual{}
	var log []string
	s := NewSource[int]()
	m.block = func() (func(), error) {
		log = append(log, "blocks")
		s.TrySetResult(1)
		return func() { log = append(log, "goes on") }, nil
	}
	Go(m.ctx(), func(ctx context.Context) error {
		_, err := s.Job().Wait(ctx)
		return err
	})
	m.all()
	assert.Equal(t, []string{"blocks", "goes on"}, log)
}

func TestAWaitThatCouldNeverEndIsRefused(t *testing.T) {
	m := &manual{block: func() (func(), error) { return nil, ErrWouldDeadlock }}
	s := NewSource[int]()
	j := Go(m.ctx(), func(ctx context.Context) error {
		_, err := s.Job().Wait(ctx)
		return err
	})
	m.all()
	var w *WaitError
	require.ErrorAs(t, j.Err(), &w)
	assert.ErrorIs(t, j.Err(), ErrWouldDeadlock)
	assert.Zero(t, waitersOf(s.Job()))
}

func TestDoneIsMadeOnceAndClosedAtTheEnd(t *testing.T) {
	s := NewSource[int]()
	done := s.Job().Done()
	select {
	case <-done:
		t.Fatal("closed too early")
	default:
	}
	s.TrySetResult(1)
	<-done
	assert.Equal(t, done, s.Job().Done())
}

func TestDoneOfACreatedJobDoesNotStartIt(t *testing.T) {
	j := New((&manual{}).ctx(), constant(1, nil))
	j.Done()
	assert.Equal(t, Created, j.Status())
}

func TestDoneOfACompletedJobBelongsToNoBubble(t *testing.T) {
	synctest.Test(t, func(*testing.T) { <-FromResult(Void{}).Done() })
	<-FromResult(Void{}).Done()
	synctest.Test(t, func(*testing.T) { <-FromResult(Void{}).Done() })
}

func TestOnCompletedResumesOnce(t *testing.T) {
	s := NewSource[int]()
	times := 0
	s.Job().OnCompleted(resumer(func() { times++ }))
	assert.Zero(t, times)
	s.TrySetResult(1)
	assert.Equal(t, 1, times)
	s.Job().OnCompleted(resumer(func() { times++ }))
	assert.Equal(t, 2, times, "after completion at once")
}

func TestGetResultOfAPendingJobBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSource[int]()
		go func() { time.Sleep(time.Second); s.TrySetResult(1) }()
		v, err := s.Job().GetResult()
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
	})
}

func TestGoexitInAJobRunInPlaceEndsItsWaiterToo(t *testing.T) {
	m := &manual{consent: true}
	inner := Run(m.ctx(), func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
	cameBack := false
	onItsOwnGoroutine(func() {
		_, _ = inner.Wait(context.Background())
		cameBack = true
	})
	assert.False(t, cameBack)
	assert.Equal(t, ErrGoexit, inner.Err())
}

func TestAJobsOwnErrorIsNeverTheWaits(t *testing.T) {
	own := &WaitError{Err: errBoom} // the job itself has waited for another one
	_, err := FromError[int](own).Wait(context.Background())
	assert.Same(t, own, err)
	assert.True(t, errors.Is(err, errBoom))
}

// Neither the completer nor the other waiters notice the panic.
func TestAResumeThatPanicsIsContained(t *testing.T) {
	var seen []string
	before := schedulers.OnHookPanic(func(p *schedulers.HookPanic) { seen = append(seen, p.String()) })
	defer func() { schedulers.OnHookPanic(before) }()
	s := NewSource[int]()
	told := false
	ouch := resumer(func() { panic("ouch") })
	s.Job().OnCompleted(ouch)
	s.Job().OnCompleted(resumer(func() { told = true }))
	assert.True(t, s.TrySetResult(1))
	assert.True(t, told)
	s.Job().OnCompleted(ouch)
	assert.Equal(t, slices.Repeat([]string{"the hook continuation.Continuation.Resume panicked: ouch"}, 2), seen)
}
