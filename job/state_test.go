package job

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/schedulers"
)

func TestCancelBeforeAWorkerClaims(t *testing.T) {
	m := &manual{}
	ran := false
	j := Run(m.ctx(), func(context.Context) (int, error) { ran = true; return 1, nil })
	assert.True(t, j.Cancel())
	m.all()
	assert.False(t, ran)
	assert.ErrorIs(t, j.Err(), context.Canceled)
}

func TestCancelBetweenReserveAndFinish(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), constant(1, nil))
	require.True(t, j.core.state.reserve(Scheduled), "a canceller has won")

	assert.Equal(t, Scheduled, j.Status(), "a reserved job shows the status it comes from")
	assert.False(t, j.Cancel(), "the second canceller has not")
	m.all() // a worker comes too late
	assert.False(t, j.IsCompleted())

	j.core.abort(Canceled, context.Canceled).Deliver(nil)
	assert.Equal(t, Canceled, j.Status())
}

func TestAJobHasNotEndedBetweenItsOutcomeAndTheClosedList(t *testing.T) {
	j := Run((&manual{}).ctx(), constant(1, nil))
	require.True(t, j.core.state.claim())
	j.core.conclude(Faulted)
	assert.Equal(t, Running, j.Status(), "it has not ended")
	assert.False(t, j.IsCompleted())

	var n continuation.Node
	heard := false
	n.Prepare(told(func() { heard = true }))
	require.True(t, j.Register(&n), "so it can be waited for")

	j.core.waiting.Complete().Deliver(nil)
	assert.Equal(t, Faulted, j.Status())
	assert.True(t, heard)
	assert.False(t, j.Register(&n))
}

func TestTheOriginOfACanceledJobIsNotItsStatus(t *testing.T) {
	m := &manual{consent: true}
	for _, j := range []*Job[int]{New(m.ctx(), constant(1, nil)), Run(m.ctx(), constant(1, nil))} {
		require.True(t, j.Cancel())
		assert.Equal(t, Canceled, j.Status())
		_, err := j.Wait(context.Background())
		assert.ErrorIs(t, err, context.Canceled)
		in := jobcore.Of(j)
		assert.False(t, in.Claim(nil), "it is no more to be had than one that runs")
		in.StartLast(nil)
		assert.Equal(t, ErrStarted, j.Start())
	}
	assert.Zero(t, m.asked)
}

func TestCancelAfterAWorkerHasClaimed(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), constant(1, nil))
	require.True(t, j.core.state.claim())
	assert.True(t, j.Cancel(), "it can still be told")
	assert.Equal(t, Running, j.Status())
	assert.ErrorIs(t, j.core.own.Err(), context.Canceled)
}

func TestTheResultOfAJobThatIgnoresItsCancellationStands(t *testing.T) {
	m := &manual{}
	var j *Job[int]
	j = Run(m.ctx(), func(context.Context) (int, error) { j.Cancel(); return 7, nil })
	m.all()
	v, err := j.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, 7, v)
	assert.Equal(t, Completed, j.Status())
}

func TestCancelWhileStartIsInsideOfSubmit(t *testing.T) {
	m := &manual{}
	j := New(m.ctx(), constant(1, nil))
	m.during = func(w schedulers.Work) { assert.True(t, j.Cancel()) }
	assert.NoError(t, j.Start())
	m.all()
	assert.Equal(t, Canceled, j.Status())
}

func TestCancelWhileARefusingStartIsInsideOfSubmit(t *testing.T) {
	m := &manual{refuse: ErrRejected}
	j := New(m.ctx(), constant(1, nil))
	m.during = func(w schedulers.Work) { assert.True(t, j.Cancel()) }
	assert.ErrorIs(t, j.Start(), ErrRejected)
	assert.Equal(t, Canceled, j.Status(), "the first of two outcomes stands")
}

func TestStartAfterStart(t *testing.T) {
	m := &manual{}
	j := New(m.ctx(), constant(1, nil))
	assert.NoError(t, j.Start())
	assert.Equal(t, ErrStarted, j.Start())
	m.all()
	assert.Equal(t, ErrStarted, j.Start())
	assert.Empty(t, m.queue)
}

func TestStartOfWhatIsNotStartedByHand(t *testing.T) {
	s := NewSource[int]()
	assert.Equal(t, ErrStarted, s.Job().Start())
	assert.Equal(t, ErrStarted, FromResult(1).Start())
	c := ContinueWith(context.Background(), s.Job(), func(context.Context, *Job[int]) (int, error) { return 0, nil })
	assert.Equal(t, ErrStarted, c.Start())
	c.Cancel()
}

func TestASecondStartElsewhereChangesNothing(t *testing.T) {
	first, second := &manual{consent: true}, &manual{}
	j := New(first.ctx(), constant(1, nil))
	require.NoError(t, j.Start())
	require.Equal(t, ErrStarted, j.Start(On(second)))

	_, err := j.Wait(context.Background())
	assert.NoError(t, err, "run in place by consent of the first")
	assert.Equal(t, 1, first.asked)
	assert.Zero(t, second.asked, "a job that is not queued asks for no consent")
}

func TestStartOnAnotherSchedulerMakesThatTheAmbientOne(t *testing.T) {
	made, started := &manual{}, &manual{}
	var seen schedulers.Scheduler
	j := New(made.ctx(), func(ctx context.Context) (int, error) {
		seen = schedulers.FromContext(ctx)
		return 1, nil
	})
	require.NoError(t, j.Start(On(started), PreferFairness()))
	assert.True(t, started.hints[0].Flags.Has(schedulers.PreferFairness))
	started.all()
	assert.Same(t, started, seen)
	assert.Empty(t, made.queue)
}

func TestTwoWorkersRunOneJobOnce(t *testing.T) {
	m := &manual{}
	runs := 0
	j := Run(m.ctx(), func(context.Context) (int, error) { runs++; return 1, nil })
	w := m.take(t)
	w.Run(nil)
	w.Run(nil) // a scheduler that breaks its contract
	w.Abandon(ErrShutdown)
	assert.Equal(t, 1, runs)
	assert.Equal(t, Completed, j.Status())
}

func TestManyProducersOneResult(t *testing.T) {
	for range 200 {
		s := NewSource[int]()
		var wins atomic.Int32
		var winner atomic.Int32
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				ok := false
				switch i % 3 {
				case 0:
					ok = s.TrySetResult(i)
				case 1:
					ok = s.TrySet(i, errBoom)
				case 2:
					ok = s.TrySetCanceled()
				}
				if ok {
					wins.Add(1)
					winner.Store(int32(i))
				}
			})
		}
		v, err := s.Job().Wait(context.Background())
		wg.Wait()
		require.EqualValues(t, 1, wins.Load())
		switch w := int(winner.Load()); w % 3 {
		case 0:
			require.NoError(t, err)
			require.Equal(t, w, v)
		case 1:
			require.Equal(t, errBoom, err)
			require.Equal(t, w, v)
		case 2:
			require.ErrorIs(t, err, context.Canceled)
		}
	}
}

// In TestStartCancelAndRunAtOnce one goroutine starts a job, one cancels it and one
// waits for it. The job must end once, and run if and only if it was not canceled.
func TestStartCancelAndRunAtOnce(t *testing.T) {
	ctx := onPool(t, 2)
	for range 500 {
		var runs atomic.Int32
		j := New(ctx, func(context.Context) (int, error) { runs.Add(1); return 1, nil })
		var canceled bool
		var wg sync.WaitGroup
		wg.Go(func() { _ = j.Start() })
		wg.Go(func() { canceled = j.Cancel() })
		wg.Go(func() { _, _ = j.Await() })
		wg.Wait()
		require.True(t, j.IsCompleted())
		switch j.Status() {
		case Completed:
			require.EqualValues(t, 1, runs.Load())
		case Canceled:
			require.True(t, canceled)
			require.Zero(t, runs.Load())
		default:
			t.Fatal(j.Status())
		}
	}
}
