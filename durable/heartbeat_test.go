package durable_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

// The step counts to ten, and each attempt advances by three.
func TestProgressReachesTheNextAttempt(t *testing.T) {
	in(t, func(t *testing.T) {
		attempts := 0
		n, err := outcome(t, scripted{step: func(ctx context.Context) (int, error) {
			attempts++
			from, ok := durable.Progress[int](ctx)
			assert.Equal(t, attempts > 1, ok)
			_, ok = durable.Progress[string](ctx)
			assert.False(t, ok, "it is a number")
			for n := from + 1; n <= 10; n++ {
				if err := durable.Heartbeat(ctx, n); err != nil {
					return 0, err
				}
				if n == from+3 {
					return 0, io.ErrUnexpectedEOF
				}
			}
			return 10, nil
		}}, durable.RetryStep("step", durable.Retry{Attempts: 9}))
		require.NoError(t, err)
		assert.Equal(t, 10, n)
		assert.Equal(t, 4, attempts)
	})
}

// The worker dies in the middle; the other one begins at the reported progress.
func TestProgressSurvivesTheWorker(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		f := scripted{step: func(ctx context.Context) (int, error) {
			if n, ok := durable.Progress[int](ctx); ok {
				return n, nil
			}
			if err := durable.Heartbeat(ctx, 42); err != nil {
				return 0, err
			}
			<-ctx.Done()
			return 0, durable.Heartbeat(ctx, 43)
		}}
		e, err := durable.Open(t.Context(), store, quiet())
		require.NoError(t, err)
		_, err = durable.Serve(e, f.function(), struct{}{}).Start(t.Context(), "a", 1)
		require.NoError(t, err)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Error(t, e.Shutdown(ctx))
		n, err := durable.Serve(opened(t, store), f.function(), struct{}{}).Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 42, n)
	})
}

func TestAStepWithoutHeartbeatsEnds(t *testing.T) {
	in(t, func(t *testing.T) {
		_, err := outcome(t, scripted{step: func(ctx context.Context) (int, error) {
			for range 5 {
				time.Sleep(50 * time.Second)
				if err := durable.Heartbeat(ctx, nil); err != nil {
					return 0, err
				}
			}
			<-ctx.Done()
			return 0, ctx.Err()
		}}, durable.RetryStep("step", durable.Retry{Heartbeat: time.Minute}))
		require.ErrorIs(t, err, durable.ErrNoHeartbeat)
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestAHeartbeatTellsOfACancellationElsewhere(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		f := scripted{step: func(ctx context.Context) (int, error) {
			for {
				time.Sleep(time.Minute)
				if err := durable.Heartbeat(ctx, nil); err != nil {
					return 0, err
				}
			}
		}}
		h, err := durable.Serve(opened(t, store), f.function(), struct{}{}).Start(t.Context(), "a", 1)
		require.NoError(t, err)
		synctest.Wait()
		client := opened(t, store, durable.Client())
		require.NoError(t, client.Cancel(t.Context(), "a"))
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrCanceled)
		i, err := client.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Canceled, i.Status)
	})
}

func TestAHeartbeatThatCannotBeSavedStopsNothing(t *testing.T) {
	in(t, func(t *testing.T) {
		var late context.Context
		n, err := outcome(t, scripted{step: func(ctx context.Context) (int, error) {
			late = ctx
			require.ErrorContains(t, durable.Heartbeat(ctx, make(chan int)), "cannot be saved")
			require.ErrorIs(t, durable.Heartbeat(ctx, strings.Repeat("x", durable.MaxCheckpoint)), durable.ErrTooLarge)
			require.ErrorIs(t, durable.Heartbeat(ctx, strings.Repeat("x", durable.MaxCheckpoint-100)), durable.ErrTooLarge, "with the rest")
			return 5, durable.Heartbeat(ctx, 1)
		}})
		require.NoError(t, err)
		assert.Equal(t, 5, n)
		require.Error(t, durable.Heartbeat(late, 1), "the step is over")
		require.ErrorIs(t, durable.Heartbeat(t.Context(), 1), durable.ErrNotDurable)
		require.NoError(t, durable.Heartbeat(durabletest.Plain(t.Context()), 1))
		_, ok := durable.Progress[int](t.Context())
		assert.False(t, ok)
	})
}

// Each of two workers calls some of the steps of an order.
func TestAStepIsLeftToAWorkerThatCallsIt(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		front, back := shop.New(), shop.New()
		e := opened(t, store, durable.Steps("shop.reserve", "shop.unreserve"))
		orders := durable.Serve(e, shop.OrderDurable, front)
		a, err := orders.Start(t.Context(), "a", request)
		require.NoError(t, err)
		b, err := orders.Start(t.Context(), "b", request)
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, a.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		require.NoError(t, b.Signal(t.Context(), "approval", shop.Approval{}))
		_, err = b.Wait(t.Context())
		require.ErrorIs(t, err, shop.ErrRefused)
		time.Sleep(time.Hour)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, []string{"shop.charge", "", "running"}, []string{i.Step, i.Worker, string(i.Status)})

		durable.Serve(opened(t, store, durable.Steps("shop.charge")), shop.OrderDurable, back)
		_, err = a.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int{2, 1, 0}, []int{front.Count("reserve"), front.Count("unreserve"), front.Count("charge")})
		assert.Equal(t, []int{0, 0, 1}, []int{back.Count("reserve"), back.Count("unreserve"), back.Count("charge")})
	})
}

// failingSwaps is a store whose Swap fails while fails is set, before the write or after it, as
// if the answer had been lost.
type failingSwaps struct {
	stores.Store
	written bool
	fails   atomic.Bool
	failed  atomic.Int64
}

func (s *failingSwaps) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	if !s.fails.Load() {
		return s.Store.Swap(ctx, r)
	}
	s.failed.Add(1)
	if s.written {
		lost := *r
		if _, err := s.Store.Swap(ctx, &lost); err != nil {
			return false, err
		}
	}
	return false, io.ErrUnexpectedEOF
}

// The store fails while a heartbeat is written. The step either stops as requested or returns its
// result. In both cases the instance neither fails nor remains without a worker.
func TestAHeartbeatThatTheStoreLosesCostsNoInstance(t *testing.T) {
	for _, written := range []bool{true, false} {
		for _, heeds := range []bool{true, false} {
			t.Run(fmt.Sprintf("written %v, heeded %v", written, heeds), func(t *testing.T) {
				in(t, func(t *testing.T) {
					store := &failingSwaps{Store: durable.NewMemory(), written: written}
					attempts := 0
					f := scripted{step: func(ctx context.Context) (int, error) {
						if attempts++; attempts > 1 {
							return attempts, durable.Heartbeat(ctx, attempts)
						}
						store.fails.Store(true)
						err := durable.Heartbeat(ctx, 1)
						store.fails.Store(false)
						assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
						if heeds {
							return 0, err
						}
						return 1, nil
					}}
					h, err := durable.Serve(opened(t, store), f.function(), struct{}{}).Start(t.Context(), "a", 1)
					require.NoError(t, err)
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					n, err := h.Wait(ctx)
					require.NoError(t, err)
					assert.Equal(t, attempts, n)
					assert.Equal(t, int64(1), store.failed.Load())
					assert.Equal(t, heeds || written, attempts == 2)
				})
			})
		}
	}
}

// The write that makes an instance stuck fails for a while. It is repeated.
func TestAStoreThatFailsWhenAnInstanceGetsStuckIsAskedAgain(t *testing.T) {
	for _, written := range []bool{true, false} {
		in(t, func(t *testing.T) {
			store := &failingSwaps{Store: durable.NewMemory(), written: written}
			var once sync.Once
			f := scripted{
				step: func(context.Context) (int, error) { return 1, nil },
				between: func(int) {
					once.Do(func() {
						store.fails.Store(true)
						time.AfterFunc(10*time.Second, func() { store.fails.Store(false) })
					})
					panic("deliberate")
				},
			}
			e := opened(t, store)
			_, err := durable.Serve(e, f.function(), struct{}{}).Start(t.Context(), "a", 1)
			require.NoError(t, err)
			time.Sleep(time.Minute)
			assert.Positive(t, store.failed.Load())
			i, err := e.Get(t.Context(), "a")
			require.NoError(t, err)
			assert.Equal(t, durable.Stuck, i.Status)
		})
	}
}
