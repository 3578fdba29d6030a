package census

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestGoroutinesThatWaitAreNotCounted(t *testing.T) {
	const crowd = 1000
	gate, begun := make(chan struct{}), make(chan struct{})
	for range crowd {
		go func() { begun <- struct{}{}; <-gate }()
	}
	for range crowd {
		<-begun
	}
	var c Counter
	for c.Active() > crowd/2 { // until most wait at the gate
		runtime.Gosched()
	}
	assert.Positive(t, c.Active(), "the one that asks")
	close(gate)
}
