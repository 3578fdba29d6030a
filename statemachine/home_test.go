package statemachine_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/statemachine"
)

// witness is a scheduler that knows whether any of its work is running. With one machine
// in the program, this tells whether the machine is at home.
type witness struct {
	over   schedulers.Scheduler
	inside atomic.Int32
}

func (w *witness) Submit(work schedulers.Work, hint schedulers.Hint) error {
	return w.over.Submit(&witnessed{work, w}, hint)
}

type witnessed struct {
	schedulers.Work
	by *witness
}

func (w *witnessed) Run(on schedulers.Worker) {
	w.by.inside.Add(1)
	defer w.by.inside.Add(-1)
	w.Work.Run(on)
}

// steps records where the functions below ran, at each step.
type steps struct {
	home  *witness
	there *steps // of another home
	mu    sync.Mutex
	away  []string
	seen  int
}

func (s *steps) step(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen++
	if s.home.inside.Load() == 0 { // two, while a goroutine that exits has not left yet
		s.away = append(s.away, name)
	}
}

var errAway = errors.New("away")

// ends moves to its home, which differs from its caller's, and ends there.
//
//movenext:async
func ends(ctx context.Context, how string) error {
	job.Yield()
	switch how {
	case "panics":
		panic(errAway)
	case "exits":
		runtime.Goexit()
	}
	return errAway
}

// switches leaves its home, and ends there.
//
//movenext:async
func switches(ctx context.Context, to schedulers.Scheduler, how string) error {
	if err := job.SwitchTo(ctx, to); err != nil {
		return err
	}
	return ends(ctx, how)
}

// returnsAfter ends with a deferred call that suspends elsewhere, and one after it.
//
//movenext:async
func returnsAfter(ctx, away context.Context, how string, at *steps) error {
	defer at.step("deferred first")
	defer func() {
		_ = ends(away, "")
		at.step("after the call in a deferred call")
	}()
	job.Yield()
	switch how {
	case "panics":
		panic(errAway)
	case "exits":
		runtime.Goexit()
	}
	return errAway
}

// byHand and its twin are a handwritten pair without a frame.
func byHand(ctx context.Context, on schedulers.Scheduler, how string) error {
	_, err := byHandAsync(ctx, on, how).Await()
	return err
}

func byHandAsync(ctx context.Context, on schedulers.Scheduler, how string) *job.Job[job.Void] {
	return job.Go(ctx, func(context.Context) error {
		switch how {
		case "panics":
			panic(errAway)
		case "exits":
			runtime.Goexit()
		}
		return errAway
	}, job.On(on))
}

// numbersAt yields at its own home, where each of its steps must run.
//
//movenext:async
func numbersAt(ctx context.Context, at *steps, n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		job.Yield()
		defer at.step("the stream's deferred call")
		for i := range n {
			at.step("before the stream's yield")
			if !yield(i, nil) {
				break
			}
			at.step("behind the stream's yield")
		}
		job.Yield()
		at.step("the stream's end")
	}
}

// calls has a step after each callee, and in each deferred call.
//
//movenext:async
func calls(ctx, away context.Context, there schedulers.Scheduler, way, how string, at *steps) (err error) {
	defer func() {
		at.step("deferred")
		if v := recover(); v != nil {
			err, _ = v.(error)
		}
	}()
	at.step("start")
	switch way {
	case "scheduler":
		err = ends(away, how)
	case "switch":
		err = switches(ctx, there, how)
	case "deferred":
		err = returnsAfter(ctx, away, how, at)
	case "by hand":
		err = byHand(ctx, there, how)
	case "late":
		err = late(away, at.there)
	case "late, in a later step":
		job.Yield()
		err = late(away, at.there)
	}
	at.step("after the call")
	return err
}

// through is a caller's caller.
//
//movenext:async
func through(ctx, away context.Context, there schedulers.Scheduler, way, how string, at *steps) error {
	defer at.step("deferred by the outer one")
	err := calls(ctx, away, there, way, how, at)
	at.step("after the outer call")
	return err
}

// ranges ranges over a stream of another home, and leaves it in one of four ways.
//
//movenext:async
func ranges(ctx context.Context, values *job.Stream[int], how string, at *steps) (err error) {
	defer func() {
		at.step("deferred by the loop's function")
		if v := recover(); v != nil {
			err, _ = v.(error)
		}
	}()
	for v, err := range values.All() {
		if err != nil {
			return err
		}
		at.step("the loop's body")
		if v == 1 {
			switch how {
			case "break":
				return errAway
			case "panics":
				panic(errAway)
			case "exits":
				runtime.Goexit()
			}
		}
	}
	at.step("behind the loop")
	return errAway
}

// atHome runs start at a new home, with a context whose home is elsewhere, and returns
// the job's error and the steps.
func atHome(t *testing.T, start func(ctx, away context.Context, there schedulers.Scheduler, at *steps) *job.Job[job.Void]) (*steps, error) {
	t.Helper()
	over, there := pool.New(), pool.New()
	t.Cleanup(func() {
		require.NoError(t, over.Shutdown(context.Background()))
		require.NoError(t, there.Shutdown(context.Background()))
	})
	at := &steps{home: &witness{over: over}}
	ctx := schedulers.With(context.Background(), at.home)
	_, err := job.Run(ctx, statemachine.Func1(func(ctx context.Context) *job.Job[job.Void] {
		return start(ctx, schedulers.With(ctx, there), there, at)
	})).Wait(context.Background())
	return at, err
}

// TestACallerContinuesAtHome checks the rule that every frame resumes on its own home,
// however and wherever its callee has ended.
func TestACallerContinuesAtHome(t *testing.T) {
	for _, way := range []string{"scheduler", "switch", "deferred", "by hand"} {
		for _, how := range []string{"returns", "panics", "exits"} {
			t.Run(way+" "+how, func(t *testing.T) {
				at, err := atHome(t, func(ctx, away context.Context, there schedulers.Scheduler, at *steps) *job.Job[job.Void] {
					return throughAsync(ctx, away, there, way, how, at)
				})
				if how == "exits" {
					require.ErrorIs(t, err, job.ErrGoexit)
				} else {
					require.ErrorIs(t, err, errAway)
				}
				assert.Empty(t, at.away)
				assert.GreaterOrEqual(t, at.seen, 3)
			})
		}
	}
}

func TestDeferredCallsAreMadeAtHome(t *testing.T) {
	at, err := atHome(t, func(ctx, away context.Context, _ schedulers.Scheduler, at *steps) *job.Job[job.Void] {
		return returnsAfterAsync(ctx, away, "", at)
	})
	require.ErrorIs(t, err, errAway)
	assert.Empty(t, at.away)
	assert.Equal(t, 2, at.seen)
}

func TestALoopIsAtHomeWhereverItsStreamIs(t *testing.T) {
	for _, how := range []string{"ends", "break", "panics", "exits"} {
		t.Run(how, func(t *testing.T) {
			other := pool.New()
			stream := &steps{home: &witness{over: other}}
			there := schedulers.With(context.Background(), stream.home)
			at, err := atHome(t, func(ctx, _ context.Context, _ schedulers.Scheduler, at *steps) *job.Job[job.Void] {
				return rangesAsync(ctx, numbersAtAsync(there, stream, 3), how, at)
			})
			if how == "exits" {
				require.ErrorIs(t, err, job.ErrGoexit)
			} else {
				require.ErrorIs(t, err, errAway)
			}
			require.NoError(t, other.Shutdown(context.Background()))
			assert.Empty(t, at.away)
			assert.Empty(t, stream.away)
			assert.GreaterOrEqual(t, stream.seen, 4)
		})
	}
}

// lateEnd is an operation that ends between the check of IsCompleted and the registration.
type lateEnd struct{}

func (lateEnd) GetAwaiter() awaiter.Awaiter[int]        { return lateEnd{} }
func (lateEnd) IsCompleted() bool                       { return false }
func (lateEnd) OnCompleted(k continuation.Continuation) { k.Resume() }
func (lateEnd) Register(*continuation.Node) bool        { return false }
func (lateEnd) GetResult() (int, error)                 { return 0, errAway }

// late waits at its home for an operation that has already ended. The function calls calls it from
// another home: in its first step, or in a later one.
//
//movenext:async
func late(ctx context.Context, at *steps) error {
	_, err := awaiter.Await(lateEnd{})
	at.step("after a wait that had ended")
	return err
}

// startsLate calls late in a literal that runs as a job.
//
//movenext:async
func startsLate(ctx, away context.Context, at *steps) error {
	_, err := job.Go(ctx, func(ctx context.Context) error {
		err := late(away, at.there)
		at.step("after the call in a literal")
		return err
	}).Await()
	at.step("after the job")
	return err
}

func TestAJobThatEndsBeforeTheRegistrationDoesNotHoldTheCallerBack(t *testing.T) {
	for name, start := range map[string]func(ctx, away context.Context, at *steps) *job.Job[job.Void]{
		"first step": func(ctx, away context.Context, at *steps) *job.Job[job.Void] {
			return callsAsync(ctx, away, nil, "late", "", at)
		},
		"later step": func(ctx, away context.Context, at *steps) *job.Job[job.Void] {
			return callsAsync(ctx, away, nil, "late, in a later step", "", at)
		},
		"literal": startsLateAsync,
	} {
		t.Run(name, func(t *testing.T) {
			other := pool.New()
			there := &steps{home: &witness{over: other}}
			at, err := atHome(t, func(ctx, _ context.Context, _ schedulers.Scheduler, at *steps) *job.Job[job.Void] {
				at.there = there
				return start(ctx, schedulers.With(ctx, there.home), at)
			})
			require.ErrorIs(t, err, errAway)
			require.NoError(t, other.Shutdown(context.Background()))
			assert.Empty(t, at.away)
			assert.Empty(t, there.away)
			assert.Equal(t, 1, there.seen)
		})
	}
}
