package job_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/job"
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
	groups := job.Waiters(s.Job())
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
	assert.Empty(t, job.Waiters(s.Job()))
	assert.Empty(t, job.Waiters(nil))
}

func ExampleWaiters() {
	s := job.NewSource[int]()
	for range 3 {
		job.Race(s.Job())
	}
	for _, g := range job.Waiters(s.Job()) {
		fmt.Println(g.Count, g.Stack[0].What)
	}
	// Output: 3 Race
}
