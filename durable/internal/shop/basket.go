package shop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/durable"
)

// ErrFull is the answer to an item that does not fit into a basket.
var ErrFull = durable.NewError("shop.ErrFull", "shop: the basket is full")

// Basket takes updates "add" with the names of items, and answers with the total price. It ends
// if no update arrives for an hour.
//
//movenext:durable name=shop.Basket
func (s *Shop) Basket(ctx context.Context, most int) (items []string, err error) {
	sum := 0
	for {
		//movenext:point add
		asked, err := durable.Receive[durable.Asked[string]](ctx, "add", time.Hour)
		if errors.Is(err, durable.ErrTimeout) {
			return items, nil
		}
		if err != nil {
			return items, err
		}
		if len(items) == most {
			if err := asked.Answer(ctx, nil, ErrFull); err != nil {
				return items, err
			}
			continue
		}
		price, err := s.price(ctx, asked.Value)
		if err != nil {
			return items, err
		}
		items, sum = append(items, asked.Value), sum+price
		if err := asked.Answer(ctx, fmt.Sprint(sum, " for ", items), nil); err != nil {
			return items, err
		}
	}
}

//movenext:step
func (s *Shop) price(_ context.Context, item string) (int, error) {
	if err := s.begin("price"); err != nil {
		return 0, err
	}
	return len(item), nil
}
