package main

import (
	"context"
	"time"

	"github.com/movenext/movenext/durable"
)

//go:generate go tool movenext .

// bench has the steps, and how long each took to be called after the one before.
type bench struct {
	called func() // by each step; nil: nothing
}

// Work calls a step a number of times.
//
//movenext:durable name=durables.Work
func (b *bench) Work(ctx context.Context, steps int) (sum int, err error) {
	for range steps {
		next, err := b.add(ctx, sum)
		if err != nil {
			return sum, err
		}
		sum = next
	}
	return sum, nil
}

//movenext:step
func (b *bench) add(_ context.Context, sum int) (int, error) {
	if b.called != nil {
		b.called()
	}
	return sum + 1, nil
}

// Order is what an order of a shop has when it waits for its approval.
type Order struct {
	Customer string
	Items    []string
}

// Approve waits.
//
//movenext:durable name=durables.Approve
func (b *bench) Approve(ctx context.Context, o Order) (items int, err error) {
	//movenext:point approval
	yes, err := durable.Receive[bool](ctx, "approval", 72*time.Hour)
	if err != nil || !yes {
		return 0, err
	}
	return len(o.Items), nil
}

// Nap sleeps.
//
//movenext:durable name=durables.Nap
func (b *bench) Nap(ctx context.Context, d time.Duration) (slept time.Duration, err error) {
	err = durable.Sleep(ctx, d)
	return d, err
}
