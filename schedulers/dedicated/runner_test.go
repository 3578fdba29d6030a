package dedicated_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestConformanceOfTheRunner(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler { return dedicated.NewRunner("") })
}

func TestEachLongRunningWorkHasAThreadOfItsOwn(t *testing.T) {
	const n = 5
	r := dedicated.NewRunner("lanes")
	var mu sync.Mutex
	threads, ids := map[int]bool{}, map[int]bool{}
	var met sync.WaitGroup
	met.Add(n)
	for range n {
		require.NoError(t, r.Submit(do(func(on schedulers.Worker) {
			met.Done()
			met.Wait() // all at the same time, without a limit
			mu.Lock()
			defer mu.Unlock()
			threads[dedicated.ThreadID()], ids[on.ID()] = true, true
			assert.Equal(t, schedulers.Scheduler(r), on.Scheduler())
		}), schedulers.Hint{}))
	}
	require.NoError(t, r.Shutdown(context.Background()))
	assert.Len(t, ids, n)
	if dedicated.ThreadID() != 0 {
		assert.Len(t, threads, n)
	}
	assert.Equal(t, "lanes", r.Name())
	assert.Zero(t, r.MaxConcurrency())
}

func ExampleRunner() {
	r := dedicated.NewRunner("import")
	_ = r.Submit(do(func(on schedulers.Worker) { fmt.Println("work", on.ID(), "has a thread") }), schedulers.Hint{})
	fmt.Println(r.Shutdown(context.Background()))
	// Output:
	// work 1 has a thread
	// <nil>
}
