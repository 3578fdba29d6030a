package retry_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord/retry"
	"github.com/movenext/movenext/schedulers/simulation"
)

func ExampleDo() {
	calls := 0
	fetch := func(context.Context) (string, error) {
		if calls++; calls < 3 {
			return "", errors.New("busy")
		}
		return "a page", nil
	}
	policy := retry.Exponential(time.Millisecond, 10*time.Millisecond)
	page, err := retry.Do(context.Background(), policy, fetch, retry.Attempts(5), retry.Within(time.Minute))
	fmt.Println(page, err, calls)
	// Output: a page <nil> 3
}

// In virtual time the pauses take none.
func ExampleDo_virtualTime() {
	s := simulation.New(1)
	fetch := func(context.Context) (string, error) { return "", errors.New("busy") }
	j := retry.DoAsync(s.Context(context.Background()), retry.Constant(time.Hour), fetch, retry.Attempts(3))
	fmt.Println(s.Run(), j.Err(), s.Now())
	// Output: <nil> retry: gave up after attempt 3: busy 2h0m0s
}

func ExamplePermanent() {
	fetch := func(context.Context) (string, error) {
		return "", retry.Permanent(errors.New("no such page"))
	}
	_, err := retry.Do(context.Background(), retry.Constant(time.Second), fetch)
	fmt.Println(err)
	// Output: no such page
}

func ExampleSpending() {
	budget := retry.NewBudget(0.1, 1) // for all callers of a server
	fetch := func(context.Context) (string, error) { return "", errors.New("busy") }
	for range 2 {
		_, err := retry.Do(context.Background(), retry.Constant(0), fetch, retry.Attempts(2), retry.Spending(budget))
		fmt.Println(err, errors.Is(err, retry.ErrBudget))
	}
	// Output:
	// retry: gave up after attempt 2: busy false
	// retry: the budget is spent after attempt 1: busy true
}

func ExampleNotify() {
	fetch := func(context.Context) (string, error) { return "", errors.New("busy") }
	_, err := retry.Do(context.Background(), retry.Constant(time.Millisecond), fetch, retry.Attempts(3),
		retry.Notify(func(f retry.Failure) { fmt.Printf("attempt %d: %v, again in %v\n", f.Attempt, f.Err, f.Pause) }))
	fmt.Println(err)
	// Output:
	// attempt 1: busy, again in 1ms
	// attempt 2: busy, again in 1ms
	// retry: gave up after attempt 3: busy
}

func ExampleHedge() {
	calls := make(chan int, 2)
	calls <- 1
	calls <- 2
	fetch := func(ctx context.Context) (string, error) {
		call := <-calls
		if call == 1 { // is slow
			<-ctx.Done()
			return "", ctx.Err()
		}
		return fmt.Sprint("a page from call ", call), nil
	}
	fmt.Println(retry.Hedge(context.Background(), retry.Constant(time.Millisecond), fetch, retry.Attempts(2)))
	// Output: a page from call 2 <nil>
}
