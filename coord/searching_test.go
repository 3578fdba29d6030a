package coord_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

// locksAndExits ends its goroutine while it holds the lock.
//
//movenext:async
func locksAndExits(ctx context.Context, m *coord.Mutex) error {
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock()
	runtime.Goexit()
	return nil
}

// The machine is made from the plain form, which is not called here.
var _ = []any{locksAndExits}

// taken is a machine that takes something that is free, and ends without releasing it.
type taken struct {
	name    string
	what    any
	free    func() bool
	release func() // what the machine has taken
}

// probe takes something, gives it back, and reports whether it was free.
func probe(take func() bool, release func()) func() bool {
	return func() bool {
		free := take()
		if free {
			release()
		}
		return free
	}
}

func everythingTaken() []taken {
	m, r, k := new(coord.Mutex), new(coord.RWMutex), new(coord.KeyedMutex[string])
	l, s := coord.NewLimiter[string](1), coord.NewSemaphore(3)
	e := new(coord.AutoResetEvent)
	e.Set()
	return []taken{
		{"Mutex", m, probe(m.TryLock, m.Unlock), m.Unlock},
		{"RWMutex, reader", reading{r}, probe(r.TryLock, r.Unlock), r.RUnlock},
		{"RWMutex, writer", r, probe(r.TryRLock, r.RUnlock), r.Unlock},
		{"KeyedMutex", k,
			probe(func() bool { return k.TryLock("a") }, func() { k.Unlock("a") }), func() { k.Unlock("a") }},
		{"Limiter", l,
			probe(func() bool { return l.TryAcquire("a") }, func() { l.Release("a") }), func() { l.Release("a") }},
		{"Semaphore", s,
			probe(func() bool { return s.TryAcquire(2) }, func() { s.Release(2) }), func() { s.Release(2) }},
		{"AutoResetEvent", e, probe(e.TryWait, e.Set), e.Set},
	}
}

// searching starts the machine of each row on a home that is stepped by hand, during a search.
func searching(t *testing.T, f func(t *testing.T, row taken, home *manual.Scheduler, j *job.Job[int], cancel context.CancelFunc)) {
	defer budget.EveryAwait()()
	for _, row := range everythingTaken() {
		t.Run(row.name, func(t *testing.T) {
			home := manual.New()
			ctx, cancel := context.WithCancel(schedulers.With(context.Background(), home))
			defer cancel()
			f(t, row, home, claimsAsync(ctx, row.what), cancel)
		})
	}
}

// noHome ends a home, and abandons what is queued there.
func noHome(t *testing.T, home *manual.Scheduler) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, home.Shutdown(ctx), context.Canceled)
}

func TestInASearchOthersFindALockHeld(t *testing.T) {
	searching(t, func(t *testing.T, row taken, home *manual.Scheduler, j *job.Job[int], _ context.CancelFunc) {
		require.True(t, row.free(), "it is taken in the machine's turn")
		require.True(t, home.Step())
		require.False(t, j.IsCompleted(), "it yields with what it holds")
		assert.False(t, row.free())
		require.True(t, home.Step())
		require.True(t, j.IsCompleted(), "it yields once")
		require.Zero(t, home.Len())
		served(t, j)
		assert.False(t, row.free())
		row.release()
		assert.True(t, row.free())
	})
}

func TestAMachineThatIsCanceledInASearchKeepsTheLockThatItHas(t *testing.T) {
	searching(t, func(t *testing.T, row taken, home *manual.Scheduler, j *job.Job[int], cancel context.CancelFunc) {
		require.True(t, home.Step())
		cancel()
		assert.False(t, row.free())
		require.True(t, home.Step())
		served(t, j)
		row.release()
		assert.True(t, row.free())
	})
}

func TestAMachineCanceledInASearchBeforeItsTurnTakesNothing(t *testing.T) {
	searching(t, func(t *testing.T, row taken, home *manual.Scheduler, j *job.Job[int], cancel context.CancelFunc) {
		cancel()
		for home.Step() {
		}
		_, err := j.Await()
		if err == nil {
			row.release() // the watch has not noticed yet
		}
		assert.True(t, row.free())
	})
}

func TestALockIsGivenBackByAMachineThatLosesItsHomeInASearch(t *testing.T) {
	for _, steps := range []int{0, 1} {
		searching(t, func(t *testing.T, row taken, home *manual.Scheduler, j *job.Job[int], _ context.CancelFunc) {
			for range steps {
				require.True(t, home.Step())
			}
			noHome(t, home)
			refused(t, j)
			assert.True(t, row.free(), "after %d steps", steps)
		})
	}
}

func TestALockIsFreeAfterAGoexitInASearch(t *testing.T) {
	defer budget.EveryAwait()()
	home, m := manual.New(), new(coord.Mutex)
	j := locksAndExitsAsync(schedulers.With(context.Background(), home), m)
	var steps sync.WaitGroup
	for range 2 {
		steps.Go(func() { assert.True(t, home.Step()) })
		steps.Wait()
	}
	require.True(t, j.IsCompleted())
	require.ErrorIs(t, j.Err(), job.ErrGoexit)
	assert.True(t, m.TryLock())
}
