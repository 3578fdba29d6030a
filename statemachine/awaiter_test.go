package statemachine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

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
