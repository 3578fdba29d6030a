package job

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/linear"
)

// sourceModel is a source: its state is the value that was set, or nothing.
func sourceModel(state []int, c linear.Call) ([]int, bool) {
	switch {
	case c.Op == "set" && c.OK:
		return []int{c.Arg}, len(state) == 0
	case c.Op == "set":
		return state, len(state) == 1
	case c.OK: // a read that saw the end
		return state, len(state) == 1 && state[0] == c.Got
	}
	return state, len(state) == 0
}

const (
	setError  = -1
	setCancel = -2
)

// set completes the source with a value, an error or a cancellation.
func set(h *linear.History, s *Source[int], v int) {
	c := h.Begin("set", v)
	switch v {
	case setError:
		c.End(0, s.TrySetError(errors.New("no")))
	case setCancel:
		c.End(0, s.TrySetCanceled())
	default:
		c.End(0, s.TrySetResult(v))
	}
}

// read records the outcome that the job reports.
func read(h *linear.History, j *Job[int]) {
	c := h.Begin("read", 0)
	switch j.Status() {
	case Completed:
		v, _ := j.GetResult()
		c.End(v, true)
	case Faulted:
		c.End(setError, true)
	case Canceled:
		c.End(setCancel, true)
	default:
		c.End(0, false)
	}
}

// explained checks that some order of the calls explains the history of a source.
func explained(h *linear.History) error {
	if !h.Linearizable(nil, sourceModel, func(state []int) bool { return len(state) == 1 }) {
		return fmt.Errorf("no order explains %+v", h.Calls())
	}
	return nil
}

func TestASourceIsLinearizable(t *testing.T) {
	for range 300 {
		h, s := new(linear.History), NewSource[int]()
		var all sync.WaitGroup
		for _, v := range []int{1, 2, setError, setCancel} {
			all.Go(func() {
				read(h, s.Job())
				set(h, s, v)
				read(h, s.Job())
			})
		}
		all.Wait()
		require.NoError(t, explained(h))
	}
}

func TestASourceThatEndsTwiceIsNotExplained(t *testing.T) {
	h := new(linear.History)
	h.Begin("set", 1).End(0, true)
	h.Begin("set", 2).End(0, true)
	require.Error(t, explained(h))
}
