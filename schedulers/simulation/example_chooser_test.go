package simulation_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// The newest turn first: each job runs before those that were started earlier.
func ExampleNewWith() {
	s := simulation.NewWith(func(turns []simulation.Turn) int { return len(turns) - 1 })
	ctx := s.Context(context.Background())
	for n := range 3 {
		job.Go(ctx, func(context.Context) error { fmt.Println("job", n); return nil })
	}
	fmt.Println(s.Run(), s.Trace())
	// Output:
	// job 2
	// job 1
	// job 0
	// <nil> 2/3 1/2
}

// Whether a request fails is a choice like any other.
func ExampleScheduler_Pick() {
	for seed := uint64(0); ; seed++ {
		s := simulation.New(seed)
		ctx := s.Context(context.Background())
		_, err := job.Go(ctx, func(context.Context) error {
			if s.Pick(2) == 1 {
				return errors.New("no connection")
			}
			return nil
		}).Wait(ctx)
		if err != nil {
			fmt.Println(err, s.Trace())
			return
		}
	}
	// Output: no connection 1/2
}

// A context ends at some point of the program, another one under each seed.
func ExampleInterrupt() {
	ends := map[int]bool{}
	for seed := range uint64(50) {
		ctx, cancel := context.WithCancel(context.Background())
		s := simulation.New(seed, simulation.Interrupt(cancel))
		steps := 0
		_ = s.Submit(do{"worker", func(schedulers.Worker) {
			for ctx.Err() == nil && steps < 3 {
				steps++
				job.Yield()
			}
		}}, schedulers.Hint{})
		if err := s.Run(); err != nil {
			fmt.Println(err)
		}
		ends[steps] = true
	}
	fmt.Println(ends)
	// Output: map[0:true 1:true 2:true 3:true]
}

func ExampleBetween() {
	stock := 1
	s := simulation.New(1, simulation.Between(func() error {
		if stock < 0 {
			return fmt.Errorf("the stock is %d", stock)
		}
		return nil
	}))
	ctx := s.Context(context.Background())
	for range 2 {
		job.Go(ctx, func(context.Context) error { stock--; return nil })
	}
	fmt.Println(s.Run())
	// Output: the stock is -1
}

func ExampleOnPanic() {
	s := simulation.New(1, simulation.OnPanic(func(p *simulation.Panic) {
		fmt.Println(p.Work, "has panicked:", p.Value)
	}))
	job.Go(s.Context(context.Background()), func(context.Context) error { panic("no such user") }, job.Named("login"))
	fmt.Println(s.Run())
	// Output:
	// login has panicked: no such user
	// <nil>
}

// A server that waits until its context ends is not a deadlock.
func ExampleIdle() {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := simulation.New(1, simulation.Settle(), simulation.Idle(func() bool {
		cancel(errors.New("all is done"))
		return true
	}))
	requests := job.NewSource[int]().Job()
	server := job.Go(s.Context(context.Background()), func(context.Context) error {
		_, _ = requests.Wait(ctx)
		return context.Cause(ctx)
	})
	fmt.Println(s.Run())
	_, err := server.GetResult()
	fmt.Println(err)
	// Output:
	// <nil>
	// all is done
}
