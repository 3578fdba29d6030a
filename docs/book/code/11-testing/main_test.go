package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// a seed finds the bug: balance -60
	// again, from its trace: balance -60
	// 10 tries, 45m0s later, <nil> in less than a minute: true
}

// The oracle: the plain form defines what the machine has to do. Each form gets its own account.
func TestBothFormsDoTheSame(t *testing.T) {
	ctx := context.Background()
	for _, amount := range []int{0, 80, 100, 101} {
		plain, machine := &account{balance: 100}, &account{balance: 100}
		want := plain.withdraw(ctx, amount)
		_, err := machine.withdrawAsync(ctx, amount).Wait(ctx)
		assert.Equal(t, want, err)
		assert.Equal(t, plain.balance, machine.balance)
	}
}

// add awaits between reading and writing.
//
//movenext:async
func add(sum *int, part *job.Job[int]) error {
	before := *sum
	n, err := part.Await()
	*sum = before + n
	return err
}

// The gate: a source completes when the test says so, so the test decides the order of
// two machines.
func TestTheSecondAdditionOverwritesTheFirst(t *testing.T) {
	ctx, sum := context.Background(), 0
	a, b := job.NewSource[int](), job.NewSource[int]()
	first, second := addAsync(&sum, a.Job()), addAsync(&sum, b.Job())
	a.TrySetResult(1)
	_, err := first.Wait(ctx)
	require.NoError(t, err)
	b.TrySetResult(2)
	_, err = second.Wait(ctx)
	require.NoError(t, err)
	assert.Equal(t, 2, sum, "the bug, every time")
}

// Exercise 1: the standard library's bubbles also have their own clock. The scheduler has to be
// made inside the bubble, because timers belong to it.
func TestExercise1ABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool.New()
		ctx := schedulers.With(t.Context(), p)
		began, tries := time.Now(), 0
		_, err := retryAsync(ctx, func() error {
			if tries++; tries < 10 {
				return errors.New("not yet")
			}
			return nil
		}).Wait(ctx)
		require.NoError(t, err)
		assert.Equal(t, 45*time.Minute, time.Since(began))
		require.NoError(t, p.Shutdown(ctx))
	})
}

// guarded is exercise 2: the lock is held from the check to the update, across the suspension
// between them.
type guarded struct {
	mu      coord.Mutex
	balance int
}

//movenext:async
func (g *guarded) withdraw(ctx context.Context, amount int) error {
	if err := g.mu.Lock(ctx); err != nil {
		return err
	}
	defer g.mu.Unlock()
	if g.balance < amount {
		return errTooLittle
	}
	job.Yield()
	g.balance -= amount
	return nil
}

// Exercise 2: all schedules are tried, since there are few. So this is a proof, for two
// customers.
func TestExercise2NoScheduleOverdrawsAGuardedAccount(t *testing.T) {
	jobtest.Explore(t, func(ctx context.Context) error {
		g := &guarded{balance: 100}
		// One has to fail.
		_, _ = job.WhenAll(g.withdrawAsync(ctx, 80), g.withdrawAsync(ctx, 80)).Wait(ctx)
		if g.balance != 20 {
			return fmt.Errorf("balance %d", g.balance)
		}
		return nil
	}, jobtest.Exhaustive(0))
}
