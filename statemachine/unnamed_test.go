package statemachine_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

func TestAFieldKeepsAVariableWithItsStaticType(t *testing.T) {
	like := statemachine.Like(error(nil))
	var field any
	*statemachine.Kept(&field, like) = errors.ErrUnsupported
	assert.Equal(t, errors.ErrUnsupported, *statemachine.Kept(&field, like))
	assert.Same(t, statemachine.Kept(&field, like), statemachine.Kept(&field, like))
	*statemachine.Kept(&field, like) = nil
	assert.NoError(t, *statemachine.Kept(&field, like))

	first := statemachine.Kept(&field, like)
	field = statemachine.New(like)
	assert.NotSame(t, first, statemachine.Kept(&field, like), "a variable that is declared again is another one")
}

func TestAFieldOfAnotherTypePanics(t *testing.T) {
	var field any = new(int)
	assert.Panics(t, func() { statemachine.Kept(&field, statemachine.Like("")) })
}

func TestValuesGetTheTypeOfALike(t *testing.T) {
	type small uint8
	assert.Equal(t, small(3), statemachine.Typed(3, statemachine.Like(small(0))))
	v, ok := statemachine.Asserted(any(small(4)), statemachine.Like(small(0)))
	assert.True(t, ok)
	assert.Equal(t, small(4), v)
	e, ok := statemachine.Asserted(nil, statemachine.Like(error(nil)))
	assert.False(t, ok)
	assert.NoError(t, e)
}

func TestAnAwaiterThatIsNilFails(t *testing.T) {
	_, err := statemachine.AwaiterOf[int](nil).GetResult()
	require.ErrorIs(t, err, awaiter.ErrNilAwaitable)
	_, err = statemachine.AwaiterOf(withoutAwaiter{}).GetResult()
	require.ErrorIs(t, err, awaiter.ErrNilAwaitable)
	v, err := statemachine.AwaiterOf(job.FromResult(5)).GetResult()
	require.NoError(t, err)
	assert.Equal(t, 5, v)
}

type withoutAwaiter struct{}

func (withoutAwaiter) GetAwaiter() awaiter.Awaiter[int] { return nil }

func TestANewValueWithoutNewIsZero(t *testing.T) {
	p := statemachine.NewOf[statemachine.Int]()
	assert.Zero(t, *p)
	assert.NotSame(t, p, statemachine.NewOf[int]())
}
