package gentypes_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/statemachine/gentypes"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAFieldKeepsAVariableWithItsStaticType(t *testing.T) {
	like := gentypes.Like(error(nil))
	var field any
	*gentypes.Kept(&field, like) = errors.ErrUnsupported
	assert.Equal(t, errors.ErrUnsupported, *gentypes.Kept(&field, like))
	assert.Same(t, gentypes.Kept(&field, like), gentypes.Kept(&field, like))
	*gentypes.Kept(&field, like) = nil
	assert.NoError(t, *gentypes.Kept(&field, like))

	first := gentypes.Kept(&field, like)
	field = gentypes.New(like)
	assert.NotSame(t, first, gentypes.Kept(&field, like), "a variable that is declared again is another one")
}

func TestAFieldOfAnotherTypePanics(t *testing.T) {
	var field any = new(int)
	assert.Panics(t, func() { gentypes.Kept(&field, gentypes.Like("")) })
}

func TestValuesGetTheTypeOfALike(t *testing.T) {
	type small uint8
	assert.Equal(t, small(3), gentypes.Typed(3, gentypes.Like(small(0))))
	v, ok := gentypes.Asserted(any(small(4)), gentypes.Like(small(0)))
	assert.True(t, ok)
	assert.Equal(t, small(4), v)
	e, ok := gentypes.Asserted(nil, gentypes.Like(error(nil)))
	assert.False(t, ok)
	assert.NoError(t, e)
}

func TestANewValueWithoutNewIsZero(t *testing.T) {
	p := gentypes.NewOf[gentypes.Int]()
	assert.Zero(t, *p)
	assert.NotSame(t, p, gentypes.NewOf[int]())
}
