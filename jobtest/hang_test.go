package jobtest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hung is a test that records its failure.
type hung struct {
	testing.TB
	text string
}

func (*hung) Helper() {}

func (h *hung) Errorf(_ string, args ...any) { h.text = args[0].(string) }

// A step that waits for something that is not simulated is reported with its stack.
func TestAStepThatHangsIsReported(t *testing.T) {
	ticks, over := make(chan time.Time), make(chan struct{})
	before := watch
	watch = func(time.Duration) (<-chan time.Time, func()) { return ticks, func() {} }
	defer func() { watch = before }()
	at, gate := make(chan struct{}), make(chan struct{})
	defer close(gate)
	go func() {
		<-at
		for { // the first tick may see the program's start as progress
			select {
			case ticks <- time.Time{}:
			case <-over:
				return
			}
		}
	}()
	h := &hung{TB: t}
	Run(h, func(context.Context) error { waitAtGate(at, gate); return nil })
	close(over)
	require.NotEmpty(t, h.text)
	assert.Contains(t, h.text, "a step that hangs: jobtest: a step has not returned")
	assert.Contains(t, h.text, "jobtest.waitAtGate")
}

func waitAtGate(at, gate chan struct{}) {
	close(at)
	<-gate
}
