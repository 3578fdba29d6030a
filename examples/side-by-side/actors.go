package main

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// Accounts that each do one thing after another, and most of which are idle. A few tellers move
// money between them.
const (
	tellers   = 4
	transfers = 10_000 // of each teller
)

// balances holds the accounts' balances. Only an account's actor touches its balance.
type balances []int

// state is the balances as one number.
func (b balances) state() (sum int) {
	for i, v := range b {
		sum += (i%1000 + 1) * v
	}
	return sum
}

func actorsWithGoroutines(_ context.Context, accounts int) (int, error) {
	b := make(balances, accounts)
	mailboxes := make([]chan int, accounts)
	var actors, all sync.WaitGroup
	for i := range mailboxes {
		mailbox := make(chan int)
		mailboxes[i] = mailbox
		actors.Go(func() {
			for amount := range mailbox {
				b[i] += amount
			}
		})
	}
	for t := range uint64(tellers) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, t))
			for range transfers {
				from, to := random.IntN(accounts), random.IntN(accounts)
				mailboxes[from] <- -1
				mailboxes[to] <- 1
			}
		})
	}
	all.Wait()
	for _, mailbox := range mailboxes {
		close(mailbox)
	}
	actors.Wait()
	return b.state(), nil
}

//movenext:async
func actorsWithMachines(ctx context.Context, accounts int) (int, error) {
	b := make(balances, accounts)
	var actors coord.Serial[int] // an account without work takes no memory
	err := job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		for t := range uint64(tellers) {
			s.Go(func(ctx context.Context) error { return tell(ctx, &actors, b, rand.New(rand.NewPCG(1, t))) })
		}
		return nil
	})
	return b.state(), err
}

//movenext:async
func tell(ctx context.Context, actors *coord.Serial[int], b balances, random *rand.Rand) error {
	for range transfers {
		from, to := random.IntN(len(b)), random.IntN(len(b))
		if err := actors.Do(ctx, from, func(context.Context) error { b[from]--; return nil }); err != nil {
			return err
		}
		if err := actors.Do(ctx, to, func(context.Context) error { b[to]++; return nil }); err != nil {
			return err
		}
	}
	return nil
}
