package statemachine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/simulation"
)

// signal is a flag that a machine polls without ever suspending: another machine sets it.
type signal struct {
	set    atomic.Bool
	rounds int
	end    time.Time // so that a failing test ends
}

func newSignal() *signal { return &signal{end: time.Now().Add(20 * time.Second)} }

var errKept = errors.New("the machine kept its worker")

// missing reports whether to look again.
func (s *signal) missing() bool {
	s.rounds++
	return !s.set.Load() && time.Now().Before(s.end)
}

func (s *signal) err() error {
	if !s.set.Load() {
		return errKept
	}
	return nil
}

// gives is the other machine.
//
//movenext:async
func gives(ctx context.Context, s *signal) {
	job.Yield()
	s.set.Store(true)
}

//movenext:async
func looksByJob(ctx context.Context, s *signal) error {
	for s.missing() {
		if _, err := job.FromResult(1).Await(); err != nil {
			return err
		}
	}
	return s.err()
}

// there is a user's awaiter whose result is available.
type there struct{}

func (there) GetAwaiter() awaiter.Awaiter[int]        { return there{} }
func (there) IsCompleted() bool                       { return true }
func (there) OnCompleted(k continuation.Continuation) { k.Resume() }
func (there) GetResult() (int, error)                 { return 1, nil }

// hides is an awaiter whose result is available only once a continuation is registered.
type hides struct{ there }

func (hides) GetAwaiter() awaiter.Awaiter[int] { return hides{} }
func (hides) IsCompleted() bool                { return false }
func (hides) Register(*continuation.Node) bool { return false }

//movenext:async
func looksByAwaiter(ctx context.Context, s *signal) error {
	for s.missing() {
		if _, err := awaiter.Await(there{}); err != nil {
			return err
		}
	}
	return s.err()
}

//movenext:async
func looksByRegistrar(ctx context.Context, s *signal) error {
	for s.missing() {
		if _, err := awaiter.Await(hides{}); err != nil {
			return err
		}
	}
	return s.err()
}

//movenext:async
func looksBySleep(ctx context.Context, s *signal) error {
	for s.missing() {
		if err := job.Sleep(ctx, 0); err != nil {
			return err
		}
	}
	return s.err()
}

// looksBySleepInVain has a common bug: it ignores the error.
//
//movenext:async
func looksBySleepInVain(ctx context.Context, s *signal) error {
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(errKept)
	for s.missing() {
		if err := job.Sleep(ctx, time.Hour); !errors.Is(err, errKept) {
			return fmt.Errorf("not the cause of the context's end: %w", cmp.Or(err, io.EOF))
		}
	}
	return s.err()
}

// looksByCall awaits in a separate function, which usually does not suspend.
//
//movenext:async
func looksByCall(ctx context.Context, s *signal) error {
	for s.missing() {
		if one(ctx) != 1 {
			return errKept
		}
	}
	return s.err()
}

//movenext:async
func one(ctx context.Context) int {
	v, _ := job.FromResult(1).Await()
	return v
}

//movenext:async
func looksByTwin(ctx context.Context, s *signal) error {
	for s.missing() {
		if v, err := atOnce(); v != 1 || err != nil {
			return errKept
		}
	}
	return s.err()
}

// atOnce has a twin and no entry.
func atOnce() (int, error)       { return 1, nil }
func atOnceAsync() *job.Job[int] { return job.FromResult(1) }

//movenext:async
func looksByDefer(ctx context.Context, s *signal) error {
	for s.missing() {
		deferred(ctx)
	}
	return s.err()
}

//movenext:async
func deferred(ctx context.Context) {
	defer job.FromResult(1).Await() //nolint:errcheck // a deferred await is what this is about
}

//movenext:async
func looksByLiteral(ctx context.Context, s *signal) error {
	_, err := job.Go(ctx, func(ctx context.Context) error {
		s := newSignal()
		_ = givesAsync(ctx, s)
		for s.missing() {
			if _, err := job.FromResult(1).Await(); err != nil {
				return err
			}
		}
		return s.err()
	}).Await()
	return err
}

//movenext:async
func looksByRange(ctx context.Context, s *signal) error {
	for s.missing() {
		for _, err := range job.WhenEach(ctx, job.FromResult(1), job.FromResult(2)) {
			if err != nil {
				return err
			}
		}
	}
	return s.err()
}

// looks are the machines, by what they await.
var looks = map[string]func(context.Context, *signal) *job.Job[job.Void]{
	"a job":            looksByJobAsync,
	"an awaiter":       looksByAwaiterAsync,
	"a registrar":      looksByRegistrarAsync,
	"a sleep of zero":  looksBySleepAsync,
	"an ended sleep":   looksBySleepInVainAsync,
	"a call":           looksByCallAsync,
	"a twin":           looksByTwinAsync,
	"a deferred await": looksByDeferAsync,
	"a literal":        looksByLiteralAsync,
	"a range":          looksByRangeAsync,
}

// starts starts a machine that polls for the signal on a worker where the machine that
// sets it has been queued.
//
//movenext:async
func starts(ctx context.Context, look func(context.Context, *signal) *job.Job[job.Void]) error {
	job.Yield()
	s := newSignal()
	other := givesAsync(ctx, s)
	_, err := look(ctx, s).Await()
	_, _ = other.Await()
	return err
}

func TestAMachineThatNeverWaitsGivesWay(t *testing.T) {
	for name, start := range inOrder() {
		for what, look := range looks {
			t.Run(name+"/"+what, func(t *testing.T) {
				s, end := start()
				_, err := startsAsync(schedulers.With(context.Background(), s), look).Wait(context.Background())
				require.NoError(t, err)
				require.NoError(t, end(context.Background()))
			})
		}
	}
}

func TestAMachineThatNeverWaitsGivesWayWhereItIsDriven(t *testing.T) {
	for what, look := range looks {
		m := manual.New()
		j := startsAsync(schedulers.With(context.Background(), m), look)
		for m.Step() {
		}
		require.True(t, j.IsCompleted(), what)
		require.NoError(t, j.Err(), what)

		for _, s := range []schedulers.Scheduler{inline.New(), goroutine.New()} {
			_, err := startsAsync(schedulers.With(context.Background(), s), look).Wait(context.Background())
			require.NoError(t, err, what)
		}

		v := simulation.New(1)
		j = startsAsync(schedulers.With(context.Background(), v), look)
		require.NoError(t, v.Run(), what)
		require.NoError(t, j.Err(), what)
	}
}
