package simulation_test

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/simulation"
)

// A wrong schedule is searched for, found, and kept as text.
func Example() {
	race := func(s *simulation.Scheduler) (winner string) {
		ctx := s.Context(context.Background())
		for _, name := range []string{"ann", "bob"} {
			job.Go(ctx, func(context.Context) error {
				if winner == "" {
					winner = name
				}
				return nil
			})
		}
		if err := s.Run(); err != nil {
			fmt.Println(err)
		}
		return winner
	}
	for seed := uint64(0); ; seed++ {
		s := simulation.New(seed)
		if race(s) == "bob" {
			fmt.Println("bob wins in the schedule", s.Trace())
			fmt.Println("again:", race(simulation.Replay(s.Trace())))
			return
		}
	}
	// Output:
	// bob wins in the schedule 1/2
	// again: bob
}

func ExampleScheduler_Context() {
	s := simulation.New(1)
	ctx := s.Context(context.Background())

	answer := job.Run(ctx, func(ctx context.Context) (int, error) {
		return 42, job.Sleep(ctx, 100*365*24*time.Hour)
	})
	fmt.Println(answer.Wait(ctx)) // drives the simulation
	fmt.Println("after", s.Now())
	// Output:
	// 42 <nil>
	// after 876000h0m0s
}
