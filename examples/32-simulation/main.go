// One seed, one schedule. Two jobs carelessly add to a counter: they read it, sleep, and write it.
// Whether an update gets lost depends on the order of their steps. The simulation tries one order
// per seed until one fails. That seed fails each time, and its list of choices can be kept and
// replayed. The sleeps take no time.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/simulation"
)

// add adds one to a counter in two steps.
func add(counter *int, pause time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		was := *counter
		if err := job.Sleep(ctx, pause); err != nil {
			return err
		}
		*counter = was + 1
		return nil
	}
}

// program is the program under test. It returns the counter, which should be 2.
func program(s *simulation.Scheduler) int {
	ctx := s.Context(context.Background())
	counter := 0
	_ = job.Go(ctx, add(&counter, time.Hour))
	_ = job.Go(ctx, func(ctx context.Context) error {
		if err := job.Sleep(ctx, time.Hour); err != nil { // wakes up when the other one does
			return err
		}
		return add(&counter, time.Minute)(ctx)
	})
	if err := s.Run(); err != nil {
		fmt.Println(err)
	}
	return counter
}

func main() {
	seed := uint64(0)
	for program(simulation.New(seed)) == 2 {
		seed++
	}
	failing := simulation.New(seed)
	fmt.Println("a seed that loses an update was found; the counter is", program(failing), "after", failing.Now())
	again := simulation.New(seed)
	fmt.Println("the same seed again:", program(again), "same choices:", again.Trace().String() == failing.Trace().String())

	text := failing.Trace().String() // for a file, or a report
	trace, err := simulation.ParseTrace(text)
	fmt.Println("replayed from text:", program(simulation.Replay(trace)), err)
}
