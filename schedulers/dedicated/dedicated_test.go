package dedicated_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	for name, n := range map[string]int{"one thread": 1, "four threads": 4} {
		t.Run(name, func(t *testing.T) {
			schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler { return dedicated.New(n) })
		})
	}
}

// do is a function as work.
type do func(schedulers.Worker)

func (f do) Run(on schedulers.Worker) { f(on) }
func (f do) Abandon(error)            {}

func submit(t *testing.T, s schedulers.Scheduler, f func()) {
	t.Helper()
	require.NoError(t, s.Submit(do(func(schedulers.Worker) { f() }), schedulers.Hint{}))
}

// A thread that is parked is handed work, wakes up and runs it. A round trip of a job allocates
// the job and its waiter.
func TestAHandOverAllocatesNothing(t *testing.T) {
	s := dedicated.New(1)
	ran := make(chan struct{})
	work := do(func(schedulers.Worker) { ran <- struct{}{} })
	handOver := func() {
		if err := s.Submit(work, schedulers.Hint{}); err != nil {
			t.Error(err)
			return
		}
		<-ran
	}
	handOver()
	assert.Zero(t, testing.AllocsPerRun(100, handOver))
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestEachWorkerKeepsItsThread(t *testing.T) {
	s := dedicated.New(3)
	var mu sync.Mutex
	threads := map[int]map[int]bool{} // worker → threads
	var all sync.WaitGroup
	for range 300 {
		all.Add(1)
		require.NoError(t, s.Submit(do(func(on schedulers.Worker) {
			defer all.Done()
			runtime.Gosched()
			mu.Lock()
			defer mu.Unlock()
			if threads[on.ID()] == nil {
				threads[on.ID()] = map[int]bool{}
			}
			threads[on.ID()][dedicated.ThreadID()] = true
		}), schedulers.Hint{}))
	}
	all.Wait()
	require.NoError(t, s.Shutdown(context.Background()))
	for id, ids := range threads {
		assert.Len(t, ids, 1, "worker %d", id)
	}
}

func TestThreadStateIsSetUpAndTornDownOnItsThread(t *testing.T) {
	var mu sync.Mutex
	started, ended := map[int]int{}, map[int]int{}
	count := func(m map[int]int) func() {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			m[dedicated.ThreadID()]++
		}
	}
	s := dedicated.New(2, dedicated.OnThread(count(started), count(ended)))
	var met sync.WaitGroup
	met.Add(2)
	for range 2 {
		submit(t, s, func() { met.Done(); met.Wait() })
	}
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, started, ended)
}

func TestAThreadThatIsLostIsReplacedUnderTheSameID(t *testing.T) {
	s := dedicated.New(1)
	submit(t, s, runtime.Goexit)
	id := make(chan int, 1)
	require.NoError(t, s.Submit(do(func(on schedulers.Worker) { id <- on.ID() }), schedulers.Hint{}))
	assert.Equal(t, 1, <-id)
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestTooFewThreadsAreOne(t *testing.T) {
	for _, n := range []int{0, -5} {
		s := dedicated.New(n)
		assert.Equal(t, 1, s.MaxConcurrency())
		require.NoError(t, s.Shutdown(context.Background()))
	}
}
