package main

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// a timeout of the operation
	//   the operation ends: ten milliseconds are over
	//   0 context deadline exceeded: ten milliseconds are over
	// a timeout of the wait
	//   the wait ends: true the operation ended: false
	//   42 <nil>
	// a cleanup after the timeout
	//   the operation ends: context deadline exceeded
	//   the cleanup: 42 <nil>
	//   0 context deadline exceeded
}

// TestATimeoutOfTheWaitIsCheap compares the memory of waits that are bounded in three ways.
func TestATimeoutOfTheWaitIsCheap(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var s job.Source[int]
	bytes := func(wait func() any) int64 {
		const n = 10_000
		waits := make([]any, n)
		before := heap()
		for i := range waits {
			waits[i] = wait()
		}
		defer runtime.KeepAlive(waits)
		return (heap() - before) / n
	}
	none := bytes(func() any { return job.WaitAsync(ctx, s.Job()) })
	ofWait := bytes(func() any { return job.WaitTimeout(ctx, s.Job(), time.Hour) })
	ofOperation := bytes(func() any {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		return []any{cancel, job.WaitAsync(ctx, s.Job())}
	})
	ofJob := bytes(func() any {
		ctx, cancel := job.WithTimeout(ctx, time.Hour)
		return []any{cancel, job.WaitAsync(ctx, s.Job())}
	})
	t.Logf("%d without a timeout, %d with one of the wait, %d with job.WithTimeout, %d with context.WithTimeout", none, ofWait, ofJob, ofOperation)
	assert.Less(t, ofWait-none, int64(96))
	assert.Less(t, ofJob-none, int64(400))
	assert.Greater(t, ofOperation-none, int64(500))
	s.TrySetResult(1)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
