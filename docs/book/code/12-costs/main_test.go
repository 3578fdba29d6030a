package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The race detector makes allocations of its own, so nothing is counted here: the page's output is compared by
// the documents' test, which runs the program without it.
func TestBothFormsEnd(t *testing.T) {
	for _, form := range []func(j *job.Job[int]) (end func()){goroutine, machine} {
		assert.NotZero(t, perWaiter(form))
	}
}
