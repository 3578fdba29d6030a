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
	type wait struct {
		job    any
		cancel context.CancelFunc
	}
	bytes := func(begin func() wait) int64 {
		const n = 10_000
		waits := make([]wait, n)
		before := heap()
		for i := range waits {
			waits[i] = begin()
		}
		defer runtime.KeepAlive(waits)
		return (heap() - before) / n
	}
	none := bytes(func() wait { return wait{job: job.WaitAsync(ctx, s.Job())} })
	ofWait := bytes(func() wait { return wait{job: job.WaitTimeout(ctx, s.Job(), time.Hour)} })
	ofOperation := bytes(func() wait {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		return wait{job.WaitAsync(ctx, s.Job()), cancel}
	})
	ofJob := bytes(func() wait {
		ctx, cancel := job.WithTimeout(ctx, time.Hour)
		return wait{job.WaitAsync(ctx, s.Job()), cancel}
	})
	ofValue := bytes(func() wait {
		ctx, cancel := job.WithTimeout(ctx, time.Hour)
		return wait{job.WaitAsync(context.WithValue(ctx, key{}, nil), s.Job()), cancel}
	})
	t.Logf("%d without a timeout, %d with one of the wait, %d with job.WithTimeout, %d with a value too, %d with context.WithTimeout",
		none, ofWait, ofJob, ofValue, ofOperation)
	assert.Less(t, ofWait-none, int64(32))
	assert.LessOrEqual(t, ofJob-none, int64(96+8+2), "the context with its cancel function, and its place in the queue of timers")
	assert.LessOrEqual(t, ofValue-ofJob, int64(48+2), "what context.WithValue makes")
	assert.Greater(t, ofOperation-none, int64(500))
	s.TrySetResult(1)
}

type key struct{}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
