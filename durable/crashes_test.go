package durable_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

// mortal is the store of a process that dies: from then on, every call fails.
type mortal struct {
	stores.Store
	dead atomic.Bool
}

var errDead = errors.New("dead")

func (m *mortal) Swap(ctx context.Context, r *stores.Record) (bool, error) {
	if m.dead.Load() {
		return false, errDead
	}
	return m.Store.Swap(ctx, r)
}

func (m *mortal) Load(ctx context.Context, id string) (*stores.Record, error) {
	if m.dead.Load() {
		return nil, errDead
	}
	return m.Store.Load(ctx, id)
}

func (m *mortal) Take(ctx context.Context, t stores.Taking) ([]stores.Taken, time.Time, error) {
	if m.dead.Load() {
		return nil, time.Time{}, errDead
	}
	return m.Store.Take(ctx, t)
}

func (m *mortal) Lease(ctx context.Context, worker string, until time.Time) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Store.Lease(ctx, worker, until)
}

// One of many instances kills each process. The others are in their steps whenever that happens.
func TestOnlyTheInstanceThatKillsItsProcessesIsStuck(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		const bystanders = 30
		for process := 0; ; process++ {
			require.Less(t, process, 20)
			m := &mortal{Store: store}
			e, err := durable.Open(t.Context(), m, quiet())
			require.NoError(t, err)
			killed := make(chan struct{}, 1)
			f := scripted{step: func(ctx context.Context) (int, error) {
				if durable.Key(ctx)[0] != 'p' {
					time.Sleep(3 * time.Second)
					return 1, nil
				}
				time.Sleep(time.Second)
				m.dead.Store(true)
				killed <- struct{}{}
				return 0, nil
			}}
			s := durable.Serve(e, f.function(), struct{}{})
			if process == 0 {
				_, err := s.Start(t.Context(), "poison", 1)
				require.NoError(t, err)
				for n := range bystanders {
					_, err := s.Start(t.Context(), fmt.Sprint("innocent", n), 1)
					require.NoError(t, err)
				}
			}
			over := false
			select {
			case <-killed:
			case <-time.After(10 * time.Minute):
				over = true
			}
			gone, cancel := context.WithCancel(t.Context())
			if !over {
				cancel()
			}
			_ = e.Shutdown(gone)
			cancel()
			synctest.Wait()
			if over {
				assert.GreaterOrEqual(t, process, 5)
				break
			}
		}
		e := opened(t, store, durable.Client())
		list, err := e.List(t.Context(), durable.Filter{})
		require.NoError(t, err)
		require.Len(t, list, bystanders+1)
		for _, i := range list {
			if i.ID == "poison" {
				assert.Equal(t, durable.Stuck, i.Status)
				assert.Contains(t, i.Reason, "its process has died 5 times in a row in the step")
			} else {
				assert.Equal(t, durable.Completed, i.Status, "%s: %s", i.ID, i.Reason)
			}
		}
	})
}

// Code between points that takes longer than the lease runs in one worker, and is no crash.
func TestCodeThatIsSlowIsClaimed(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		ran := 0
		f := scripted{
			before: func() { ran++; time.Sleep(10 * time.Minute) },
			step:   func(context.Context) (int, error) { return 1, nil },
		}
		e := opened(t, store)
		other := opened(t, store)
		durable.Serve(other, f.function(), struct{}{})
		h, err := durable.Serve(e, f.function(), struct{}{}).Start(t.Context(), "a", 1)
		require.NoError(t, err)
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
		assert.Zero(t, e.Metrics().Conflicts+other.Metrics().Conflicts)
		assert.Equal(t, 1, ran)
	})
}

// A worker that is shut down while its step runs has not crashed, whatever becomes of the step.
func TestAShutdownIsNoCrash(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		calls := 0
		f := scripted{step: func(ctx context.Context) (int, error) {
			if calls++; calls > 7 {
				return 1, nil
			}
			<-ctx.Done()
			return 0, ctx.Err()
		}}
		for n := range 7 {
			e, err := durable.Open(t.Context(), store, quiet())
			require.NoError(t, err)
			s := durable.Serve(e, f.function(), struct{}{})
			if n == 0 {
				_, err = s.Start(t.Context(), "a", 1)
				require.NoError(t, err)
			}
			synctest.Wait()
			require.Equal(t, n+1, calls)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			require.Error(t, e.Shutdown(ctx))
			cancel()
			synctest.Wait()
			require.NoError(t, e.Shutdown(t.Context()))
		}
		_, err := durable.Serve(opened(t, store), f.function(), struct{}{}).Handle("a").Wait(t.Context())
		require.NoError(t, err)
	})
}

// busy is a place where the runs of an instance begin late, the first one last.
type busy struct {
	durable.Place
	runs atomic.Int64
}

func (*busy) Now() time.Time { return time.Now() }

func (b *busy) Go(ctx context.Context, name string, f func(ctx context.Context)) {
	go func() {
		if name == "durable: a" {
			time.Sleep(max(0, 2*time.Minute-5*time.Second*time.Duration(b.runs.Add(1))))
		}
		f(ctx)
	}()
}

func (*busy) Wait(ctx context.Context, wake <-chan struct{}, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, min(d, time.Hour))
	defer cancel()
	select {
	case <-wake:
	case <-ctx.Done():
	}
}

func (*busy) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

func (*busy) Turn(context.Context) {}

// Each message makes the instance due again, before the run that took it first has begun.
func TestAnInstanceThatIsTakenOftenBeforeItRunsHasNotCrashed(t *testing.T) {
	in(t, func(t *testing.T) {
		e := opened(t, durable.NewMemory(), durable.On(&busy{}))
		h, err := durable.Serve(e, shop.OrderDurable, shop.New()).Start(t.Context(), "a", request)
		require.NoError(t, err)
		for range 20 {
			require.NoError(t, h.Signal(t.Context(), "other", 1))
			time.Sleep(time.Second)
		}
		require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		time.Sleep(10 * time.Minute)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Completed, i.Status, i.Reason)
	})
}
