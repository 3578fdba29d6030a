package inspect_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

// waits returns what is written of a job, without the numbers of jobs.
func waits(t *testing.T, h job.Handle) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, inspect.WriteWaits(&b, h))
	return b.String()
}

func TestDownwardWithoutTracking(t *testing.T) {
	s := manual.New()
	ctx := schedulers.With(context.Background(), s)
	queued := job.Go(ctx, func(context.Context) error { return nil }, job.Named("queued"))
	hand := job.NewSource[job.Void]()
	both := job.WhenAll(queued, hand.Job())
	next := job.Then(ctx, both, func(context.Context, []job.Void) (int, error) { return 1, nil }, job.Named("next"))
	all := job.WhenAll(next, job.FromResult(1))
	got := inspect.WaitsFor(all)
	require.Len(t, got, 5)
	assert.Equal(t, []int{0, 0, 1, 2, 2}, []int{got[0].For, got[1].For, got[2].For, got[3].For, got[4].For})
	assert.Equal(t, `job "next": waiting for other jobs`, got[1].String())
	assert.Equal(t, `job "queued": queued at manual.Scheduler`, got[3].String())
	assert.Equal(t, "completed by hand", got[4].Is)
	assert.Contains(t, waits(t, all), "\n      job \"queued\": queued at manual.Scheduler\n", "it is indented by its level")
	hand.TrySetResult(job.Void{})
	s.RunAll()
	assert.Equal(t, `job "queued": ended: Completed`+"\n", waits(t, queued))
}

func TestDownwardToTheHolderOfALock(t *testing.T) {
	s := newStuck()
	untracked := s.forSourceAsync(context.Background())
	got := waits(t, untracked)
	assert.Contains(t, got, ": suspended\n", "what for is not known")
	assert.Equal(t, 1, strings.Count(got, "\n"))
	s.source.TrySet(1, nil)
	<-untracked.Done()

	defer inspect.Track()()
	left, _, end := hang(t)
	defer end()
	got = waits(t, left)
	assert.Equal(t, 2, strings.Count(got, "\n"), "a cycle of two: each is there once")
	assert.Equal(t, 2, strings.Count(got, "waits for coord.Mutex, held by #"))
	assert.Regexp(t, `suspended in .*stuck.*\.go:\d+`, got)
}

func TestDownwardOfNothing(t *testing.T) {
	assert.Empty(t, inspect.WaitsFor(nil))
	var none *job.Job[int]
	assert.Empty(t, inspect.WaitsFor(none))
	assert.Empty(t, waits(t, none))
	require.ErrorIs(t, inspect.WriteWaits(noRoom{}, job.FromResult(1)), errNoRoom)
}

var errNoRoom = errors.New("no room")

type noRoom struct{}

func (noRoom) Write([]byte) (int, error) { return 0, errNoRoom }

func TestDownwardIsBounded(t *testing.T) {
	hand := job.NewSource[int]()
	many := make([]*job.Job[int], 1000)
	for i := range many {
		many[i] = job.Then(context.Background(), hand.Job(), func(_ context.Context, n int) (int, error) { return n, nil })
	}
	all := job.WhenAll(many...)
	assert.Len(t, inspect.WaitsFor(all), 100)
	hand.TrySetResult(1)
	_, err := all.Wait(context.Background())
	require.NoError(t, err)
}
