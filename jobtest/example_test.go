package jobtest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

// printer is a test that prints the first line of its failure. In real tests, use the t of the
// test.
type printer struct{ testing.TB }

func (printer) Helper()      {}
func (printer) Failed() bool { return false }

func (printer) Logf(format string, args ...any) { firstLine(format, args...) }

func (printer) Errorf(format string, args ...any) { firstLine(format, args...) }

func firstLine(format string, args ...any) {
	line, _, _ := strings.Cut(fmt.Sprintf(format, args...), "\n")
	fmt.Println(line)
}

// race starts two jobs, and fails if the second one is first.
func race(ctx context.Context) error {
	winner := ""
	for _, name := range []string{"ann", "bob"} {
		job.Go(ctx, func(context.Context) error {
			if winner == "" {
				winner = name
			}
			return nil
		})
	}
	job.Yield()
	if winner == "bob" {
		return errors.New("bob wins")
	}
	return nil
}

func ExampleExplore() {
	var t printer
	jobtest.Explore(t, race)
	// Output: seed 0, schedule 1 (PCT, depth 1): an error: bob wins
}

func ExampleRun() {
	var t printer
	jobtest.Run(t, func(ctx context.Context) error {
		return job.Sleep(ctx, 100*time.Hour) // takes no time
	})
	jobtest.Run(t, func(context.Context) error { return errors.New("the reply is wrong") })
	// Output: seed 0 (random): an error: the reply is wrong
}

func ExampleExhaustive() {
	var t printer
	jobtest.Explore(t, func(ctx context.Context) error {
		for range 3 {
			job.Go(ctx, func(context.Context) error { return nil })
		}
		return nil
	}, jobtest.Exhaustive(0))
	// Output: complete: the program has 6 schedules, and none fails
}

// The given strategies take turns.
func ExamplePCT() {
	var t printer
	jobtest.Explore(t, func(context.Context) error { return nil },
		jobtest.PCT(2), jobtest.PCT(3), jobtest.POS, jobtest.Random,
		jobtest.Schedules(100), jobtest.Steps(1000), jobtest.Seed(7))
	// Output: 100 schedules without a failure
}

// A pause is usually long enough. A step may take longer.
func ExampleStepTime() {
	var t printer
	program := func(ctx context.Context) error {
		sent := false
		job.Go(ctx, func(context.Context) error { sent = true; return nil })
		if err := job.Sleep(ctx, time.Second); err != nil || sent {
			return err
		}
		return errors.New("not sent after a second")
	}
	jobtest.Explore(t, program)
	jobtest.Explore(t, program, jobtest.StepTime(0))
	// Output:
	// seed 0, schedule 3 (POS): an error: not sent after a second
	// complete: the program has 1 schedule, and none fails
}

func ExampleInvariant() {
	var t printer
	stock := 0
	jobtest.Explore(t, func(ctx context.Context) error {
		stock = 1
		for range 2 {
			job.Go(ctx, func(context.Context) error { stock--; return nil })
		}
		return nil
	}, jobtest.Invariant(func() error {
		if stock < 0 {
			return fmt.Errorf("the stock is %d", stock)
		}
		return nil
	}))
	// Output: seed 0, schedule 0 (exhaustive): a broken invariant: the stock is -1
}

// In a fuzz target: f.Fuzz(func(t *testing.T, choices []byte) { … }).
func ExampleChoices() {
	var t printer
	jobtest.Run(t, race, jobtest.Choices([]byte{0}))
	jobtest.Run(t, race, jobtest.Choices([]byte{1, 2}))
	// Output: seed 0 (given): an error: bob wins
}

// The store fails at the one point where the program does not expect it.
func ExampleFault() {
	var t printer
	jobtest.Explore(t, transfers, jobtest.Faults("store is full"))
	// Output: seed 0, schedule 1 (PCT, depth 1): an error: money is lost
}
