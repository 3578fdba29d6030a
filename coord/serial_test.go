package coord

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

func TestFunctionsOfOneKeyRunInTheOrderInWhichTheyWereHandedIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := withPool(t)
		var (
			s    Serial[string]
			got  []int // the turns order the writes: the race detector checks, too
			want []int
			jobs []*job.Job[job.Void]
		)
		for i := range 100 {
			jobs = append(jobs, s.DoAsync(ctx, "k", func(ctx context.Context) error {
				err := job.Sleep(ctx, time.Millisecond)
				got = append(got, i)
				return err
			}))
			want = append(want, i)
		}
		_, err := job.WhenAll(jobs...).Await()
		require.NoError(t, err)
		assert.Equal(t, want, got)
		synctest.Wait()
		assert.Zero(t, shrinkmap.Len(&s.turns.locked))
	})
}

func TestFunctionsOfDifferentKeysRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := withPool(t)
		var s Serial[int]
		b := NewBarrier(2)
		meet := func(ctx context.Context) error {
			_, err := b.Wait(ctx)
			return err
		}
		_, err := job.WhenAll(s.DoAsync(ctx, 1, meet), s.DoAsync(ctx, 2, meet)).Await()
		require.NoError(t, err)
	})
}

// gated returns a job whose turn has come, and the event that ends it.
func gated(ctx context.Context, s *Serial[string]) (*job.Job[job.Void], *ManualResetEvent) {
	gate := new(ManualResetEvent)
	return s.DoAsync(ctx, "k", gate.Wait), gate
}

func TestTheContextEndsBeforeTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := withPool(t)
		var s Serial[string]
		first, gate := gated(ctx, &s)
		short, cancel := context.WithCancelCause(ctx)
		never := func(context.Context) error {
			return errors.New("it was called")
		}
		second := s.DoAsync(short, "k", never)
		plain := make(chan error, 1)
		go func() { plain <- s.Do(short, "k", never) }()
		third := s.DoAsync(ctx, "k", func(context.Context) error { return nil })
		synctest.Wait()
		require.Equal(t, 3, queuedOn(&s, "k"))

		cancel(errReason)
		synctest.Wait()
		require.Equal(t, 1, queuedOn(&s, "k"), "the job that gave up has left the queue")
		assert.Equal(t, job.Canceled, second.Status())
		for _, err := range []error{second.Err(), <-plain} {
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, errReason)
		}
		pending(t, first, third)
		gate.Set()
		_, err := job.WhenAll(first, third).Await()
		require.NoError(t, err)
	})
}

func TestAJobIsCanceledBeforeItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := withPool(t)
		var s Serial[string]
		first, gate := gated(ctx, &s)
		second := s.DoAsync(ctx, "k", func(context.Context) error { return nil })
		third, _ := gated(ctx, &s)
		require.True(t, third.Cancel())
		assert.Equal(t, job.Canceled, third.Status())
		assert.Equal(t, 1, queuedOn(&s, "k"), "it has left the queue")
		synctest.Wait()
		pending(t, first, second) // it had no turn to pass on
		gate.Set()
		_, err := job.WhenAll(first, second).Await()
		require.NoError(t, err)
	})
}

func TestATurnOfThePlainFormKeepsOthersOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := withPool(t)
		var s Serial[string]
		var next *job.Job[job.Void]
		require.NoError(t, s.Do(ctx, "k", func(context.Context) error {
			next = s.DoAsync(ctx, "k", func(context.Context) error { return nil })
			synctest.Wait()
			pending(t, next)
			return nil
		}))
		_, err := next.Await()
		require.NoError(t, err)
	})
}

func TestAJobIsCanceledInItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := withPool(t)
		var s Serial[string]
		first, _ := gated(ctx, &s)
		second := s.DoAsync(ctx, "k", func(context.Context) error { return nil })
		synctest.Wait()
		require.True(t, first.Cancel())
		_, err := second.Await()
		require.NoError(t, err)
		assert.Equal(t, job.Canceled, first.Status())
	})
}

func TestTheNextTurnDoesNotDependOnHowTheLastOneEnded(t *testing.T) {
	for name, end := range map[string]func(context.Context) error{
		"error":  func(context.Context) error { return errReason },
		"panic":  func(context.Context) error { panic(errReason) },
		"goexit": func(context.Context) error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := withPool(t)
				var s Serial[string]
				first := s.DoAsync(ctx, "k", end)
				go func() {
					defer func() { _ = recover() }()
					_ = s.Do(ctx, "k", end)
				}()
				synctest.Wait()
				second := s.DoAsync(ctx, "k", func(context.Context) error { return nil })
				_, err := second.Await()
				require.NoError(t, err)
				assert.Equal(t, job.Faulted, first.Status())
				require.NoError(t, s.Do(ctx, "k", func(context.Context) error { return nil }))
			})
		})
	}
}

func TestAPanicInATurnIsAPanicOfThePlainCallAndAnErrorOfTheJob(t *testing.T) {
	var s Serial[string]
	boom := func(context.Context) error { panic("boom") }
	assert.PanicsWithValue(t, "boom", func() { _ = s.Do(endless, "k", boom) })
	j := s.DoAsync(endless, "k", boom)
	<-j.Done()
	_, ok := j.Err().(*job.PanicError) // a twin call raises exactly this type again
	assert.True(t, ok)
}

// refusing is a scheduler that accepts nothing.
type refusing struct{}

func (refusing) Submit(schedulers.Work, schedulers.Hint) error { return schedulers.ErrRejected }

func TestTheSchedulerRefusesATurn(t *testing.T) {
	var s Serial[string]
	ctx := schedulers.With(endless, refusing{})
	for range 2 {
		j := s.DoAsync(ctx, "k", func(context.Context) error { return nil })
		require.ErrorIs(t, j.Err(), schedulers.ErrRejected)
	}
	assert.Zero(t, shrinkmap.Len(&s.turns.locked))
}

func TestATurnsResult(t *testing.T) {
	var s Serial[int]
	fn := func(context.Context) (string, error) { return "v", errReason }
	v, err := InTurn(endless, &s, 1, fn)
	assert.Equal(t, "v", v)
	require.ErrorIs(t, err, errReason)
	v, err = InTurnAsync(endless, &s, 1, fn).Await()
	assert.Equal(t, "v", v)
	require.ErrorIs(t, err, errReason)
	var none context.Context
	_, err = InTurn(none, &s, 1, func(ctx context.Context) (int, error) { return 0, ctx.Err() })
	require.NoError(t, err)
}

func TestATurnWithoutAFunctionOrATime(t *testing.T) {
	var s Serial[int]
	require.ErrorIs(t, s.Do(endless, 1, nil), job.ErrNilFunc)
	require.ErrorIs(t, s.DoAsync(endless, 1, nil).Err(), job.ErrNilFunc)
	_, err := InTurn[int, int](endless, &s, 1, nil)
	require.ErrorIs(t, err, job.ErrNilFunc)
	require.ErrorIs(t, InTurnAsync[int, int](endless, &s, 1, nil).Err(), job.ErrNilFunc)
	fn := func(context.Context) error { return nil }
	require.ErrorIs(t, s.Do(ended(errReason), 1, fn), errReason)
	assert.Equal(t, job.Canceled, s.DoAsync(ended(errReason), 1, fn).Status())
	assert.Zero(t, shrinkmap.Len(&s.turns.locked))
}

func TestALongQueueOfTurnsNeedsNoStack(t *testing.T) {
	// All but the first are canceled in their queue, and all end on one stack.
	synctest.Test(t, func(t *testing.T) {
		ctx := withPool(t)
		var s Serial[string]
		first, gate := gated(ctx, &s)
		last := first
		for range 50_000 {
			last = s.DoAsync(ctx, "k", func(context.Context) error { return nil })
		}
		gate.Set()
		_, err := last.Await()
		require.NoError(t, err)
	})
}

func TestTurnsOfManyKeysAtTheSameTime(t *testing.T) {
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			const keys = 3
			var (
				s      Serial[int]
				all    sync.WaitGroup
				counts [keys]int // each guarded by its key's turn
			)
			for i := range 6 {
				all.Go(func() {
					for k := range 100 {
						ctx, cancel := context.WithCancel(endless)
						key := (i + k) % keys
						count := func(context.Context) error { counts[key]++; return nil }
						switch k % 3 {
						case 0:
							_ = s.Do(ctx, key, count)
						case 1:
							j := s.DoAsync(ctx, key, count)
							cancel()
							<-j.Done()
						default:
							<-s.DoAsync(ctx, key, count).Done()
						}
						cancel()
					}
				})
			}
			all.Wait()
			for key := range keys {
				require.NoError(t, s.Do(endless, key, func(context.Context) error { return nil }))
			}
			assert.Zero(t, shrinkmap.Len(&s.turns.locked))
		})
	}
}

// queuedOn returns how many jobs wait for key.
func queuedOn(s *Serial[string], key string) int {
	q, _ := shrinkmap.Get(&s.turns.locked, key)
	return q.count
}
