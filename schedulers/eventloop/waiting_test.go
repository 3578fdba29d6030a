package eventloop_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/pool"
)

// needsThreadIDs skips a test on systems on which the loop cannot identify its owner.
func needsThreadIDs(t *testing.T) {
	t.Helper()
	if dedicated.ThreadID() == 0 {
		t.Skip("this system has no thread ids; TestWithoutThreadIDs has the guarantees there")
	}
}

// A job on the loop waits for two others there: one directly, which runs in place, and
// both through a third job that cannot be run in place.
func TestAWaitOnTheLoopRunsWhatIsQueued(t *testing.T) {
	needsThreadIDs(t)
	l := eventloop.Start()
	ctx := schedulers.With(context.Background(), l)
	one := func(context.Context) (int, error) { return 1, nil }
	sum, err := job.Run(ctx, func(ctx context.Context) (int, error) {
		first := job.Run(ctx, one)
		n, err := first.Wait(ctx)
		if err != nil {
			return 0, err
		}
		both, err := job.WhenAll(first, job.Run(ctx, one)).Wait(ctx)
		return n + len(both), err
	}).Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 3, sum)
	require.NoError(t, l.Shutdown(context.Background()))
}

// The awaited job needs the loop, and arrives there long after the wait has begun.
func TestAWaitOnTheLoopPumpsUntilItsJobHasEnded(t *testing.T) {
	needsThreadIDs(t)
	l := eventloop.Start()
	ctx := schedulers.With(context.Background(), l)
	source := job.NewSource[int]()
	got, err := job.Run(ctx, func(ctx context.Context) (int, error) {
		later := job.Then(ctx, source.Job(), func(_ context.Context, n int) (int, error) { return n + 1, nil })
		post(t, l, func() { go source.TrySetResult(1) }) // runs when the wait pumps
		return later.Wait(ctx)
	}).Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 2, got)
	require.NoError(t, l.Shutdown(context.Background()))
}

// The awaited event comes from another goroutine, and only after the wait has begun: no work
// is ready when the pump starts.
func TestAPumpRunsWhatArrivesDuringTheWait(t *testing.T) {
	l := eventloop.Start()
	var order []string
	err := l.Send(context.Background(), func() {
		done := make(chan struct{})
		waiting := make(chan struct{})
		post(t, l, func() { close(waiting) }) // runs inside the pump
		go func() {
			<-waiting
			post(t, l, func() { order = append(order, "arrived"); close(done) })
			post(t, l, func() { order = append(order, "later") })
		}()
		assert.NoError(t, l.Pump(context.Background(), done))
		order = append(order, "continues")
	})
	require.NoError(t, err)
	require.NoError(t, l.Shutdown(context.Background()))
	assert.Equal(t, []string{"arrived", "continues", "later"}, order)
}

func TestAPumpEndsWithItsContext(t *testing.T) {
	l := eventloop.New()
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	post(t, l, func() { assert.Equal(t, cause, l.Pump(ctx, make(chan struct{}))) })
	post(t, l, func() { cancel(cause) })
	assert.Equal(t, 1, l.RunPending(), "the other one has run inside the pump")
}

// A shim's worker passes the wait on to the loop beneath.
func TestAWaitAboveTheLoopPumps(t *testing.T) {
	needsThreadIDs(t)
	l := eventloop.Start()
	ctx := schedulers.With(context.Background(), limited.New(l, 1))
	j := job.Go(ctx, func(ctx context.Context) error {
		done := make(chan struct{})
		go post(t, l, func() { close(done) })
		return schedulers.Wait(ctx, schedulers.WorkerFrom(ctx), nil, done)
	})
	_, err := j.Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, l.Shutdown(context.Background()))
}

// Another goroutine has a context of the loop. Whatever it does with the context, it runs no
// work of the loop.
func TestAnotherGoroutineWithTheLoopsContextRunsNoneOfItsWork(t *testing.T) {
	needsThreadIDs(t)
	l := eventloop.Start()
	err := l.Send(context.Background(), func() {})
	require.NoError(t, err)
	held, release := make(chan schedulers.Worker), make(chan struct{})
	require.NoError(t, l.Submit(worked(func(on schedulers.Worker) { held <- on; <-release }), schedulers.Hint{}))
	on := <-held
	ran := false
	post(t, l, func() { ran = true; assert.True(t, l.OnOwner()) })

	assert.False(t, l.MayRunInPlace(worked(nil), on))
	unblock, err := on.(schedulers.Blocker).Block()
	require.NoError(t, err)
	assert.False(t, ran)
	unblock()
	done := make(chan struct{})
	close(done)
	require.NoError(t, on.(schedulers.Pumper).Pump(context.Background(), nil, done))
	assert.False(t, ran)
	assert.Equal(t, 0, l.RunPending())
	close(release)
	require.NoError(t, l.Shutdown(context.Background()))
	assert.True(t, ran)
}

type worked func(on schedulers.Worker)

func (f worked) Run(on schedulers.Worker) { f(on) }

func (worked) Abandon(error) {}

// On systems without thread ids, the loop does not guess: no work is run in place, and a wait
// that is announced while work is queued is refused.
func TestWithoutThreadIDs(t *testing.T) {
	if dedicated.ThreadID() != 0 {
		t.Skip("this system has thread ids")
	}
	l := eventloop.New()
	require.NoError(t, l.Submit(worked(func(on schedulers.Worker) {
		assert.False(t, l.MayRunInPlace(worked(nil), on))
		_, err := on.(schedulers.Blocker).Block()
		assert.ErrorIs(t, err, schedulers.ErrWouldDeadlock)
	}), schedulers.Hint{}))
	post(t, l, func() {})
	assert.Equal(t, 2, l.RunPending())
}

// widget is an object as in toolkits: it may be used only on its thread.
type widget struct {
	thread, text, foreign int
}

func (w *widget) set(n int) {
	if dedicated.ThreadID() != w.thread {
		w.foreign++
	}
	w.text = n
}

func TestStateOfTheLoopIsTouchedOnItsThreadOnly(t *testing.T) {
	l := eventloop.Start()
	workers := pool.New(pool.Workers(4, 4))
	w := &widget{text: -1}
	require.NoError(t, l.Send(context.Background(), func() { w.thread = dedicated.ThreadID() }))
	var all []*job.Job[job.Void]
	for n := range 100 {
		computed := job.Run(context.Background(), func(context.Context) (int, error) { return n, nil }, job.On(workers))
		all = append(all, job.ContinueWith(context.Background(), computed,
			func(_ context.Context, j *job.Job[int]) (job.Void, error) {
				n, err := j.GetResult()
				w.set(n)
				return job.Void{}, err
			}, job.On(l)))
	}
	_, err := job.WhenAll(all...).Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, l.Send(context.Background(), func() {
		assert.Zero(t, w.foreign)
		assert.GreaterOrEqual(t, w.text, 0)
	}))
	require.NoError(t, l.Shutdown(context.Background()))
	require.NoError(t, workers.Shutdown(context.Background()))
}
