package main

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// flag and list: completed true resumed false
	// one word: step 4 succeeds false then added false
}

// Each node is resumed once or refused, whichever goroutine wins.
func TestAddAndCompleteAtOnce(t *testing.T) {
	for range 1000 {
		var l list
		var resumed, refused atomic.Int32
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if !l.add(&node{resume: func() { resumed.Add(1) }}) {
					refused.Add(1)
				}
			})
		}
		group.Go(l.complete)
		group.Wait()
		assert.EqualValues(t, 4, resumed.Load()+refused.Load())
	}
}

// A waiter that is resumed waits again with the same node, and those behind it are resumed all the
// same.
func TestAWaiterMayWaitAgain(t *testing.T) {
	var first, second list
	var log []string
	waiter := func(name string) *node { return &node{resume: func() { log = append(log, name) }} }
	again := &node{}
	again.resume = func() {
		log = append(log, "again")
		if len(log) < 4 {
			second.add(again)
		}
	}
	second.add(waiter("other"))
	first.add(waiter("oldest"))
	first.add(again)
	first.complete()
	assert.Equal(t, []string{"again", "oldest"}, log)
	second.complete()
	assert.Equal(t, []string{"again", "oldest", "again", "other"}, log)
}

// inOrder is exercise 1: the list is a stack, so its nodes come newest first. To deliver them in
// the order of registration, reverse the stack once no other goroutine can reach it.
func inOrder(newest *node) (oldest *node) {
	for n := newest; n != nil; {
		next := n.next
		n.next = oldest
		oldest, n = n, next
	}
	return oldest
}

func TestExercise1InTheOrderOfAdding(t *testing.T) {
	var l list
	var log []int
	for i := range 3 {
		l.add(&node{resume: func() { log = append(log, i) }})
	}
	for n := inOrder(l.head.Swap(closed)); n != nil; {
		next := n.next // as in complete
		n.resume()
		n = next
	}
	assert.Equal(t, []int{0, 1, 2}, log)
}

// Exercise 2: a node that is added twice at once makes a cycle, and complete would not
// end.
func TestExercise2ANodeIsInOneListOnce(t *testing.T) {
	var l list
	n := &node{resume: func() {}}
	l.add(n)
	l.add(n)
	assert.Same(t, n, n.next)
}
