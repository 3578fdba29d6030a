// How a worker falls asleep without missing the work that comes at that moment: two
// protocols, each run in every possible order.
package main

import "fmt"

// submitter puts work into the queue and wakes the worker if it says that it sleeps.
var submitter = []step{
	func(s *state) int { s.queued++; return 1 },
	func(s *state) int { s.woken = s.sleeping; return ended },
}

// lookThenSleep is the obvious worker.
var lookThenSleep = []step{
	look(1),
	func(s *state) int { s.sleeping = true; return 2 },
	park,
}

// lookAgain first announces that it sleeps, and then looks.
var lookAgain = []step{
	func(s *state) int { s.sleeping = true; return 1 },
	look(2),
	park,
}

// look takes work and ends; if there is none, it continues at step otherwise.
func look(otherwise int) step {
	return func(s *state) int {
		if s.queued == 0 {
			return otherwise
		}
		s.queued--
		s.sleeping = false
		return ended
	}
}

func park(s *state) int { s.parked = true; return 2 }

func main() {
	for _, p := range []struct {
		name   string
		worker []step
	}{{"look, then sleep:", lookThenSleep}, {"say so, look again, sleep:", lookAgain}} {
		orders, lost := explore(protocol{p.worker, submitter}, state{}, "")
		fmt.Println(p.name, orders, "orders, loses work in:", lost)
	}
}
