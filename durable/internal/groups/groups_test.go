package groups_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable/internal/groups"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// writes is a queue whose writes wait until they may go on.
type writes struct {
	groups.Queue[int]
	begun [][]int
	goOn  chan error
}

func newWrites() *writes {
	w := &writes{goOn: make(chan error)}
	w.Write = func(ctx context.Context, _ string, group []int) error {
		w.begun = append(w.begun, group)
		select {
		case err := <-w.goOn:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return w
}

// do starts a write, and returns its answer when it is there.
func (w *writes) do(ctx context.Context, key string, n int) chan error {
	answer := make(chan error, 1)
	go func() { answer <- w.Do(ctx, key, n) }()
	synctest.Wait()
	return answer
}

func TestWritesThatMeetAreMadeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWrites()
		var answers []chan error
		for n := range 4 {
			answers = append(answers, w.do(t.Context(), "a", n))
		}
		other := w.do(t.Context(), "b", 9)
		assert.Equal(t, [][]int{{0}, {9}}, w.begun, "another key does not wait")
		failure := errors.New("failure")
		for range 3 {
			w.goOn <- failure
			synctest.Wait()
		}
		for _, answer := range append(answers, other) {
			assert.ErrorIs(t, <-answer, failure)
		}
		assert.Equal(t, [][]int{{0}, {9}, {1, 2, 3}}, w.begun)
		w.Close()
		assert.ErrorIs(t, w.Do(t.Context(), "a", 0), groups.ErrClosed)
	})
}

func TestManyWritesAreMadeInGroups(t *testing.T) {
	var q groups.Queue[int]
	sum, next := 0, map[string]int{}
	release := make(chan struct{})
	q.Write = func(_ context.Context, key string, group []int) error {
		<-release
		for _, n := range group {
			assert.LessOrEqual(t, next[key], n, "in the order of a caller")
			next[key], sum = n, sum+1
		}
		return nil
	}
	synctest.Test(t, func(t *testing.T) {
		release = make(chan struct{})
		for n := range 1000 {
			go func() { assert.NoError(t, q.Do(t.Context(), "a", n)) }()
			synctest.Wait()
		}
		close(release)
		synctest.Wait()
		q.Close()
	})
	assert.Equal(t, 1000, sum)
}

func TestACallerThatGoesLeavesTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWrites()
		gone := errors.New("gone")
		var cancels []context.CancelCauseFunc
		do := func(n int) chan error {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancels = append(cancels, cancel)
			return w.do(ctx, "a", n)
		}
		first, second, third, fourth := do(0), do(1), do(2), do(3)
		cancels[1](gone)
		assert.ErrorIs(t, <-second, gone)
		w.goOn <- nil
		assert.NoError(t, <-first)
		synctest.Wait()
		assert.Equal(t, [][]int{{0}, {2, 3}}, w.begun, "it is not written")
		cancels[2](gone)
		assert.ErrorIs(t, <-third, gone)
		synctest.Wait()
		select {
		case err := <-fourth:
			assert.Fail(t, fmt.Sprint("the write has ended: ", err))
		default:
		}
		cancels[3](gone)
		assert.ErrorIs(t, <-fourth, gone)
		w.Close()
		assert.ErrorIs(t, w.Do(context.Background(), "a", 4), groups.ErrClosed)
	})
}

func TestACallWhoseContextHasEndedWritesNothing(t *testing.T) {
	w := newWrites()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, w.Do(ctx, "a", 1), context.Canceled)
	assert.Empty(t, w.begun)
}
