package goroutine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler { return goroutine.New() })
}

// A hundred work items that all wait for one another end only if each has a goroutine.
func TestWorksThatAllWaitForOneAnotherEnd(t *testing.T) {
	const n = 100
	s := goroutine.New()
	ctx := schedulers.With(context.Background(), s)
	var met sync.WaitGroup
	met.Add(n)
	var jobs []*job.Job[int]
	for range n {
		jobs = append(jobs, job.Run(ctx, func(ctx context.Context) (int, error) {
			met.Done()
			met.Wait()
			return schedulers.WorkerFrom(ctx).ID(), nil
		}))
	}
	ids, err := job.WhenAll(jobs...).Wait(ctx)
	require.NoError(t, err)
	seen := map[int]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	assert.Len(t, seen, n, "works that run at the same time have different workers")
	require.NoError(t, s.Shutdown(ctx))
}

func Example() {
	s := goroutine.New()
	ctx := schedulers.With(context.Background(), s)

	// The three jobs wait for one another; each has a goroutine, so none blocks the others.
	var met sync.WaitGroup
	met.Add(3)
	var jobs []*job.Job[string]
	for _, name := range []string{"ann", "bob", "cy"} {
		jobs = append(jobs, job.Run(ctx, func(context.Context) (string, error) {
			met.Done()
			met.Wait()
			return name, nil
		}))
	}
	fmt.Println(job.WhenAll(jobs...).Wait(ctx))
	fmt.Println(s.Shutdown(ctx))
	// Output:
	// [ann bob cy] <nil>
	// <nil>
}
