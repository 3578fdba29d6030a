package ums_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/ums"
)

// do is a function as work.
type do func(schedulers.Worker)

func (f do) Run(worker schedulers.Worker) { f(worker) }
func (f do) Abandon(error)                {}

func submit(t *testing.T, s schedulers.Scheduler, f func(*ums.Worker)) {
	t.Helper()
	require.NoError(t, s.Submit(do(func(worker schedulers.Worker) { f(worker.(*ums.Worker)) }), schedulers.Hint{}))
}

// logged returns a scheduler of one thread, and a function that returns its log after
// Shutdown.
func logged(opts ...ums.Option) (*ums.Scheduler, func() []string) {
	var log []string
	s := ums.New(1, append(opts, ums.Observe(func(e ums.Event) { log = append(log, e.String()) }))...)
	return s, func() []string { return log }
}

// TestTheLogTellsEachDecisionWithItsReason holds the thread until all work is submitted; the
// call ends when the thread has parked.
func TestTheLogTellsEachDecisionWithItsReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := logged()
		gate, answer := make(chan struct{}), make(chan struct{})
		submit(t, s, func(w *ums.Worker) {
			<-gate
			w.Call(func() { <-answer })
		})
		synctest.Wait()
		submit(t, s, func(w *ums.Worker) { w.Yield("a parameter") })
		synctest.Wait()
		close(gate)
		synctest.Wait()
		close(answer)
		require.NoError(t, s.Shutdown(context.Background()))
		assert.Equal(t, []string{
			"thread 1: startup, with parameter 1",
			"thread 1: from the completion list: worker 1, Created",
			"thread 1: executes worker 1",
			"thread 1: worker 1 blocked, in a call",
			"thread 1: from the completion list: worker 2, Created",
			"thread 1: executes worker 2",
			"thread 1: worker 2 yielded, with parameter a parameter",
			"thread 1: executes worker 2",
			"thread 1: worker 2 blocked for good: it has ended",
			"thread 1: cleans up worker 2",
			"thread 1: from the completion list: worker 1, Ready",
			"thread 1: executes worker 1",
			"thread 1: worker 1 blocked for good: it has ended",
			"thread 1: cleans up worker 1",
		}, log())
		assert.Empty(t, s.Workers())
	})
}

func TestTenThousandShortWorkersOnTwoThreadsWithMixedBlocking(t *testing.T) {
	const n = 10_000
	s := ums.New(2)
	var now, most, blocked, done atomic.Int64
	count := func(worker int64) {
		v := now.Add(worker)
		for m := most.Load(); v > m && !most.CompareAndSwap(m, v); m = most.Load() {
		}
	}
	answers := make(chan func(), n) // to the outside world, which ends the calls
	var outside sync.WaitGroup
	outside.Go(func() {
		for answer := range answers {
			answer()
		}
	})
	for i := range n {
		submit(t, s, func(w *ums.Worker) {
			count(1)
			switch i % 4 {
			case 1:
				count(-1)
				w.Yield(i)
				count(1)
			case 2:
				gate := make(chan struct{})
				count(-1)
				w.Call(func() { answers <- func() { close(gate) }; <-gate })
				count(1)
				blocked.Add(1)
			}
			count(-1)
			done.Add(1)
		})
	}
	require.NoError(t, s.Shutdown(context.Background()))
	close(answers)
	outside.Wait()
	assert.EqualValues(t, n, done.Load())
	assert.EqualValues(t, n/4, blocked.Load())
	assert.LessOrEqual(t, most.Load(), int64(2), "no more workers run than there are threads")
	assert.Empty(t, s.Workers(), "all contexts are cleaned up")
}

func TestAJobThatWaitsHandsItsThreadOn(t *testing.T) {
	s := ums.New(1)
	ctx := schedulers.With(context.Background(), s)
	answer := job.NewSource[int]()
	var order []string
	reader := job.Run(ctx, func(ctx context.Context) (int, error) {
		order = append(order, "waits")
		return answer.Job().Wait(ctx)
	})
	writer := job.Go(ctx, func(context.Context) error {
		order = append(order, "answers")
		answer.TrySetResult(42)
		return nil
	})
	got, err := reader.Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 42, got)
	_, err = writer.Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, []string{"waits", "answers"}, order)
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestAQueuedJobRunsInPlaceForItsWaiterOnAWorker(t *testing.T) {
	s := ums.New(1)
	ctx := schedulers.With(context.Background(), s)
	outer := job.Run(ctx, func(ctx context.Context) (int, error) {
		return job.Run(ctx, func(context.Context) (int, error) { return 7, nil }).Wait(ctx)
	})
	got, err := outer.Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 7, got)
	assert.False(t, s.MayRunInPlace(nil, nil))
	assert.False(t, ums.New(1).MayRunInPlace(nil, (*ums.Worker)(nil)))
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestBlockAndYieldFindTheWorkerBelowAShimAndDoWithoutOne(t *testing.T) {
	s, log := logged()
	over := observed.New(s, nil)
	j := job.Go(schedulers.With(context.Background(), over), func(ctx context.Context) error {
		ums.Block(ctx, func() {})
		ums.Yield(ctx, "found")
		return nil
	})
	_, err := j.Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Contains(t, log(), "thread 1: worker 1 blocked, in a call")
	assert.Contains(t, log(), "thread 1: worker 1 yielded, with parameter found")

	called := false
	ums.Block(context.Background(), func() { called = true })
	ums.Yield(context.Background(), nil)
	assert.True(t, called)
}

func TestAPanicInAMarkedCallGoesThroughWhenTheWorkerRunsAgain(t *testing.T) {
	s := ums.New(1)
	var caught any
	submit(t, s, func(w *ums.Worker) {
		defer func() { caught = recover() }()
		w.Call(func() { panic("disk on fire") })
	})
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, "disk on fire", caught)
	assert.Zero(t, s.Metrics().Panicked)
}

func TestALockedWorkerIsRunWhenItIsNoLongerLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := logged()
		var release func()
		ran := 0
		submit(t, s, func(w *ums.Worker) {
			release = w.Hold()
			w.Yield(nil)
			ran++
		})
		submit(t, s, func(*ums.Worker) { ran++ })
		synctest.Wait()
		assert.Equal(t, 1, ran, "the thread goes on with the other one")
		release()
		require.NoError(t, s.Shutdown(context.Background()))
		assert.Equal(t, 2, ran)
		assert.Contains(t, log(), "thread 1: worker 1 cannot be executed: ums: the worker's context is locked")
	})
}

// TestAHeldWorkerIsNotGivenOtherWork runs work that holds its own context and ends.
func TestAHeldWorkerIsNotGivenOtherWork(t *testing.T) {
	s := ums.New(1)
	gate := make(chan struct{})
	var first, second, third *ums.Worker
	var release func()
	submit(t, s, func(w *ums.Worker) {
		<-gate
		first, release = w, w.Hold()
	})
	submit(t, s, func(w *ums.Worker) { second = w })
	submit(t, s, func(w *ums.Worker) { third = w })
	close(gate)
	require.NoError(t, s.Shutdown(context.Background()))
	assert.NotSame(t, first, second)
	assert.Same(t, second, third, "nothing tells it from a new worker")
	release()
}

// TestTheFirstReadyWorkerRunsFirst requires the same order of both kinds of scheduler: those
// that make a context for all work, and those that do not.
func TestTheFirstReadyWorkerRunsFirst(t *testing.T) {
	for name, opts := range map[string][]ums.Option{
		"plain": nil, "observed": {ums.Observe(func(ums.Event) {})},
	} {
		t.Run(name, func(t *testing.T) {
			s := ums.New(1, opts...)
			var order []string
			say := func(word string) func(*ums.Worker) {
				return func(*ums.Worker) { order = append(order, word) }
			}
			done := make(chan struct{})
			submit(t, s, func(w *ums.Worker) {
				submit(t, s, say("before the call"))
				w.Call(func() {
					submit(t, s, say("in the call"))
					for w.Information().State != ums.Blocked {
						runtime.Gosched()
					}
				})
				submit(t, s, say("before the yield"))
				w.Yield(nil)
				order = append(order, "after the yield")
				submit(t, s, func(*ums.Worker) { close(done) })
			})
			<-done
			require.NoError(t, s.Shutdown(context.Background()))
			assert.Equal(t, []string{"before the call", "in the call", "before the yield", "after the yield"}, order)
		})
	}
}

// TestQueuedWorkIsSeen lists the work that waits behind work that does not end.
func TestQueuedWorkIsSeen(t *testing.T) {
	s := ums.New(1)
	begun, gate := make(chan struct{}), make(chan struct{})
	submit(t, s, func(*ums.Worker) { close(begun); <-gate })
	<-begun
	class := s.Class("a class")
	submit(t, class, func(w *ums.Worker) { assert.Equal(t, "a class", w.Information().User) })
	submit(t, s, func(w *ums.Worker) { assert.Nil(t, w.Information().User) })
	assert.Len(t, s.Snapshot(), 2)
	workers := s.Workers()
	require.Len(t, workers, 3)
	assert.Equal(t, ums.Created, workers[1].State)
	assert.Equal(t, "a class", workers[1].User)
	assert.Len(t, s.Snapshot(), 2, "they have contexts, and have not begun")
	close(gate)
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Empty(t, s.Workers())
}

func TestAClassGivesItsWorkersTheirUserPart(t *testing.T) {
	s := ums.New(1, ums.Name("classes"))
	class := s.Class("batch")
	var user any
	var home schedulers.Scheduler
	submit(t, class, func(w *ums.Worker) { user, home = w.Information().User, w.Scheduler() })
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, "batch", user)
	assert.Same(t, class, home)
	assert.Equal(t, 1, class.MaxConcurrency())
	assert.False(t, class.MayRunInPlace(nil, nil))
	assert.Equal(t, "classes", s.Name())
	assert.ErrorIs(t, class.Submit(do(nil), schedulers.Hint{}), schedulers.ErrShutdown)
}

func TestFewerThanOneThreadMeansOneForEachProcessor(t *testing.T) {
	assert.Equal(t, runtime.GOMAXPROCS(0), ums.New(0).MaxConcurrency())
}

func TestDelegatedFunctionsRunInOrderOnAWorkerOfTheirOwn(t *testing.T) {
	s, log := logged()
	gate := make(chan struct{})
	submit(t, s, func(*ums.Worker) { <-gate })
	var order []int
	for i := range 5 {
		require.NoError(t, s.Delegate(func(*ums.Worker) {
			order = append(order, i)
			switch i {
			case 1:
				panic("one fails")
			case 3:
				runtime.Goexit()
			}
		}))
	}
	close(gate)
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, []int{0, 1, 2, 3, 4}, order)
	assert.Equal(t, uint64(2), s.Metrics().Completed, "one worker for all of them")
	assert.Equal(t, 2, len(slices.DeleteFunc(log(), func(line string) bool {
		return line != "thread 1: executes worker 1" && line != "thread 1: executes worker 2"
	})))
	assert.ErrorIs(t, s.Delegate(func(*ums.Worker) {}), schedulers.ErrShutdown)
	assert.ErrorIs(t, s.Delegate(nil), schedulers.ErrRejected)
}

func TestDelegatedFunctionsAreForgottenByAShutdownThatGivesUp(t *testing.T) {
	s := ums.New(1)
	began, gate := make(chan struct{}), make(chan struct{})
	submit(t, s, func(*ums.Worker) { close(began); <-gate })
	<-began
	require.NoError(t, s.Delegate(func(*ums.Worker) { t.Error("it runs") }))
	cause := errors.New("no time")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	assert.Equal(t, cause, s.Shutdown(ctx))
	close(gate)
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, uint64(1), s.Metrics().Abandoned)
}

// A context that outlives its work names a worker that runs other work. Methods of that worker
// may be called meanwhile.
func TestAWorkerThatIsKeptAnswersWhileItRunsOtherWork(t *testing.T) {
	s := ums.New(1, ums.Notice(0))
	class := s.Class(nil)
	kept, gate := make(chan schedulers.Worker), make(chan struct{})
	require.NoError(t, s.Submit(do(func(worker schedulers.Worker) { kept <- worker; <-gate }), schedulers.Hint{}))
	worker := <-kept
	var ended sync.WaitGroup
	for i := range 2000 {
		ended.Add(1)
		var to schedulers.Scheduler = s
		if i%100 == 99 {
			to = class
		}
		require.NoError(t, to.Submit(do(func(schedulers.Worker) { ended.Done() }), schedulers.Hint{}))
	}
	over := make(chan struct{})
	go func() { ended.Wait(); close(over) }()
	close(gate)
	for asking := true; asking; {
		select {
		case <-over:
			asking = false
		default:
		}
		assert.True(t, s.MayRunInPlace(nil, worker))
		assert.Same(t, s, worker.Scheduler())
	}
	require.NoError(t, s.Shutdown(context.Background()))
}
