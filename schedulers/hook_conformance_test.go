package schedulers_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/coord/retry"
	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/bridge"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/simulation"
	"github.com/movenext/movenext/schedulers/ums"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// hookCase is one user hook. The function use triggers it through the public API with a
// function that panics, and checks that the panic has changed nothing.
type hookCase struct {
	name string
	use  func(t *testing.T, hook func())
}

// onScheduler is a hook of a scheduler.
func onScheduler(name string, make func(hook func()) scheduler) hookCase {
	return hookCase{name, func(t *testing.T, hook func()) { worksAsEver(t, make(hook)) }}
}

type scheduler interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// tally is work that is submitted again a given number of times, as a machine is.
type tally struct {
	again     int
	home      schedulers.Scheduler
	runs      atomic.Int32
	running   atomic.Int32
	abandoned atomic.Int32
	all       *sync.WaitGroup
}

func (w *tally) Run(on schedulers.Worker) {
	if w.running.Add(1) != 1 {
		panic("runs on two goroutines")
	}
	n := w.runs.Add(1)
	w.running.Add(-1)
	if int(n) < w.again {
		if w.home.Submit(w, schedulers.Hint{From: on, Flags: schedulers.Resumed}) == nil {
			return
		}
	}
	w.all.Done()
}

func (w *tally) Abandon(error) { w.abandoned.Add(1); w.all.Done() }

// worksAsEver checks that s still works: it runs work items several times each, and jobs,
// and then shuts s down.
func worksAsEver(t *testing.T, s scheduler) {
	t.Helper()
	const again = 5
	var all sync.WaitGroup
	works := make([]*tally, 50)
	for i := range works {
		works[i] = &tally{again: again, home: s, all: &all}
		all.Add(1)
		require.NoError(t, schedulers.TrySubmit(s, works[i], schedulers.Hint{}))
	}
	all.Wait()
	ctx := schedulers.With(context.Background(), s)
	for range 20 {
		n, err := job.Run(ctx, func(context.Context) (int, error) { return 7, nil }).Wait(context.Background())
		require.NoError(t, err)
		assert.Equal(t, 7, n)
	}
	require.NoError(t, s.Shutdown(context.Background()))
	for _, w := range works {
		assert.EqualValues(t, again, w.runs.Load())
		assert.Zero(t, w.abandoned.Load())
	}
}

// hookCases returns all hooks of this module. The policy test "hooks" finds callbacks that
// are kept in another way.
func hookCases() []hookCase {
	return append(slices.Concat(simulationHooks(), observerHooks(), retryHooks()), []hookCase{
		onScheduler("eventloop.OnWake", func(hook func()) scheduler { return eventloop.Start(eventloop.OnWake(hook)) }),
		onScheduler("workstealing.Trace", func(hook func()) scheduler {
			return workstealing.New(workstealing.Trace(func(workstealing.Event) { hook() }))
		}),
		onScheduler("ums.Observe", func(hook func()) scheduler {
			return ums.New(2, ums.Observe(func(ums.Event) { hook() }))
		}),
		onScheduler("ums.OnPolicyFailure", func(hook func()) scheduler {
			return ums.New(1, ums.Decide(noPolicy{}), ums.OnPolicyFailure(func(*ums.PolicyError) { hook() }))
		}),
		onScheduler("dedicated.OnThread", func(hook func()) scheduler { return dedicated.New(2, dedicated.OnThread(hook, hook)) }),
		onScheduler("dedicated.WithState", func(hook func()) scheduler {
			return dedicated.New(2, dedicated.WithState(func() int { hook(); return 1 }, func(int) { hook() }))
		}),
		onScheduler("dedicated.WithState", func(hook func()) scheduler {
			return dedicated.New(2, dedicated.WithState(nil, func(int) { hook() }))
		}),
		{"observed.New", func(t *testing.T, hook func()) {
			s := observed.New(goroutine.New(), func(observed.Event) { hook() })
			require.NoError(t, s.Submit(funcWork(func() { panic(errOnPurpose) }), schedulers.Hint{}))
			worksAsEver(t, s)
		}},
		{"pool.HillClimbing", useHillClimbing},
		{"job.OnUnobserved", useUnobserved},
		{"job.OnBlockingFull", useBlockingFull},
		{"continuation.Continuation.Resume", func(t *testing.T, hook func()) {
			s := job.NewSource[int]()
			s.Job().OnCompleted(resumed(hook))
			next := job.Then(context.Background(), s.Job(), func(_ context.Context, n int) (int, error) { return n + 1, nil })
			assert.True(t, s.TrySetResult(1))
			n, err := next.Wait(context.Background())
			require.NoError(t, err)
			assert.Equal(t, 2, n)
		}},
		{"bridge.FromCallback", useFromCallback},
		{"coord.Dropped", func(t *testing.T, hook func()) {
			c := coord.NewBounded(1, coord.DropOldest, coord.Dropped(func(int) { hook() }))
			for i := range 3 {
				require.NoError(t, c.Send(context.Background(), i))
			}
			n, err := c.Receive(context.Background())
			require.NoError(t, err)
			assert.Equal(t, 2, n)
		}},
		{"coord.OnPut", func(t *testing.T, hook func()) {
			p := coord.NewObjectPool(1, anObject, coord.OnPut(func(int) error { hook(); return nil }))
			lendAndPut(t, p)
		}},
		{"coord.OnDiscard", func(t *testing.T, hook func()) {
			p := coord.NewObjectPool(1, anObject, coord.OnDiscard(func(int) { hook() }))
			lendAndPut(t, p)
			p.Close()
		}},
		{"coord.Dropped", func(t *testing.T, hook func()) {
			b := coord.NewBroadcast(1, coord.DropOldest, coord.Dropped(func(int) { hook() }))
			sub := b.Subscribe()
			for i := range 3 {
				require.NoError(t, b.Send(context.Background(), i))
			}
			_, err := sub.Receive(context.Background())
			var missed *coord.MissedError
			require.ErrorAs(t, err, &missed)
			n, err := sub.Receive(context.Background())
			require.NoError(t, err)
			assert.Equal(t, 2, n)
		}},
	}...)
}

// fails is an operation that is tried again.
func fails(context.Context) (int, error) { return 0, errOnPurpose }

// retryHooks returns the hooks of retries.
func retryHooks() []hookCase {
	return []hookCase{
		{"retry.If", func(t *testing.T, hook func()) {
			_, err := retry.Do(context.Background(), retry.Constant(0), fails, retry.If(func(error) bool { hook(); return true }))
			require.ErrorIs(t, err, errOnPurpose)
		}},
		{"retry.Notify", func(t *testing.T, hook func()) {
			_, err := retry.Do(context.Background(), retry.Constant(0), fails, retry.Attempts(2), retry.Notify(func(retry.Failure) { hook() }))
			require.ErrorIs(t, err, errOnPurpose)
		}},
	}
}

// anObject makes an object of a pool.
func anObject(context.Context) *job.Job[int] { return job.FromResult(7) }

// lendAndPut lends the only object of a pool twice.
func lendAndPut(t *testing.T, p *coord.ObjectPool[int]) {
	for range 2 {
		v, err := p.Get(context.Background())
		require.NoError(t, err)
		assert.Equal(t, 7, v)
		p.Put(v)
	}
}

// observerHooks returns the hooks of the whole process.
func observerHooks() []hookCase {
	return []hookCase{
		{"schedulers.Observe", func(t *testing.T, hook func()) {
			defer schedulers.Observe(func(schedulers.Event) { hook() })()
			for _, s := range []scheduler{pool.New(), workstealing.New(), dedicated.New(2), eventloop.Start(), ums.New(2), goroutine.New()} {
				worksAsEver(t, s)
			}
		}},
		{"inspect.Measured", func(t *testing.T, hook func()) {
			h := inspect.Handler(inspect.Remote(), inspect.Measured(func() []inspect.Latency { hook(); return nil }))
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
			assert.Contains(t, w.Body.String(), "</html>", "the page is whole")
		}},
		{"record.OnError", func(t *testing.T, hook func()) {
			require.Error(t, record.Start(nil, record.OnError(func(error) { hook() })).Stop())
		}},
		{"record.Sources", func(t *testing.T, hook func()) {
			r := record.Recording{Subjects: make([]record.Subject, 1), Events: []record.Event{{Place: schedulers.Place{Function: "f", File: "f.go", Line: 1}}}}
			require.NoError(t, r.WritePage(io.Discard, record.Sources(func(string) ([]byte, error) { hook(); return nil, nil })))
		}},
		{"inspect.Observe", func(t *testing.T, hook func()) {
			defer inspect.Observe(func(inspect.Event) { hook() })()
			worksAsEver(t, goroutine.New())
		}},
	}
}

// simulationHooks returns the hooks of the simulation.
func simulationHooks() []hookCase {
	return []hookCase{
		{"simulation.Observe", func(t *testing.T, hook func()) {
			useSimulation(t, simulation.New(1, simulation.Observe(func(simulation.Event) { hook() })))
		}},
		{"simulation.Between", func(t *testing.T, hook func()) {
			useSimulation(t, simulation.New(1, simulation.Between(func() error { hook(); return nil })))
		}},
		{"simulation.Interrupt", func(t *testing.T, hook func()) {
			useSimulation(t, simulation.New(1, simulation.Interrupt(hook)))
		}},
		{"simulation.NewWith", func(t *testing.T, hook func()) {
			useSimulation(t, simulation.NewWith(func([]simulation.Turn) int { hook(); return 0 }))
		}},
		{"simulation.OnPanic", func(t *testing.T, hook func()) {
			s := simulation.New(1, simulation.OnPanic(func(*simulation.Panic) { hook() }))
			failing := job.Go(schedulers.With(context.Background(), s), func(context.Context) error { panic(errOnPurpose) })
			useSimulation(t, s)
			_, err := failing.GetResult()
			require.ErrorIs(t, err, errOnPurpose)
		}},
		{"simulation.Idle", func(t *testing.T, hook func()) {
			s := simulation.New(1, simulation.Idle(func() bool { hook(); return false }))
			never := job.NewSource[int]().Job()
			waits := job.Go(s.Context(context.Background()), func(ctx context.Context) error {
				_, err := never.Wait(ctx)
				return err
			})
			require.ErrorIs(t, s.Run(), schedulers.ErrWouldDeadlock)
			assert.Equal(t, job.Faulted, waits.Status())
			useSimulation(t, s)
		}},
	}
}

func TestEveryHookMayPanic(t *testing.T) {
	for _, c := range hookCases() {
		t.Run(c.name, func(t *testing.T) {
			var calls, told atomic.Int64
			before := schedulers.OnHookPanic(func(p *schedulers.HookPanic) {
				told.Add(1)
				assert.Equal(t, c.name, p.Hook)
				assert.Equal(t, errOnPurpose, p.Value)
			})
			defer func() { schedulers.OnHookPanic(before) }()
			c.use(t, func() { calls.Add(1); panic(errOnPurpose) })
			assert.NotZero(t, calls.Load(), "the hook was called")
			assert.Equal(t, calls.Load(), told.Load(), "each panic is told once")
		})
	}
}

// funcWork is a function as work.
type funcWork func()

func (f funcWork) Run(schedulers.Worker) { f() }
func (funcWork) Abandon(error)           {}

// resumed is a function as a continuation.
type resumed func()

func (f resumed) Resume() { f() }

// noPolicy never returns a worker.
type noPolicy struct{}

func (noPolicy) Ready(*ums.Worker) {}
func (noPolicy) Next() *ums.Worker { return nil }

func useHillClimbing(t *testing.T, hook func()) {
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(pool.Workers(1, 4), pool.HillClimbing(pool.ClimbingOn, func(pool.Sample) { hook() }))
		for range 200 {
			require.NoError(t, p.Submit(funcWork(func() { time.Sleep(50 * time.Millisecond) }), schedulers.Hint{}))
		}
		time.Sleep(time.Hour)
		worksAsEver(t, p)
	})
}

func useSimulation(t *testing.T, s *simulation.Scheduler) {
	t.Helper()
	ran := 0
	for range 10 {
		require.NoError(t, s.Submit(funcWork(func() { ran++ }), schedulers.Hint{}))
	}
	require.NoError(t, s.Run())
	assert.Equal(t, 10, ran)
	require.NoError(t, s.Shutdown(context.Background()))
}

func useUnobserved(t *testing.T, hook func()) {
	before := job.OnUnobserved(func(f job.Failure) {
		if errors.Is(f.Err, errOnPurpose) {
			hook()
		}
	})
	defer func() { job.OnUnobserved(before) }()
	failing := func(context.Context) error { return errOnPurpose }
	one, two := job.Go(context.Background(), failing), job.Go(context.Background(), failing)
	<-one.Done()
	<-two.Done()
	assert.Equal(t, 2, job.ReportUnobserved())
	assert.Zero(t, job.ReportUnobserved())
}

func useBlockingFull(t *testing.T, hook func()) {
	limit := job.SetBlockingLimit(1)
	defer job.SetBlockingLimit(limit)
	job.OnBlockingFull(func(schedulers.Metrics) { hook() })
	defer job.OnBlockingFull(nil)
	gate, jobs := make(chan struct{}), make([]*job.Job[int], 4)
	for i := range jobs {
		jobs[i] = job.Blocking(context.Background(), func(context.Context) (int, error) { <-gate; return i, nil })
	}
	close(gate)
	all, err := job.WhenAll(jobs...).Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 2, 3}, all)
}

func useFromCallback(t *testing.T, hook func()) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		j := bridge.FromCallback(ctx, func(func(int, error)) func() { return hook })
		cancel()
		_, err := j.Wait(context.Background())
		require.ErrorIs(t, err, context.Canceled)
		synctest.Wait()
	})
}
