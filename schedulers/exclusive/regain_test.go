package exclusive_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

// shut is a scheduler that can be shut down.
type shut interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// The work waits for an outside event, and its turn passes to the next work, which is queued
// for the only thread. After the wait, the thread does not become free before the work has
// its turn back.
func TestATurnIsTakenBackFromWorkThatHasNotBegun(t *testing.T) {
	beneath := map[string]func() shut{
		"one thread": func() shut { return dedicated.New(1) },
		"a loop":     func() shut { return eventloop.Start() },
	}
	above := map[string]func(schedulers.Scheduler) (waiting, next schedulers.Scheduler){
		"strand": func(s schedulers.Scheduler) (waiting, next schedulers.Scheduler) {
			one := exclusive.NewStrand(s)
			return one, one
		},
		"limited": func(s schedulers.Scheduler) (waiting, next schedulers.Scheduler) {
			one := limited.New(s, 1)
			return one, one
		},
		"exclusive before concurrent": func(s schedulers.Scheduler) (waiting, next schedulers.Scheduler) {
			p := exclusive.New(s, 0)
			return p.Exclusive(), p.Concurrent()
		},
		"concurrent before exclusive": func(s schedulers.Scheduler) (waiting, next schedulers.Scheduler) {
			p := exclusive.New(s, 0)
			return p.Concurrent(), p.Exclusive()
		},
	}
	for under, base := range beneath {
		for name, on := range above {
			t.Run(name+" over "+under, func(t *testing.T) {
				s := base()
				waiting, next := on(s)
				var order []string
				outside, began := job.NewSource[int](), make(chan struct{})
				first := job.Run(context.Background(), func(ctx context.Context) (int, error) {
					close(began)
					n, err := outside.Job().Wait(ctx)
					order = append(order, "continues")
					return n, err
				}, job.On(waiting))
				<-began
				var later []*job.Job[int]
				for range 3 {
					later = append(later, job.Run(context.Background(), func(context.Context) (int, error) {
						order = append(order, "later")
						return 0, nil
					}, job.On(next)))
				}
				go outside.TrySetResult(1)
				_, err := job.WhenAll(append(later, first)...).Wait(context.Background())
				require.NoError(t, err)
				assert.Len(t, order, 4, "one at a time, on one thread")
				require.NoError(t, s.Shutdown(context.Background()))
			})
		}
	}
}

// Work whose turn was taken back keeps its place in the queue. If work were submitted before
// the first is inside its wait, the thread itself would start it when it gives its turn away,
// and the work might run during the wait.
func TestWorkWhoseTurnWasTakenBackComesBeforeThoseBehindIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := dedicated.New(1)
		strand := exclusive.NewStrand(s)
		ctx := schedulers.With(context.Background(), strand)
		outside := job.NewSource[int]()
		var order []int
		note := func(n int) *job.Job[job.Void] {
			return job.Go(ctx, func(context.Context) error { order = append(order, n); return nil })
		}
		first := job.Go(ctx, func(ctx context.Context) error {
			_, err := outside.Job().Wait(ctx)
			order = append(order, 0)
			return err
		})
		synctest.Wait() // the first is inside its wait: its turn is free
		one := note(1)
		synctest.Wait()
		require.Len(t, s.Snapshot(), 1, "it has the turn")
		two := note(2)
		outside.TrySetResult(0)
		_, err := job.WhenAll(first, one, two).Wait(context.Background())
		require.NoError(t, err)
		assert.Equal(t, []int{0, 1, 2}, order)
		require.NoError(t, s.Shutdown(context.Background()))
	})
}

func TestOverAnyScheduler(t *testing.T) {
	t.Run("strand", func(t *testing.T) {
		schedulertest.RunOver(t, func(_ testing.TB, s schedulers.Scheduler) schedulertest.Scheduler { return exclusive.NewStrand(s) })
	})
	t.Run("exclusive side", func(t *testing.T) {
		schedulertest.RunOver(t, func(_ testing.TB, s schedulers.Scheduler) schedulertest.Scheduler {
			p := exclusive.New(s, 3)
			return side{p.Exclusive(), p}
		})
	})
	t.Run("concurrent side", func(t *testing.T) {
		schedulertest.RunOver(t, func(_ testing.TB, s schedulers.Scheduler) schedulertest.Scheduler {
			p := exclusive.New(s, 3)
			return side{p.Concurrent(), p}
		})
	})
}

// side is a side of a pair that can be shut down, together with the pair.
type side struct {
	*exclusive.Side
	pair *exclusive.Pair
}

func (s side) Shutdown(ctx context.Context) error { return s.pair.Shutdown(ctx) }

// The only thread waits for work that is queued behind it, through two shims, and runs
// it on top of the wait.
func TestAWaitForWorkBehindItIsServedThroughShims(t *testing.T) {
	s := dedicated.New(1)
	ctx := schedulers.With(context.Background(), exclusive.NewStrand(exclusive.NewStrand(s)))
	n, err := job.Run(ctx, func(ctx context.Context) (int, error) {
		behind := job.Run(ctx, func(context.Context) (int, error) { return 1, nil })
		return behind.Wait(ctx)
	}).Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	require.NoError(t, s.Shutdown(context.Background()))
}
