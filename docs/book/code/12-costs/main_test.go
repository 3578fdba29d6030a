package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The race detector makes allocations of its own, so nothing is counted here. The
// documents' test compares the page's output: it runs the program without the race
// detector.
func TestBothFormsEnd(t *testing.T) {
	for _, form := range []func(j *job.Job[int]) (end func()){goroutine, machine} {
		assert.NotZero(t, perWaiter(form))
	}
}
