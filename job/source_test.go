package job

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheZeroSourceIsReady(t *testing.T) {
	var completed, asked Source[int]
	assert.True(t, completed.TrySetResult(1))
	assert.False(t, completed.TrySetResult(2))
	assert.Equal(t, 1, completed.Job().value)

	assert.Equal(t, WaitingForActivation, asked.Job().Status())
	assert.True(t, asked.TrySetError(errBoom))
	assert.Equal(t, errBoom, asked.Job().Err())
}

func TestTheFirstUsesOfAZeroSourceMayBeAtOnce(t *testing.T) {
	for range 100 {
		var s Source[int]
		var all sync.WaitGroup
		all.Go(func() {
			v, err := s.Job().Await()
			assert.NoError(t, err)
			assert.Equal(t, 1, v)
		})
		all.Go(func() { assert.True(t, s.TrySetResult(1)) })
		all.Wait()
	}
}
