package job

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

type named bool

func TestFrequentResultsShareTheirJobs(t *testing.T) {
	assert.Same(t, FromResult(Void{}), FromResult(Void{}))
	assert.Same(t, FromResult(true), FromResult(true))
	assert.NotSame(t, FromResult(true), FromResult(false))
	for i := -1; i <= 8; i++ {
		assert.Same(t, FromResult(i), FromResult(i))
		v, err := FromResult(i).GetResult()
		assert.NoError(t, err)
		assert.Equal(t, i, v)
	}
	assert.NotSame(t, FromResult(-2), FromResult(-2))
	assert.NotSame(t, FromResult(9), FromResult(9))
	assert.NotSame(t, FromResult(named(true)), FromResult(named(true)))
	assert.NotSame(t, FromResult("x"), FromResult("x"))
	v, _ := FromResult(false).GetResult()
	assert.False(t, v)
}

func TestFromErrorOfNothingIsAResult(t *testing.T) {
	assert.Equal(t, Completed, FromError[int](nil).Status())
}

func TestFromCanceledMatchesItsCauseAndCanceled(t *testing.T) {
	assert.Equal(t, context.Canceled, FromCanceled[int](nil).Err())
	j := FromCanceled[int](errBoom)
	assert.ErrorIs(t, j.Err(), errBoom)
	assert.ErrorIs(t, j.Err(), context.Canceled)
	own := &WaitError{Err: context.Canceled}
	assert.Same(t, own, FromCanceled[int](own).Err())
}

func TestASourceIsCompletedOnce(t *testing.T) {
	s := NewSource[int]()
	assert.True(t, s.TrySet(3, nil))
	for _, again := range []bool{s.TrySetResult(1), s.TrySet(1, errBoom), s.TrySetError(errBoom), s.TrySetCanceled(), s.TrySetCanceledCause(errBoom)} {
		assert.False(t, again)
	}
	v, err := s.Job().GetResult()
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
	assert.Same(t, s.Job(), s.Job())
	assert.False(t, s.Job().Cancel(), "a source alone decides")
}

func TestANilErrorOfASourceIsAnError(t *testing.T) {
	s := NewSource[int]()
	assert.True(t, s.TrySetError(nil))
	assert.Error(t, s.Job().Err())
	assert.Equal(t, Faulted, s.Job().Status())
}

func TestIDsAreUniqueAndNamesAreKept(t *testing.T) {
	a, b := FromResult("a"), Run((&manual{}).ctx(), constant(1, nil), Named("b"))
	assert.NotZero(t, a.ID())
	assert.NotEqual(t, a.ID(), b.ID())
	assert.Equal(t, a.ID(), a.ID())
	assert.Equal(t, "b", b.Name())
	assert.Empty(t, a.Name())
}

func TestTheDefaultSchedulerCanBeSetAndBroughtBack(t *testing.T) {
	before := DefaultScheduler()
	m := &manual{}
	SetDefaultScheduler(m)
	defer SetDefaultScheduler(nil)
	Run(context.Background(), constant(1, nil))
	assert.Len(t, m.hints, 1)
	SetDefaultScheduler(nil)
	assert.Same(t, before, DefaultScheduler())
	m.all()
}
