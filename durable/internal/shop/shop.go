// Package shop is a durable function for the tests of packages durable and durabletest: an order
// that reserves, waits for an approval, and charges.
package shop

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/movenext/movenext/durable"
)

//go:generate go tool movenext .

// Request is the input of an order.
type Request struct {
	Items []string
	Card  string
}

// Held is a reservation.
type Held struct {
	ID    string
	Price int
}

// Approval is the signal that an order waits for.
type Approval struct{ Yes bool }

// Receipt is what an order returns.
type Receipt struct {
	Charge string
	Price  int
}

// ErrRefused is the error of an order that was not approved.
var ErrRefused = durable.NewError("shop.ErrRefused", "shop: refused")

// Shop records the effects of orders, each at most once per key.
type Shop struct {
	mu       sync.Mutex
	Stock    map[string]int    // the number of reservations by id
	Charges  map[string]int    // by key
	Calls    map[string]int    // of steps, by name, including repeated ones
	Before   func(step string) // called by each step; may be nil
	FailNext map[string]error  // the error that the next call of a step returns, by step
}

// New returns a shop without effects.
func New() *Shop {
	return &Shop{Stock: map[string]int{}, Charges: map[string]int{}, Calls: map[string]int{}, FailNext: map[string]error{}}
}

// begin counts the call of a step, and returns the error that the call must fail with, if any.
func (s *Shop) begin(step string) error {
	if s.Before != nil {
		s.Before(step)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Calls[step]++
	err := s.FailNext[step]
	delete(s.FailNext, step)
	return err
}

// Count returns how often a step was called.
func (s *Shop) Count(step string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Calls[step]
}

// Sum returns the total of charges and of reservations.
func (s *Shop) Sum() (charged, reserved int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, price := range s.Charges {
		charged += price
	}
	for _, price := range s.Stock {
		reserved += price
	}
	return charged, reserved
}

// Order is the durable function, as plain Go.
//
//movenext:durable name=shop.Order
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
	if err := s.begin("reserve"); err != nil {
		return Held{}, err
	}
	h := Held{ID: fmt.Sprint("held ", cmp.Or(durable.Key(ctx), "plain")), Price: 10 * len(items)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Stock[h.ID] = h.Price
	return h, nil
}

//movenext:step
func (s *Shop) unreserve(_ context.Context, h Held) error {
	if err := s.begin("unreserve"); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.Stock, h.ID)
	return nil
}

//movenext:step
func (s *Shop) charge(ctx context.Context, card string, price int) (Receipt, error) {
	if err := s.begin("charge"); err != nil {
		return Receipt{}, err
	}
	if err := ctx.Err(); err != nil {
		return Receipt{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Charges[cmp.Or(durable.Key(ctx), "plain")] = price
	return Receipt{Charge: card, Price: price}, nil
}
