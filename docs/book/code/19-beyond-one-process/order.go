package main

import (
	"context"
	"time"

	"github.com/movenext/movenext/durable"
)

//go:generate go tool movenext .

// shop has the steps of an order.
type shop struct{ world *world }

// Order is the same order, as plain Go, with a wait in the middle.
//
//movenext:durable name=book.Order
func (s *shop) Order(ctx context.Context, item string) (paid string, err error) {
	held, err := s.reserve(ctx, item)
	if err != nil {
		return "", err
	}
	//movenext:point approval
	yes, err := durable.Receive[bool](ctx, "approval", 72*time.Hour)
	if err != nil || !yes {
		return "", err
	}
	return s.charge(ctx, held)
}

//movenext:step
func (s *shop) reserve(ctx context.Context, item string) (string, error) {
	s.world.do("reserve", durable.Key(ctx))
	return "a " + item, nil
}

//movenext:step
func (s *shop) charge(ctx context.Context, held string) (string, error) {
	s.world.do("charge", durable.Key(ctx))
	return "for " + held, nil
}
