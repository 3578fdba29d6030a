package simulation_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/simulation"
)

// What waits for a context continues at the same point of a schedule in each run.
func TestTheEndOfAContextIsPartOfTheSchedule(t *testing.T) {
	run := func(make func(...simulation.Option) *simulation.Scheduler) (simulation.Trace, string) {
		s := make()
		ctx := s.Context(context.Background())
		bounded, cancel := context.WithCancel(ctx)
		order := ""
		for _, name := range []string{"a", "b", "c"} {
			job.Go(bounded, func(ctx context.Context) error {
				_ = job.Sleep(ctx, time.Hour)
				order += name
				return nil
			})
		}
		job.Go(ctx, func(context.Context) error { cancel(); return nil })
		for range 3 {
			job.Go(ctx, func(context.Context) error { job.Yield(); order += "-"; return nil })
		}
		require.NoError(t, s.Run())
		assert.Zero(t, s.Now(), "nothing has slept")
		return s.Trace(), order
	}
	for seed := range uint64(200) {
		trace, order := run(func(opts ...simulation.Option) *simulation.Scheduler { return simulation.New(seed, opts...) })
		_, again := run(func(opts ...simulation.Option) *simulation.Scheduler { return simulation.Replay(trace, opts...) })
		require.Equal(t, order, again, "seed %d", seed)
	}
}

// waitsForLock is waitForLock in both forms.
var waitsForLock = map[string]func(ctx context.Context, l *coord.RWMutex) *job.Job[job.Void]{
	"machine": waitForLockAsync,
	"plain": func(ctx context.Context, l *coord.RWMutex) *job.Job[job.Void] {
		return job.Go(ctx, func(ctx context.Context) error { return waitForLock(ctx, l) })
	},
}

func held() *coord.RWMutex {
	l := new(coord.RWMutex)
	l.TryLock()
	return l
}

type endOf struct {
	with     func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	realTime bool
}

// A context that ends in real time never ends here, and the report says why.
func TestADeadlockSaysThatAContextEndsInRealTime(t *testing.T) {
	for name, end := range map[string]endOf{
		"context.WithTimeout": {context.WithTimeout, true},
		"context.WithDeadline": {func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
			return context.WithDeadline(ctx, time.Now().Add(d))
		}, true},
		"below job.WithTimeout": {func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
			timed, cancel := context.WithTimeout(ctx, d)
			below, cancelBelow := context.WithCancel(timed)
			return below, func() { cancelBelow(); cancel() }
		}, true},
		"context.WithCancel": {func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		}, false},
	} {
		for form, start := range waitsForLock {
			t.Run(name+"/"+form, func(t *testing.T) {
				s := simulation.New(1)
				ctx, cancel := end.with(s.Context(context.Background()), 24*time.Hour)
				defer cancel()
				start(ctx, held())
				d, is := errors.AsType[*simulation.Deadlock](s.Run())
				require.True(t, is)
				assert.Equal(t, end.realTime, d.RealTime)
				if end.realTime {
					assert.Contains(t, d.Error(), "job.WithTimeout")
				} else {
					assert.NotContains(t, d.Error(), "WithTimeout")
				}
			})
		}
	}
}

// The same with job.WithTimeout is no deadlock.
func TestATimeoutPassesOnTheVirtualClock(t *testing.T) {
	for form, start := range waitsForLock {
		s := simulation.New(1)
		ctx, cancel := job.WithTimeout(s.Context(context.Background()), 24*time.Hour)
		defer cancel()
		j := start(ctx, held())
		require.NoError(t, s.Run(), form)
		assert.Equal(t, 24*time.Hour, s.Now(), form)
		_, err := j.GetResult()
		assert.ErrorIs(t, err, context.DeadlineExceeded, form)
	}
}

// A goroutine that is not simulated is busy for longer than the driver waits at first, as any
// goroutine seems to be on a busy machine.
func TestAVerdictWaitsForWhatIsLate(t *testing.T) {
	s := simulation.New(1)
	source := job.NewSource[int]()
	j := awaitAsync(s.Context(context.Background()), source.Job())
	go func() {
		for began := time.Now(); time.Since(began) < 200*time.Millisecond; {
		}
		source.TrySetResult(1)
	}()
	require.NoError(t, s.Run())
	require.True(t, j.Status().IsFinal())
}

// fickle is a context of a user whose Err waits, once.
type fickle struct {
	context.Context
	once          sync.Once
	entered, gate chan struct{}
}

func (f *fickle) Err() error {
	err := f.Context.Err()
	if err != nil {
		f.once.Do(func() {
			close(f.entered)
			<-f.gate
		})
	}
	return err
}

// The end of the context is being delivered by a goroutine of package context, and what runs there
// waits for a step.
func TestADeliveryThatNeedsAStepGetsIt(t *testing.T) {
	s := simulation.New(1)
	ctx := s.Context(context.Background())
	root, end := context.WithCancel(ctx)
	parent := &fickle{Context: root, entered: make(chan struct{}), gate: make(chan struct{})}
	bounded, cancel := job.WithTimeout(parent, time.Hour)
	l := held()
	j := waitForLockAsync(context.WithoutCancel(bounded), l)
	end()
	<-parent.entered
	job.Go(ctx, func(context.Context) error { close(parent.gate); return nil })
	job.Go(ctx, func(context.Context) error { l.Unlock(); return nil })
	require.NoError(t, s.Run())
	assert.True(t, j.Status().IsFinal())
	cancel()
	assert.ErrorIs(t, bounded.Err(), context.Canceled)
}
