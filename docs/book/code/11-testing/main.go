// Four ways to test concurrent code: the oracle, a gate, a seed, and a virtual clock.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/simulation"
)

//go:generate go tool movenext .

var errTooLittle = errors.New("too little money")

// account has a bug: others may run between its check and its update.
type account struct{ balance int }

// withdraw takes money from the account, if there is enough.
//
//movenext:async
func (a *account) withdraw(ctx context.Context, amount int) error {
	if a.balance < amount {
		return errTooLittle
	}
	job.Yield() // in a real program: calls a bank
	a.balance -= amount
	return nil
}

// balanceAfter lets two withdrawals of 80 from an account of 100 run in the order
// of a seed.
func balanceAfter(s *simulation.Scheduler) int {
	ctx := s.Context(context.Background())
	a := &account{balance: 100}
	customer := func(ctx context.Context) error {
		_, err := a.withdrawAsync(ctx, 80).Wait(ctx)
		return err
	}
	_, _ = job.WhenAllOf(job.Go(ctx, customer), job.Go(ctx, customer)).Wait(ctx)
	return a.balance
}

// retry calls the operation until it succeeds, and waits a minute longer each time.
//
//movenext:async
func retry(ctx context.Context, operation func() error) error {
	for pause := time.Minute; ; pause += time.Minute {
		err := operation()
		if err == nil {
			return nil
		}
		if err := job.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

func main() {
	for seed := range uint64(100) {
		s := simulation.New(seed)
		if balance := balanceAfter(s); balance < 0 {
			fmt.Println("a seed finds the bug: balance", balance)
			fmt.Println("again, from its trace: balance", balanceAfter(simulation.Replay(s.Trace())))
			break
		}
	}

	s := simulation.New(1)
	ctx := s.Context(context.Background())
	tries := 0
	began := time.Now()
	_, err := retryAsync(ctx, func() error {
		if tries++; tries < 10 {
			return errors.New("not yet")
		}
		return nil
	}).Wait(ctx)
	fmt.Println(tries, "tries,", s.Now(), "later,", err, "in less than a minute:", time.Since(began) < time.Minute)
}
