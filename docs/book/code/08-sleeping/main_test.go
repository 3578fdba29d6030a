package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// look, then sleep: 8 orders, loses work in: WSSWW
	// say so, look again, sleep: 8 orders, loses work in:
}

// Exercise 1: the submitter checks whether the worker sleeps before it puts the work into the
// queue.
func TestExercise1AskingFirstLosesWork(t *testing.T) {
	asleep := false
	asksFirst := []step{
		func(s *state) int { asleep = s.sleeping; return 1 },
		func(s *state) int { s.queued++; return 2 },
		func(s *state) int { s.woken = asleep; return ended },
	}
	_, lost := explore(protocol{lookAgain, asksFirst}, state{}, "")
	assert.NotEmpty(t, lost)
}

// Exercise 2: one atomic step for "the queue is empty, and I sleep", and one for
// "put it in, and is the worker asleep?". That is what a lock is: the two cannot
// overlap, and the obvious worker is right.
func TestExercise2WithALockTheObviousWorkerIsRight(t *testing.T) {
	underLock := protocol{
		worker: []step{
			func(s *state) int {
				next := look(1)(s)
				s.sleeping = next != ended
				return next
			},
			func(s *state) int { s.parked = true; return 1 },
		},
		submitter: []step{func(s *state) int {
			s.queued++
			s.woken = s.sleeping
			return ended
		}},
	}
	_, lost := explore(underLock, state{}, "")
	assert.Empty(t, lost)
}
