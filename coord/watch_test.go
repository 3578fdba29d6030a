package coord

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/workstealing"
)

func TestAnObserverGetsTheLatestVersionOnce(t *testing.T) {
	w := NewWatch("first")
	o := w.Observe()
	_, err := o.TryNext()
	require.ErrorIs(t, err, ErrEmpty, "it has seen the version that it began with")
	require.NoError(t, errors.Join(w.Set("second"), w.Set("third")))
	v, err := o.Next(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "third", v)
	_, err = o.TryNext()
	require.ErrorIs(t, err, ErrEmpty)
	assert.Equal(t, "third", w.Value())
}

func TestAllObserversThatWaitGetANewVersion(t *testing.T) {
	var w Watch[int]
	one, other := w.Observe(), w.Observe()
	waits := []*job.Job[int]{one.NextAsync(t.Context()), other.NextAsync(t.Context()), other.NextAsync(t.Context())}
	require.NoError(t, w.Set(5))
	for _, j := range waits {
		v, err := j.GetResult()
		require.NoError(t, err)
		assert.Equal(t, 5, v)
	}
	_, err := one.TryNext()
	require.ErrorIs(t, err, ErrEmpty, "what a wait has returned has been seen")
}

func TestAClosedWatchGivesItsLastVersion(t *testing.T) {
	w := NewWatch(1)
	late, waiting := w.Observe(), w.Observe()
	require.NoError(t, w.Set(2))
	v, err := waiting.TryNext()
	require.NoError(t, err)
	assert.Equal(t, 2, v)
	j := waiting.NextAsync(t.Context())
	w.CloseCause(errReason)
	w.Close()
	require.ErrorIs(t, j.Err(), ErrClosed)
	require.ErrorIs(t, j.Err(), errReason)
	v, err = late.Next(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, v)
	_, err = late.Next(t.Context())
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, w.Set(3), ErrClosed)
	assert.Equal(t, 2, w.Value())
}

func TestAnObserverWhoseContextEndsHasSeenNothing(t *testing.T) {
	var w Watch[int]
	o := w.Observe()
	ctx, cancel := context.WithCancel(t.Context())
	j := o.NextAsync(ctx)
	cancel()
	<-j.Done()
	require.ErrorIs(t, j.Err(), context.Canceled)
	require.NoError(t, w.Set(1))
	v, err := o.Next(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, v)
}

// follow adds up what a watch shows until it is closed.
//
//movenext:async
func follow(ctx context.Context, o *Observer[int]) (seen []int, err error) {
	for {
		v, err := o.Next(ctx)
		if err != nil {
			return seen, err
		}
		seen = append(seen, v)
	}
}

func TestWatchInBothFormsOnSchedulers(t *testing.T) {
	forms := map[string]func(context.Context, *Observer[int]) *job.Job[[]int]{
		"plain": func(ctx context.Context, o *Observer[int]) *job.Job[[]int] {
			return job.Run(ctx, func(ctx context.Context) ([]int, error) { return follow(ctx, o) })
		},
		"machine": followAsync,
	}
	homes := map[string]func() schedulers.Scheduler{
		"pool of one":  func() schedulers.Scheduler { return pool.New(pool.Workers(1, 1)) },
		"pool of four": func() schedulers.Scheduler { return pool.New(pool.Workers(4, 4)) },
		"workstealing": func() schedulers.Scheduler { return workstealing.New(workstealing.Processors(2)) },
	}
	for form, start := range forms {
		for home, made := range homes {
			t.Run(form+", "+home, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx := schedulers.With(t.Context(), made())
					w := NewWatch(0)
					j := start(ctx, w.Observe())
					for i := range 3 {
						synctest.Wait()
						require.NoError(t, errors.Join(w.Set(-1), w.Set(i)))
						time.Sleep(time.Millisecond)
					}
					w.Close()
					_, err := j.Wait(ctx)
					require.ErrorIs(t, err, ErrClosed)
					seen, _ := j.GetResult()
					require.NotEmpty(t, seen)
					assert.Equal(t, 2, seen[len(seen)-1], "the last version is never skipped")
				})
			})
		}
	}
}
