package job

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func sources(n int) (ss []*Source[int], js []*Job[int]) {
	for range n {
		s := NewSource[int]()
		ss, js = append(ss, s), append(js, s.Job())
	}
	return ss, js
}

func TestWhenAllKeepsTheOrderGiven(t *testing.T) {
	ss, js := sources(3)
	all := WhenAll(js...)
	for _, i := range []int{2, 0, 1} {
		assert.False(t, all.IsCompleted())
		ss[i].TrySetResult(i)
	}
	v, err := all.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, []int{0, 1, 2}, v)
}

func TestWhenAllOfNothing(t *testing.T) {
	v, err := WhenAll[int]().GetResult()
	assert.NoError(t, err)
	assert.Empty(t, v)
	assert.Equal(t, Completed, WhenAllOf().Status())
}

func TestWhenAllWaitsForAllAndTellsAllErrors(t *testing.T) {
	other := errors.New("other")
	ss, js := sources(4)
	all := WhenAll(js...)
	ss[3].TrySetError(other)
	ss[1].TrySet(5, errBoom)
	ss[0].TrySetResult(1)
	assert.False(t, all.IsCompleted(), "no failure ends it early")
	ss[2].TrySetCanceled()
	v, err := all.GetResult()
	assert.Equal(t, Faulted, all.Status())
	assert.Equal(t, []int{1, 5, 0, 0}, v, "the results that there are")
	assert.Equal(t, "boom\ncontext canceled\nother", err.Error(), "in the order given")
}

func TestWhenAllOfCanceledJobsIsCanceled(t *testing.T) {
	all := WhenAll(FromResult(1), FromCanceled[int](errBoom))
	assert.Equal(t, Canceled, all.Status())
	assert.ErrorIs(t, all.Err(), errBoom)
}

func TestTheOnlyErrorIsKeptAsItIs(t *testing.T) {
	assert.Equal(t, errBoom, WhenAll(FromResult(1), FromError[int](errBoom)).Err())
}

func TestWhenAllTakesNilJobsAndTheSameJobTwice(t *testing.T) {
	s := NewSource[int]()
	all := WhenAll(s.Job(), nil, s.Job())
	s.TrySetResult(2)
	v, err := all.GetResult()
	assert.Equal(t, []int{2, 0, 2}, v)
	assert.Equal(t, ErrNilJob, err)
	assert.Equal(t, ErrNilJob, WhenAllOf(nil, (*Job[int])(nil), s.Job()).Err().(interface{ Unwrap() []error }).Unwrap()[1])
}

func TestWhenAllOfStartsCreatedJobs(t *testing.T) {
	m := &manual{}
	a, b := New(m.ctx(), constant(1, nil)), New(m.ctx(), constant("x", nil))
	all := WhenAllOf(a, b)
	m.all()
	assert.Equal(t, Completed, all.Status())
}

func TestTheLastJobEndsWhileWhenAllIsRegistering(t *testing.T) {
	ss, js := sources(3)
	w := &whenAll[int]{jobs: js}
	w.promise.job.core.init()
	w.start(len(js), func(i int) *core {
		for _, s := range ss[:i] {
			s.TrySetResult(1) // all that are registered end before the next is
		}
		return baseOf(js[i])
	}, w)
	assert.False(t, w.promise.job.IsCompleted())
	ss[2].TrySetResult(1)
	assert.True(t, w.promise.job.IsCompleted())
}

func TestJobsOfAWhenAllEndAtOnce(t *testing.T) {
	for range 200 {
		ss, js := sources(8)
		all := WhenAll(js...)
		var wg sync.WaitGroup
		for i, s := range ss {
			wg.Go(func() { s.TrySetResult(i) })
		}
		v, err := all.Wait(context.Background())
		wg.Wait()
		require.NoError(t, err)
		require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, v)
	}
}

func TestAFinishedWhenAllKeepsNoJob(t *testing.T) {
	ss, js := sources(2)
	all := WhenAll(js...)
	first := weak.Make(js[0])
	for _, s := range ss {
		s.TrySetResult(1)
	}
	ss, js = nil, nil
	runtime.GC()
	assert.Nil(t, first.Value())
	runtime.KeepAlive(all)
}

func TestWhenAnyIsTheFirstToEndInWhateverWay(t *testing.T) {
	ss, js := sources(3)
	anyOf := WhenAny(js...)
	ss[1].TrySetError(errBoom)
	ss[0].TrySetResult(1)
	j, err := anyOf.GetResult()
	assert.NoError(t, err)
	assert.Same(t, js[1], j)
}

func TestOfSeveralThatHaveEndedWhenAnyTakesTheFirstGiven(t *testing.T) {
	_, js := sources(1)
	a, b := FromResult(1), FromResult(2)
	j, _ := WhenAny(js[0], b, a).GetResult()
	assert.Same(t, b, j)
	assert.Zero(t, waitersOf(js[0]))
}

func TestTheLosersOfWhenAnyKeepNothing(t *testing.T) {
	ss, js := sources(4)
	WhenAny(js...)
	WhenAnyOf(js[0], js[1], js[2], js[3])
	for _, j := range js {
		assert.Equal(t, 2, waitersOf(j))
	}
	ss[2].TrySetResult(1)
	for _, j := range js {
		assert.Zero(t, waitersOf(j))
	}
}

func TestWhenAnyBadInput(t *testing.T) {
	assert.Equal(t, ErrNoJobs, WhenAny[int]().Err())
	assert.Equal(t, ErrNoJobs, WhenAnyOf().Err())
	assert.Equal(t, ErrNoJobs, Race[int]().Err())
	j, err := WhenAny(NewSource[int]().Job(), nil).GetResult()
	assert.NoError(t, err)
	assert.Nil(t, j)
	assert.Equal(t, ErrNilJob, j.Err())
	h, err := WhenAnyOf(NewSource[int]().Job(), nil).GetResult()
	assert.NoError(t, err)
	assert.Nil(t, h)
}

func TestTheWinnerEndsWhileWhenAnyIsRegistering(t *testing.T) {
	for winner := range 3 {
		ss, js := sources(3)
		w := &whenAny[*Job[int]]{jobs: js}
		w.promise.job.core.init()
		w.start(len(js), func(i int) *core {
			if i == winner+1 {
				ss[winner].TrySetResult(1)
			}
			return baseOf(js[i])
		}, w)
		ss[winner].TrySetResult(1)
		j, err := w.promise.job.GetResult()
		require.NoError(t, err)
		assert.Same(t, js[winner], j)
		for _, j := range js {
			assert.Zero(t, waitersOf(j))
		}
	}
}

func TestTheWinnerEndsBetweenRegisteringAndSayingSo(t *testing.T) {
	ss, js := sources(2)
	c := &contest{left: 2}
	w := &whenAny[*Job[int]]{jobs: js}
	w.promise.job.core.init()
	c.party, c.nodes = w, make([]contestNode, 2)
	for i := range c.nodes {
		n := &c.nodes[i]
		n.contest, n.awaited, n.index = c, baseOf(js[i]), i
		n.Prepare(n)
	}
	nodes := c.nodes
	require.True(t, js[0].core.register(&nodes[0].Node))
	require.True(t, c.noteRegistered(1))
	require.True(t, js[1].core.register(&nodes[1].Node))
	ss[0].TrySetResult(1) // wins before the second is noted as registered
	assert.Equal(t, 1, waitersOf(js[1]))
	assert.False(t, c.noteRegistered(2), "so the registrant must take it back")
}

func TestJobsOfAWhenAnyEndAtOnce(t *testing.T) {
	for range 300 {
		ss, js := sources(4)
		var wg sync.WaitGroup
		for _, s := range ss {
			wg.Go(func() { s.TrySetResult(1) })
		}
		anyOf, race := WhenAny(js...), Race(js...)
		j, err := anyOf.Wait(context.Background())
		require.NoError(t, err)
		require.True(t, j.IsCompleted())
		_, err = race.Wait(context.Background())
		require.NoError(t, err)
		wg.Wait()
	}
}

func TestAFinishedWhenAnyKeepsTheWinnerOnly(t *testing.T) {
	ss, js := sources(2)
	anyOf := WhenAny(js...)
	loser := weak.Make(js[1])
	ss[0].TrySetResult(1)
	ss, js = nil, nil
	runtime.GC()
	assert.Nil(t, loser.Value())
	runtime.KeepAlive(anyOf)
}

func TestRaceIsTheFirstSuccess(t *testing.T) {
	ss, js := sources(4)
	r := Race(js...)
	ss[3].TrySetError(errBoom)
	ss[0].TrySetCanceled()
	assert.False(t, r.IsCompleted())
	ss[2].TrySetResult(7)
	v, err := r.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, 7, v)
	assert.Zero(t, waitersOf(js[1]))
}

func TestARaceThatAllLoseTellsAllErrors(t *testing.T) {
	ss, js := sources(3)
	r := Race(js[0], nil, js[1], js[2])
	ss[2].TrySetError(errors.New("c"))
	ss[0].TrySetError(errors.New("a"))
	ss[1].TrySetCanceled()
	assert.Equal(t, Faulted, r.Status())
	assert.Equal(t, "a\njob: nil job\ncontext canceled\nc", r.Err().Error())

	canceled := Race(FromCanceled[int](nil), FromCanceled[int](nil))
	assert.Equal(t, Canceled, canceled.Status())
}
