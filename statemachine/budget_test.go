package statemachine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

var (
	errKept  = errors.New("the machine kept its worker")
	errEnded = errors.New("the context has ended")
)

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

// ways are what a machine awaits between two looks for the signal.
var ways = []string{
	"a job", "an awaiter", "a registrar", "a sleep of zero", "an ended sleep", "a call", "a twin", "a deferred await",
	"a range", "a literal",
}

//movenext:async
func looks(ctx context.Context, s *signal, way string) error {
	ended, cancel := context.WithCancelCause(ctx)
	cancel(errEnded)
	for s.missing() {
		var err error
		switch way {
		case "a job":
			_, err = job.FromResult(1).Await()
		case "an awaiter":
			_, err = awaiter.Await(there{})
		case "a registrar":
			_, err = awaiter.Await(hides{})
		case "a sleep of zero":
			err = job.Sleep(ctx, 0)
		case "an ended sleep":
			if slept := job.Sleep(ended, time.Hour); !errors.Is(slept, errEnded) {
				err = fmt.Errorf("not the cause of the context's end: %w", slept) // else it goes on: a common bug
			}
		case "a call":
			if one(ctx) != 1 {
				err = errKept
			}
		case "a twin":
			var v int
			if v, err = atOnce(); v != 1 {
				err = errKept
			}
		case "a deferred await":
			deferred(ctx)
		case "a range":
			for _, failed := range job.WhenEach(ctx, job.FromResult(1), job.FromResult(2)) {
				err = cmp.Or(err, failed)
			}
		}
		if err != nil {
			return err
		}
	}
	return s.err()
}

// looksInLiteral awaits in a job's literal.
//
//movenext:async
func looksInLiteral(ctx context.Context) error {
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

// one awaits in a separate function, which usually does not suspend.
//
//movenext:async
func one(ctx context.Context) int {
	v, _ := job.FromResult(1).Await()
	return v
}

// atOnce has a twin and no entry.
func atOnce() (int, error)       { return 1, nil }
func atOnceAsync() *job.Job[int] { return job.FromResult(1) }

//movenext:async
func deferred(ctx context.Context) {
	defer job.FromResult(1).Await() //nolint:errcheck // a deferred await is what this is about
}

// starts starts a machine that polls for the signal on a worker where the machine that
// sets it has been queued.
//
//movenext:async
func starts(ctx context.Context, way string) error {
	job.Yield()
	if way == "a literal" {
		_, err := looksInLiteralAsync(ctx).Await()
		return err
	}
	s := newSignal()
	other := givesAsync(ctx, s)
	_, err := looksAsync(ctx, s, way).Await()
	_, _ = other.Await()
	return err
}

func TestAMachineThatNeverWaitsGivesWay(t *testing.T) {
	for name, start := range inOrder() {
		for _, way := range ways {
			t.Run(name+"/"+way, func(t *testing.T) {
				s, end := start()
				_, err := startsAsync(schedulers.With(context.Background(), s), way).Wait(context.Background())
				require.NoError(t, err)
				require.NoError(t, end(context.Background()))
			})
		}
	}
}

func TestAMachineThatNeverWaitsGivesWayWhereItIsDriven(t *testing.T) {
	for _, way := range ways {
		m := manual.New()
		j := startsAsync(schedulers.With(context.Background(), m), way)
		for m.Step() {
		}
		require.True(t, j.IsCompleted(), way)
		require.NoError(t, j.Err(), way)

		for _, s := range []schedulers.Scheduler{inline.New(), goroutine.New()} {
			_, err := startsAsync(schedulers.With(context.Background(), s), way).Wait(context.Background())
			require.NoError(t, err, way)
		}

		v := simulation.New(1)
		j = startsAsync(schedulers.With(context.Background(), v), way)
		require.NoError(t, v.Run(), way)
		require.NoError(t, j.Err(), way)
	}
}
