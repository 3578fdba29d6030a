package future_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/docs/book/code/own/future"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	f := future.New[string]()
	go f.Complete("tea", nil)
	fmt.Println(f.Wait())
	// Output: tea <nil>
}

func TestTheFirstResultCounts(t *testing.T) {
	f, lost := future.New[int](), errors.New("lost")
	assert.True(t, f.Complete(1, lost))
	assert.False(t, f.Complete(2, nil))
	v, err := f.Wait()
	assert.Equal(t, 1, v)
	assert.ErrorIs(t, err, lost)
}

// Exercise 1: one, however many try.
func TestExercise1OfManyThatCompleteOneIsFirst(t *testing.T) {
	f := future.New[int]()
	var firsts atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if f.Complete(i, nil) {
				firsts.Add(1)
			}
		})
		all.Go(func() { _, _ = f.Wait() })
	}
	all.Wait()
	assert.EqualValues(t, 1, firsts.Load())
}
