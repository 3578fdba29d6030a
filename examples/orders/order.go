package main

import (
	"cmp"
	"context"
	"time"

	"github.com/movenext/movenext/durable"
)

//go:generate go tool movenext .

// Request is what a customer orders.
type Request struct {
	Items []string
	Card  string
}

// Held is a reservation of goods.
type Held struct {
	ID    string
	Price int
}

// Approval is the signal that an order waits for.
type Approval struct{ Yes bool }

// Receipt is the result of an order.
type Receipt struct {
	Charge string
	Price  int
}

// ErrRefused is the error of an order that was not approved.
var ErrRefused = durable.NewError("orders.ErrRefused", "orders: refused")

// Shop has the steps of an order.
type Shop struct{ world world }

// Order reserves, waits up to three days for an approval, and charges. Whatever happens to its
// process, it continues at its last point.
//
//movenext:durable name=orders.Order
func (s *Shop) Order(ctx context.Context, o Request) (r Receipt, err error) {
	held, err := s.reserve(ctx, o.Items)
	if err != nil {
		return r, err
	}
	defer durable.Compensate(ctx, &err, s.unreserve, held)
	//movenext:point approval
	ok, err := durable.Receive[Approval](ctx, "approval", 72*time.Hour)
	if err != nil || !ok.Yes {
		return r, cmp.Or(err, ErrRefused)
	}
	return s.charge(ctx, o.Card, held.Price)
}

//movenext:step
func (s *Shop) reserve(ctx context.Context, items []string) (Held, error) {
	id, err := s.world.do(ctx, "reserve", durable.Key(ctx), 10*len(items))
	return Held{ID: id, Price: 10 * len(items)}, err
}

//movenext:step
func (s *Shop) unreserve(ctx context.Context, h Held) error {
	_, err := s.world.do(ctx, "unreserve", h.ID, h.Price)
	return err
}

//movenext:step
func (s *Shop) charge(ctx context.Context, card string, price int) (Receipt, error) {
	id, err := s.world.do(ctx, "charge", durable.Key(ctx), price)
	return Receipt{Charge: card + " " + id, Price: price}, err
}
