package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestShop(t *testing.T) {
	jobtest.Explore(t, func(ctx context.Context) error {
		s := &shop{stock: 2}
		customers := []*job.Job[job.Void]{s.buyLockedAsync(ctx), s.buyLockedAsync(ctx), s.buyLockedAsync(ctx)}
		if _, err := job.WhenAll(customers...).Wait(ctx); err != nil {
			return err
		}
		if s.sold != 2 {
			return fmt.Errorf("sold %d of 2", s.sold)
		}
		return nil
	})
}

func TestACustomerThatLeavesHoldsNoLock(t *testing.T) {
	jobtest.Explore(t, func(ctx context.Context) error {
		s := &shop{stock: 2}
		_, err := job.WhenAll(s.buyLockedAsync(ctx), s.buyLockedAsync(ctx)).Wait(context.WithoutCancel(ctx))
		if !s.mu.TryLock() {
			return errors.New("the lock is held")
		}
		return err
	}, jobtest.CancelEverywhere, jobtest.Schedules(200))
}

func TestTheStockIsNeverBelowZero(t *testing.T) {
	s := new(shop)
	jobtest.Explore(t, func(ctx context.Context) error {
		*s = shop{stock: 1}
		_, err := job.WhenAll(s.buyLockedAsync(ctx), s.buyLockedAsync(ctx)).Wait(ctx)
		return err
	}, jobtest.Invariant(func() error {
		if s.stock < 0 {
			return fmt.Errorf("the stock is %d", s.stock)
		}
		return nil
	}))
}

func FuzzShop(f *testing.F) {
	f.Add([]byte{1, 0, 2})
	f.Fuzz(func(t *testing.T, choices []byte) {
		jobtest.Run(t, func(ctx context.Context) error {
			s := &shop{stock: 1}
			_, err := job.WhenAll(s.buyLockedAsync(ctx), s.buyLockedAsync(ctx)).Wait(ctx)
			if s.sold > 1 {
				return fmt.Errorf("sold %d of 1", s.sold)
			}
			return err
		}, jobtest.Choices(choices))
	})
}

// noted is a test that notes how it fails.
type noted struct {
	testing.TB
	text string
}

func (*noted) Helper() {}

func (n *noted) Errorf(_ string, args ...any) { n.text = fmt.Sprint(args...) }

// The page shows this failure.
func TestWithoutALockTheLastOneIsSoldTwice(t *testing.T) {
	n := &noted{TB: t}
	jobtest.Explore(n, func(ctx context.Context) error {
		s := &shop{stock: 1}
		_, _ = job.WhenAll(s.buyAsync(ctx), s.buyAsync(ctx)).Wait(ctx)
		if s.sold > 1 {
			return fmt.Errorf("sold %d of 1", s.sold)
		}
		return nil
	})
	t.Log(n.text)
	require.NotEmpty(t, n.text)
	assert.True(t, strings.HasPrefix(n.text, "seed 0, schedule 0 (exhaustive): an error: sold 2 of 1"), n.text)
	assert.Contains(t, n.text, "job.Yield() // the payment")
}
