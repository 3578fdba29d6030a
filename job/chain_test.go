package job

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The chains of these tests have a million links, or a tenth of that under the race
// detector. With a stack frame of 100 bytes for each link they would need 100 MB or 10
// MB; the tests allow 1 MB.

func withSmallStack(t *testing.T, f func()) {
	t.Helper()
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	f()
}

func next(_ context.Context, j *Job[int]) (int, error) {
	v, err := j.GetResult()
	return v + 1, err
}

func TestAMillionContinuationsInARowNeedNoStack(t *testing.T) {
	m := &manual{}
	s := NewSource[int]()
	j := s.Job()
	for range long {
		j = ContinueWith(m.ctx(), j, next)
	}
	withSmallStack(t, func() {
		s.TrySetResult(0)
		m.all()
	})
	v, err := j.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, long, v)
}

func TestAMillionSynchronousContinuationsInARowNeedNoStack(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), constant(0, nil))
	for range long {
		j = ContinueWith(m.ctx(), j, next, RunSynchronously())
	}
	withSmallStack(t, func() { m.step(t) })
	v, err := j.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, long, v, "one turn of the scheduler runs them all")
}

func TestAnErrorPassesThroughAMillionThensWithoutStack(t *testing.T) {
	m := &manual{}
	s := NewSource[int]()
	j := s.Job()
	for range long {
		j = Then(m.ctx(), j, func(_ context.Context, v int) (int, error) { return v, nil })
	}
	withSmallStack(t, func() { s.TrySetError(errBoom) })
	assert.Equal(t, errBoom, j.Err())
	assert.Empty(t, m.hints, "and without a turn of the scheduler")
}

func TestATreeOfAMillionWaitsNeedsNoStack(t *testing.T) {
	s := NewSource[int]()
	j := s.Job()
	for range long / 10 {
		j = Race(WaitAsync(t.Context(), j), NewSource[int]().Job())
	}
	withSmallStack(t, func() { s.TrySetResult(3) })
	v, err := j.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
}

func TestABinaryTreeOfAMillionContinuationsNeedsNoStack(t *testing.T) {
	m := &manual{}
	s := NewSource[int]()
	level, leaves := []*Job[int]{s.Job()}, long/2
	for len(level) < leaves {
		below := make([]*Job[int], 0, 2*len(level))
		for _, j := range level {
			below = append(below, ContinueWith(m.ctx(), j, next), ContinueWith(m.ctx(), j, next))
		}
		level = below
	}
	withSmallStack(t, func() {
		s.TrySetResult(0)
		m.all()
	})
	for _, j := range level {
		if j.Status() != Completed {
			t.Fatal("a leaf has not ended")
		}
	}
}

func TestManyContinuationsOfOneJobNeedNoStack(t *testing.T) {
	m := &manual{}
	s := NewSource[int]()
	ran := 0
	for range long / 10 {
		ContinueWith(m.ctx(), s.Job(), func(context.Context, *Job[int]) (int, error) { ran++; return 0, nil })
	}
	withSmallStack(t, func() {
		s.TrySetResult(0)
		m.all()
	})
	assert.Equal(t, long/10, ran)
}

// kept returns how many of the jobs are still in memory.
func kept(jobs []weak.Pointer[Job[int]]) (n int) {
	runtime.GC()
	for _, w := range jobs {
		if w.Value() != nil {
			n++
		}
	}
	return n
}

func TestALongChainKeepsNoneOfItsAntecedents(t *testing.T) {
	for name, link := range map[string]func(m *manual, j *Job[int]) *Job[int]{
		"ContinueWith": func(m *manual, j *Job[int]) *Job[int] { return ContinueWith(m.ctx(), j, next) },
		"synchronous":  func(m *manual, j *Job[int]) *Job[int] { return ContinueWith(m.ctx(), j, next, RunSynchronously()) },
		"Then": func(m *manual, j *Job[int]) *Job[int] {
			return Then(m.ctx(), j, func(_ context.Context, v int) (int, error) { return v + 1, nil })
		},
		"Catch": func(m *manual, j *Job[int]) *Job[int] {
			return Catch(m.ctx(), j, func(context.Context, error) (int, error) { return 0, nil })
		},
		"Finally": func(m *manual, j *Job[int]) *Job[int] { return Finally(m.ctx(), j, doNothing) },
		"Race":    func(_ *manual, j *Job[int]) *Job[int] { return Race(j) },
		"WaitAsync": func(_ *manual, j *Job[int]) *Job[int] {
			ctx, cancel := context.WithCancel(t.Context())
			t.Cleanup(cancel)
			return WaitAsync(ctx, j)
		},
		"Unwrap": func(m *manual, j *Job[int]) *Job[int] {
			return Unwrap(m.ctx(), ContinueWith(m.ctx(), j, func(context.Context, *Job[int]) (*Job[int], error) { return FromResult(1), nil }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := &manual{}
			s := NewSource[int]()
			j := s.Job()
			var before []weak.Pointer[Job[int]]
			for range 100 {
				before = append(before, weak.Make(j))
				j = link(m, j)
			}
			s.TrySetResult(0)
			m.all()
			require.Equal(t, Completed, j.Status())
			s, m = nil, nil
			assert.Zero(t, kept(before))
			runtime.KeepAlive(j)
		})
	}
}

func TestALinkThatRunsKeepsItsAntecedentNoLongerThanItsFunctionDoes(t *testing.T) {
	m := &manual{}
	s := NewSource[int]()
	first := weak.Make(s.Job())
	c := ContinueWith(m.ctx(), s.Job(), func(context.Context, *Job[int]) (int, error) {
		runtime.GC()
		if first.Value() != nil {
			t.Error("the job is kept while the function runs")
		}
		return 1, nil
	})
	s.TrySetResult(0)
	s = nil
	m.all()
	assert.Equal(t, Completed, c.Status())
}
