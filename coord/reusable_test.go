package coord

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/workstealing"
)

func TestARoundIsSetOnceAndReadOnce(t *testing.T) {
	var s Reusable[string]
	ctx := t.Context()
	_, err := s.Get(ctx, 0)
	require.ErrorIs(t, err, ErrRound, "no round has begun")
	require.ErrorIs(t, s.Set(0, "too early", nil), ErrRound)

	first, err := s.Begin()
	require.NoError(t, err)
	_, err = s.Begin()
	require.ErrorIs(t, err, ErrRound, "the first is not read yet")
	require.NoError(t, s.Set(first, "one", nil))
	require.EqualError(t, s.Set(first, "another", nil), "coord: misused round: cannot set round 1: it is set already")
	_, err = s.Begin()
	require.ErrorIs(t, err, ErrRound)
	v, err := s.Get(ctx, first)
	require.NoError(t, err)
	assert.Equal(t, "one", v)

	second, err := s.Begin()
	require.NoError(t, err)
	_, err = s.Get(ctx, first)
	require.EqualError(t, err, "coord: misused round: cannot read round 1: it is over")
	require.ErrorIs(t, s.Set(first, "late", nil), ErrRound)
	require.NoError(t, s.Set(second, "", errReason))
	_, err = s.Get(ctx, second)
	require.ErrorIs(t, err, errReason)
	_, err = s.Get(ctx, second)
	require.ErrorIs(t, err, ErrRound)
}

func TestARoundHasOneReader(t *testing.T) {
	var s Reusable[int]
	r, err := s.Begin()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	j := s.GetAsync(ctx, r)
	_, err = s.Get(t.Context(), r)
	require.EqualError(t, err, "coord: misused round: cannot read round 1: a Get waits for it")
	require.ErrorIs(t, s.GetAsync(t.Context(), r).Err(), ErrRound)
	require.ErrorIs(t, s.Drop(r), ErrRound)
	cancel()
	<-j.Done()
	require.ErrorIs(t, j.Err(), context.Canceled)

	again := s.GetAsync(t.Context(), r)
	require.NoError(t, s.Set(r, 7, nil))
	v, err := again.GetResult()
	require.NoError(t, err)
	assert.Equal(t, 7, v)
}

func TestADroppedRoundIsOver(t *testing.T) {
	var s Reusable[*int]
	for _, set := range []bool{false, true} {
		r, err := s.Begin()
		require.NoError(t, err)
		if set {
			require.NoError(t, s.Set(r, new(int), nil))
		}
		require.NoError(t, s.Drop(r))
		require.ErrorIs(t, s.Drop(r), ErrRound)
		require.ErrorIs(t, s.Set(r, new(int), nil), ErrRound)
		assert.Nil(t, s.value, "nothing is kept alive")
	}
}

func TestOneOfManySettersWins(t *testing.T) {
	var s Reusable[int]
	for range 200 {
		r, err := s.Begin()
		require.NoError(t, err)
		j := s.GetAsync(t.Context(), r)
		var won atomic.Int64
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				if s.Set(r, i+1, nil) == nil {
					won.Store(int64(i + 1))
				}
			})
		}
		all.Wait()
		v, err := j.GetResult()
		require.NoError(t, err)
		require.EqualValues(t, won.Load(), v)
	}
}

// device carries out one request at a time, each once its reader waits.
type device struct {
	results  Reusable[int]
	requests chan Round
}

// serve sets n rounds, each to its number.
func (d *device) serve(n int) {
	for range n {
		r := <-d.requests
		for waits := false; !waits; runtime.Gosched() {
			d.results.mu.Lock()
			waits = !d.results.waiting.empty()
			d.results.mu.Unlock()
		}
		if err := d.results.Set(r, int(r), nil); err != nil {
			panic(err)
		}
	}
}

// ask makes n requests, one after the other, and adds up their results.
//
//movenext:async
func ask(ctx context.Context, d *device, n int) (sum int, err error) {
	for range n {
		r, err := d.results.Begin()
		if err != nil {
			return sum, err
		}
		d.requests <- r
		v, err := d.results.Get(ctx, r)
		if err != nil {
			return sum, err
		}
		sum += v
	}
	return sum, nil
}

func TestReusableInBothFormsOnSchedulers(t *testing.T) {
	const n = 300
	forms := map[string]func(context.Context, *device) *job.Job[int]{
		"plain": func(ctx context.Context, d *device) *job.Job[int] {
			return job.Run(ctx, func(ctx context.Context) (int, error) { return ask(ctx, d, n) })
		},
		"machine": func(ctx context.Context, d *device) *job.Job[int] { return askAsync(ctx, d, n) },
	}
	one, four := pool.New(pool.Workers(1, 1)), pool.New(pool.Workers(4, 4))
	stealing := workstealing.New(workstealing.Processors(2))
	for form, start := range forms {
		for _, s := range []schedulers.Scheduler{one, four, stealing} {
			d := &device{requests: make(chan Round, 1)}
			j := start(schedulers.With(t.Context(), s), d)
			d.serve(n)
			sum, err := j.Wait(t.Context())
			require.NoError(t, err, form)
			assert.Equal(t, n*(n+1)/2, sum, form)
		}
	}
	for _, s := range []schedulers.Shutdowner{one, four, stealing} {
		require.NoError(t, s.Shutdown(t.Context()))
	}
}

// inquire makes n requests of answer, and adds up their results.
//
//movenext:async
func inquire(ctx context.Context, results *Reusable[int], requests *Channel[Round], n int) (sum int, err error) {
	defer requests.Close()
	for range n {
		r, err := results.Begin()
		if err != nil {
			return sum, err
		}
		if err := requests.TrySend(r); err != nil { // there is room: it does not wait
			return sum, err
		}
		v, err := results.Get(ctx, r)
		if err != nil {
			return sum, err
		}
		sum += v
	}
	return sum, nil
}

//movenext:async
func answer(ctx context.Context, results *Reusable[int], requests *Channel[Round]) error {
	for {
		r, err := requests.Receive(ctx)
		if err != nil {
			return err
		}
		if err := results.Set(r, 1, nil); err != nil {
			return err
		}
	}
}

func TestARoundOfAMachineAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Log("the race detector allocates; the costs of a normal build are checked only")
		return
	}
	const n = 10_000
	one := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), one)
	var results Reusable[int]
	requests := NewBounded[Round](1, WaitForRoom)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	answered := answerAsync(ctx, &results, requests)
	sum, err := inquireAsync(ctx, &results, requests, n).Await()
	require.NoError(t, err)
	assert.Equal(t, n, sum)
	_, err = answered.Await()
	require.ErrorIs(t, err, ErrClosed)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.Mallocs-before.Mallocs, uint64(n/10))
	require.NoError(t, one.Shutdown(ctx))
}
