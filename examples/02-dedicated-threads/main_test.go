package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers/dedicated"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	jobs, err := sixJobs(context.Background())
	fmt.Println(len(jobs), "jobs,", distinct(jobs, func(r ran) int { return r.worker }), "workers,", err)
	// Output: 6 jobs, 2 workers, <nil>
}

func TestSixJobsRunOnTwoOSThreads(t *testing.T) {
	jobs, err := sixJobs(context.Background())
	require.NoError(t, err)
	threads := map[int]int{} // worker → thread
	for _, r := range jobs {
		if before, ok := threads[r.worker]; ok {
			assert.Equal(t, before, r.thread, "a worker stays on its thread")
		}
		threads[r.worker] = r.thread
	}
	assert.Len(t, threads, 2)
	if dedicated.ThreadID() != 0 { // 0: this system does not tell
		assert.NotEqual(t, threads[1], threads[2])
	}
}
