// Package shop is a durable function for the tests of packages durable and durabletest: an order
// that reserves, waits for an approval, and charges. Its frame is written by hand, as a
// generator would write it.
package shop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/movenext/movenext/durable"
)

// Request is what an order asks for.
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
var ErrRefused = errors.New("shop: refused")

func init() { durable.RegisterError("shop.ErrRefused", ErrRefused) }

// Shop has what orders do to the world: each effect once for each key.
type Shop struct {
	mu       sync.Mutex
	Stock    map[string]int    // reservations by id
	Charges  map[string]int    // by key
	Calls    map[string]int    // of steps, also repeated ones, by name
	Before   func(step string) // called by each step; may be nil
	FailNext map[string]error  // by step
}

// New returns a shop without effects.
func New() *Shop {
	return &Shop{Stock: map[string]int{}, Charges: map[string]int{}, Calls: map[string]int{}, FailNext: map[string]error{}}
}

// begin counts the call of a step, and returns the error that it has to fail with.
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

// Count is how often a step was called.
func (s *Shop) Count(step string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Calls[step]
}

// Sum is what has been charged in all, and what is reserved.
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
func (s *Shop) Order(ctx context.Context, o Request) (r Receipt, err error) {
	held, err := s.reserve(ctx, o.Items)
	if err != nil {
		return r, err
	}
	defer durable.Compensate(ctx, &err, s.unreserve, held)
	ok, err := durable.Receive[Approval](ctx, "approval", 72*time.Hour)
	if err != nil || !ok.Yes {
		return r, cmp.Or(err, ErrRefused)
	}
	return s.charge(ctx, o.Card, held.Price)
}

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

func (s *Shop) unreserve(_ context.Context, h Held) error {
	if err := s.begin("unreserve"); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.Stock, h.ID)
	return nil
}

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

// OrderDurable is [Shop.Order] as a durable function.
var OrderDurable = durable.Function[*Shop, Request, Receipt]{
	Name:   "shop.Order",
	Layout: "1",
	Points: []durable.Point{
		{Name: "begin", At: "shop.go:103"},
		{Name: "reserve", At: "shop.go:104", Step: "shop.reserve"},
		{Name: "approval", At: "shop.go:109"},
		{Name: "charge", At: "shop.go:113", Step: "shop.charge"},
	},
	New: func(s *Shop, o Request) durable.Frame { return &orderFrame{s: s, o: o} },
}

// orderFrame is what Order keeps.
type orderFrame struct {
	s *Shop

	o    Request
	r    Receipt
	err  error
	held Held
	ok   Approval

	reserve1 struct { // at point reserve: the argument and the result
		items []string
		held  Held
	}
	charge3 struct {
		card    string
		price   int
		receipt Receipt
	}
}

// orderUndo1 are the arguments of the first deferred call.
type orderUndo1 struct{ A1 Held }

// MoveNext continues where the turn says.
func (f *orderFrame) MoveNext(_ context.Context, t *durable.Turn) bool {
	switch t.Point() {
	case 0:
	case 1:
		goto resume1
	case 2:
		goto resume2
	case 3:
		goto resume3
	}
	// held, err := s.reserve(ctx, o.Items)
	f.reserve1.items = f.o.Items
	return t.Step(1)
resume1:
	f.held, f.err = f.reserve1.held, t.Err()
	if f.err != nil {
		return t.Return()
	}
	// defer durable.Compensate(ctx, &err, s.unreserve, held)
	t.Defer(1, &orderUndo1{f.held})
	// ok, err := durable.Receive[Approval](ctx, "approval", 72*time.Hour)
	return t.Receive(2, "approval", 72*time.Hour)
resume2:
	f.ok, f.err = durable.Received[Approval](t)
	if f.err != nil || !f.ok.Yes {
		f.err = cmp.Or(f.err, ErrRefused)
		return t.Return()
	}
	// return s.charge(ctx, o.Card, held.Price)
	f.charge3.card, f.charge3.price = f.o.Card, f.held.Price
	return t.Step(3)
resume3:
	f.r, f.err = f.charge3.receipt, t.Err()
	return t.Return()
}

// Call calls the step of a point.
func (f *orderFrame) Call(ctx context.Context, point int) (err error) {
	switch point {
	case 1:
		f.reserve1.held, err = f.s.reserve(ctx, f.reserve1.items)
	case 3:
		f.charge3.receipt, err = f.s.charge(ctx, f.charge3.card, f.charge3.price)
	}
	return err
}

// Live are the variables of a point.
func (f *orderFrame) Live(point int) []durable.Value {
	switch point {
	case 0:
		return []durable.Value{{Name: "o", Ptr: &f.o}}
	case 1:
		return []durable.Value{{Name: "o", Ptr: &f.o}, {Name: "reserve.items", Ptr: &f.reserve1.items}}
	case 2:
		return []durable.Value{{Name: "o", Ptr: &f.o}, {Name: "held", Ptr: &f.held}}
	case 3:
		return []durable.Value{{Name: "charge.card", Ptr: &f.charge3.card}, {Name: "charge.price", Ptr: &f.charge3.price}}
	}
	return []durable.Value{{Name: "r", Ptr: &f.r}, {Name: "err", Ptr: &f.err}}
}

// Outcome points to the results.
func (f *orderFrame) Outcome() (result any, err *error) { return &f.r, &f.err }

// Deferred makes arguments to load.
func (f *orderFrame) Deferred(site int) (args any, step string) {
	if site == 1 {
		return new(orderUndo1), "shop.unreserve"
	}
	return nil, ""
}

// Undo makes a deferred call.
func (f *orderFrame) Undo(ctx context.Context, _ int, args any) error {
	return f.s.unreserve(ctx, args.(*orderUndo1).A1)
}
