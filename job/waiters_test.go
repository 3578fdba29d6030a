package job_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestAllWaitersAreCounted(t *testing.T) {
	ctx := context.Background()
	s := job.NewSource[int]()
	plus := func(_ context.Context, n int) (int, error) { return n + 1, nil }
	var ends []job.Handle
	for range 30 {
		one := job.Then(ctx, s.Job(), plus)
		ends = append(ends, job.Then(ctx, one, plus))
	}
	all := job.WhenAll(s.Job(), job.Then(ctx, s.Job(), plus))
	ends = append(ends, all)
	groups := inspect.Waiters(s.Job())
	var text []string
	for _, g := range groups {
		line := fmt.Sprint(g.Count)
		for _, f := range g.Stack {
			line += " " + f.What
		}
		text = append(text, line)
	}
	assert.Equal(t, "30 continuation continuation", text[0])
	assert.ElementsMatch(t, []string{"30 continuation continuation", "1 WhenAll", "1 continuation WhenAll"}, text)
	s.TrySetResult(1)
	for _, j := range ends {
		<-j.Done()
	}
	assert.Empty(t, inspect.Waiters(s.Job()))
	assert.Empty(t, inspect.Waiters(nil))
}

// counted returns the groups of j's waiters, a line each.
func counted(j job.Handle) []string {
	var lines []string
	for _, g := range inspect.Waiters(j) {
		line := fmt.Sprint(g.Count)
		for _, f := range g.Stack {
			line += " " + f.What + " " + f.Job
		}
		lines = append(lines, line)
	}
	return lines
}

// A worker runs a job for another job that waits for it. The first one suspends, and the
// other one continues to wait: it is a waiter all the time, and counted once.
func TestAJobThatRunsAnotherIsItsWaiterOnce(t *testing.T) {
	for name, starts := range map[string]bool{"its own": true, "another's": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pool.New(pool.Workers(1, 1))
				runsAnother(t, schedulers.With(context.Background(), p), starts)
				require.NoError(t, p.Shutdown(context.Background()))
			})
		})
	}
}

func runsAnother(t *testing.T, ctx context.Context, starts bool) {
	suspended := make(later[int], 1)
	var during []string
	var inner *job.Job[int]
	begin := func(ctx context.Context) *job.Job[int] {
		return job.Run(ctx, func(ctx context.Context) (int, error) {
			during = counted(inner)
			return suspended.fn(ctx)
		})
	}
	handed := make(chan struct{})
	outer := job.Run(ctx, func(inside context.Context) (int, error) {
		if starts {
			inner = begin(inside)
		} else {
			<-handed
		}
		return inner.Wait(inside)
	}, job.Named("outer"))
	if !starts {
		inner = begin(ctx)
		close(handed)
	}
	end := <-suspended
	synctest.Wait() // until the worker has parked
	assert.Equal(t, []string{`1 job "outer"`}, during)
	assert.Equal(t, during, counted(inner))
	end.Return(7, nil).Deliver(nil)
	n, err := outer.Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 7, n)
}

func ExampleWaiters() {
	s := job.NewSource[int]()
	for range 3 {
		job.Race(s.Job())
	}
	for _, g := range inspect.Waiters(s.Job()) {
		fmt.Println(g.Count, g.Stack[0].What)
	}
	// Output: 3 Race
}
