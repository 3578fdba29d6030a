package coord

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

var errReason = errors.New("the reason")

// The interleavings of serving with giving up, for each operation that waits.

func TestTheContextHasEndedBeforeTheCall(t *testing.T) {
	onAllSubjects(t, func(s subject) {
		ctx := ended(errReason)
		j := s.waitAsync(ctx)
		assert.Equal(s, job.Canceled, j.Status())
		for _, err := range []error{j.Err(), s.wait(ctx)} {
			require.ErrorIs(s, err, context.Canceled)
			require.ErrorIs(s, err, errReason)
		}
		assert.Zero(s, s.waiting())
	})
}

func TestTheContextEndsWhileWaiting(t *testing.T) {
	onAllSubjects(t, func(s subject) {
		ctx, cancel := context.WithCancelCause(endless)
		j := s.waitAsync(ctx)
		plain := make(chan error, 1)
		go func() { plain <- s.wait(ctx) }()
		synctest.Wait()
		require.Equal(s, 2, s.waiting())
		require.False(s, j.IsCompleted())

		cancel(errReason)
		synctest.Wait()
		assert.Zero(s, s.waiting(), "the waiter that gave up has left the queue")
		assert.Equal(s, job.Canceled, j.Status())
		require.ErrorIs(s, j.Err(), context.Canceled)
		require.ErrorIs(s, j.Err(), errReason)
		assert.Equal(s, j.Err(), <-plain, "both forms fail alike")
	})
}

func TestADeadlinePassesWhileWaiting(t *testing.T) {
	onAllSubjects(t, func(s subject) {
		ctx, cancel := context.WithTimeout(endless, 1)
		defer cancel()
		j := s.waitAsync(ctx)
		require.ErrorIs(s, s.wait(ctx), context.DeadlineExceeded)
		synctest.Wait()
		assert.Equal(s, job.Canceled, j.Status())
		assert.Equal(s, context.DeadlineExceeded, j.Err())
	})
}

func TestTheContextEndsAfterServing(t *testing.T) {
	onAllSubjects(t, func(s subject) {
		ctx, cancel := context.WithCancel(endless)
		j := s.waitAsync(ctx)
		s.serve()
		cancel()
		synctest.Wait()
		assert.Equal(s, job.Completed, j.Status())
	})
}

func TestServingAfterTheFirstHasGivenUpServesTheNext(t *testing.T) {
	onAllSubjects(t, func(s subject) {
		ctx, cancel := context.WithCancel(endless)
		first, next := s.waitAsync(ctx), s.waitAsync(endless)
		cancel()
		synctest.Wait()
		s.serve()
		assert.Equal(s, job.Canceled, first.Status())
		assert.Equal(s, job.Completed, next.Status())
	})
}

func TestAWaiterInTheMiddleGivesUp(t *testing.T) {
	onAllSubjects(t, func(s subject) {
		ctx, cancel := context.WithCancel(endless)
		first, middle, last := s.waitAsync(endless), s.waitAsync(ctx), s.waitAsync(endless)
		cancel()
		synctest.Wait()
		s.serve()
		assert.Equal(s, job.Completed, first.Status())
		if !s.servesAll {
			assert.False(s, last.IsCompleted())
			s.serve()
		}
		assert.Equal(s, job.Canceled, middle.Status())
		assert.Equal(s, job.Completed, last.Status())
	})
}

func TestTheContextEndsBetweenWatchingAndAdmission(t *testing.T) {
	var m Mutex
	m.TryLock()
	ctx, cancel := context.WithCancel(endless)
	defer cancel()
	w := newJobCall[job.Void](&m, job.Void{})
	w.waiter.watchOver(ctx)
	w.waiter.giveUp(context.Canceled) // what ContextEnded does
	w.waiter.enter(nil, nil)
	assert.True(t, w.promise.Job.IsCompleted())
	assert.Zero(t, m.queue.count, "a waiter that gave up before it was admitted never enters the queue")
	m.Unlock()
	assert.True(t, m.TryLock(), "and is not handed the lock")
}

func TestGivingUpTwiceAndAfterBeingServedDoesNothing(t *testing.T) {
	var m Mutex
	m.TryLock()
	w := newJobCall[job.Void](&m, job.Void{})
	w.waiter.enter(nil, nil)
	m.Unlock()
	w.waiter.giveUp(errReason)
	w.waiter.giveUp(errReason)
	completed(t, &w.promise.Job)
	assert.True(t, m.locked, "the lock is the waiter's")
}

func TestWaitersAreServedInTheOrderInWhichTheyCame(t *testing.T) {
	// Every other waiter is a goroutine that blocks: both forms share one queue.
	onAllSubjects(t, func(s subject) {
		const n = 10
		var (
			mu    sync.Mutex
			order []int
		)
		note := func(i int) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
		}
		for i := range n {
			if i%2 == 0 {
				go func() {
					_ = s.wait(endless)
					note(i)
				}()
			} else {
				j := s.waitAsync(endless)
				go func() {
					<-j.Done()
					note(i)
				}()
			}
			synctest.Wait()
			require.Equal(s, i+1, s.waiting())
		}
		if s.servesAll {
			s.serve()
			synctest.Wait()
			assert.Len(s, order, n)
			return
		}
		var want []int
		for i := range n {
			s.serve()
			synctest.Wait()
			want = append(want, i)
			require.Equal(s, want, order)
		}
	})
}

func TestWaitersThatContinueTogetherAreToldInOrder(t *testing.T) {
	onAllSubjects(t, func(s subject) {
		if !s.servesAll {
			return // the test above covers this case
		}
		var order, want []int
		for i := range 100 {
			j := s.waitAsync(endless)
			c := &calling{then: func() { order = append(order, i) }}
			c.node.Prepare(c)
			require.True(s, j.(interface {
				Register(*continuation.Node) bool
			}).Register(&c.node))
			want = append(want, i)
		}
		s.serve()
		assert.Equal(s, want, order)
	})
}

func TestAListenerMayCallBack(t *testing.T) {
	// Completing under the lock would hang here.
	onAllSubjects(t, func(s subject) {
		j := s.waitAsync(endless)
		var again job.Handle
		c := &calling{then: func() { again = s.waitAsync(endless) }}
		c.node.Prepare(c)
		j.(interface {
			Register(*continuation.Node) bool
		}).Register(&c.node)
		s.serve()
		require.NotNil(s, again)
	})
}

func TestAWaiterHoldsNoGoroutine(t *testing.T) {
	onAllSubjects(t, func(s subject) {
		ctx, cancel := context.WithCancel(endless)
		before := runtime.NumGoroutine()
		for range 1000 {
			s.waitAsync(ctx)
		}
		assert.Less(s, runtime.NumGoroutine()-before, 10)
		cancel()
		synctest.Wait()
		assert.Zero(s, s.waiting())
	})
}

func TestANilContextNeverEnds(t *testing.T) {
	onAllSubjects(t, func(s subject) {
		var none context.Context
		j := s.waitAsync(none)
		s.serve()
		assert.True(s, j.IsCompleted())
	})
}

// stuck is a worker that knows that it would block forever.
type stuck struct{ schedulers.Worker }

func (stuck) Block() (func(), error) { return nil, schedulers.ErrWouldDeadlock }

func TestAWorkerThatCanNotBeBlocked(t *testing.T) {
	onAllSubjects(t, func(s subject) {
		ctx := context.WithValue(endless, contract.WorkerKey, stuck{})
		require.ErrorIs(s, s.wait(ctx), schedulers.ErrWouldDeadlock)
		assert.Zero(s, s.waiting())
	})
}

func TestServingAndGivingUpAtTheSameTime(t *testing.T) {
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			for name, made := range subjects {
				for range 200 {
					serveAgainstGiveUp(t, name, made())
				}
			}
		})
	}
}

// serveAgainstGiveUp lets two waiters of one context race with one serving. Either one
// of them was served, or both gave up and the next caller is served.
func serveAgainstGiveUp(t *testing.T, name string, s subject) {
	t.Helper()
	ctx, cancel := context.WithCancel(endless)
	jobs := []job.Handle{s.waitAsync(ctx), s.waitAsync(ctx)}
	var both sync.WaitGroup
	both.Go(cancel)
	both.Go(s.serve)
	both.Wait()
	served := 0
	for _, j := range jobs {
		<-j.Done()
		if j.Err() == nil {
			served++
		} else {
			require.ErrorIs(t, j.Err(), context.Canceled, name)
		}
	}
	if s.servesAll {
		return
	}
	require.LessOrEqual(t, served, 1, name)
	if served == 0 && !s.keepsNothing {
		require.True(t, s.waitAsync(endless).IsCompleted(), "%s: no waiter was served, so it is free", name)
	}
}
