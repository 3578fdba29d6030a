// Package v1 is the first version of a shop: prices are in euros.
package v1

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/docs/howto/code/deploys/effects"
	"github.com/movenext/movenext/durable"
)

//go:generate go tool movenext .

// Shop runs orders.
type Shop struct{ *effects.Shop }

// Order waits for an approval, and charges the price, in euros.
//
//movenext:durable name=shop.Order
func (s *Shop) Order(ctx context.Context, price int) (receipt string, err error) {
	//movenext:point approval
	if _, err := durable.Receive[bool](ctx, "approval", 24*time.Hour); err != nil {
		return "", err
	}
	if err := s.Charge(ctx, 100*price); err != nil {
		return "", err
	}
	return fmt.Sprintf("paid %d.00", price), nil
}
