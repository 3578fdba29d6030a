package durable

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// After a take that fills all slots, the next one waits until some are free. Long steps in the
// other slots do not keep a free one idle forever, nor does a clock that is set back.
func TestATakeWaitsForFreeSlotsForAWhileAlone(t *testing.T) {
	ended := time.Unix(1000, 0)
	full := lastTake{usedAllPermits: true, ended: ended, took: time.Millisecond}
	assert.True(t, full.shouldDefer(ended, 1, 128))
	assert.True(t, full.shouldDefer(ended.Add(15*time.Millisecond), 31, 128))
	assert.False(t, full.shouldDefer(ended, 32, 128), "a part is free")
	assert.False(t, full.shouldDefer(ended.Add(16*time.Millisecond), 1, 128), "the others are slow")
	assert.False(t, full.shouldDefer(ended.Add(-time.Hour), 1, 128), "the clock was set back")
	assert.False(t, full.shouldDefer(ended, 1, 1), "the only slot is free")
	assert.False(t, lastTake{ended: ended, took: time.Hour}.shouldDefer(ended, 1, 128), "the last one has found little")
}
