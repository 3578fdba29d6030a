// Package v3 is the third version of a shop: it mails the receipt.
package v3

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

// Order waits for an approval, charges, and mails the receipt.
//
//movenext:durable name=shop.Order
func (s *Shop) Order(ctx context.Context, cents int) (receipt string, err error) {
	//movenext:point approval
	if _, err := durable.Receive[bool](ctx, "approval", 24*time.Hour); err != nil {
		return "", err
	}
	if err := s.Charge(ctx, cents); err != nil {
		return "", err
	}
	receipt = fmt.Sprintf("paid %d.%02d", cents/100, cents%100)
	if err := s.Mail(ctx, receipt); err != nil {
		return "", err
	}
	return receipt, nil
}

// migrateOrderA663 converts the price of an order of version 1 into cents.
//
//movenext:migrate name=shop.Order from=a663e4dbc9110dde
func migrateOrderA663(s *durable.Saved) error {
	if !s.Has("price") {
		return nil // it has ended
	}
	var price int
	if err := s.Get("price", &price); err != nil {
		return err
	}
	cents := 100 * price
	return s.Set("cents", &cents)
}
