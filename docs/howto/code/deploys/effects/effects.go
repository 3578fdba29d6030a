// Package effects has the steps that all versions of a shop share.
package effects

import (
	"context"
	"maps"
	"sync"

	"github.com/movenext/movenext/durable"
)

// Shop records what its steps do, once for each key.
type Shop struct {
	mu      sync.Mutex
	charged map[string]int
	mailed  map[string]string
}

// New returns a shop that has charged nothing.
func New() *Shop { return &Shop{charged: map[string]int{}, mailed: map[string]string{}} }

// Charge takes cents from the customer.
//
//movenext:step
func (s *Shop) Charge(ctx context.Context, cents int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.charged[durable.Key(ctx)] = cents
	return nil
}

// Mail sends a receipt.
//
//movenext:step
func (s *Shop) Mail(ctx context.Context, receipt string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mailed[durable.Key(ctx)] = receipt
	return nil
}

// Charged returns what was charged, in cents, by key.
func (s *Shop) Charged() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.charged)
}

// Mailed returns how many receipts were sent.
func (s *Shop) Mailed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.mailed)
}
