// Package tables has an annotated function, whose test is a table that runs in both forms.
package tables

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"time"

	"github.com/movenext/movenext/job"
)

// errSoldOut is returned for goods that are gone.
var errSoldOut = errors.New("sold out")

// buy takes a while, and returns the price.
//
//movenext:async
func buy(ctx context.Context, stock map[string]int, what string) (price int, err error) {
	if err := job.Sleep(ctx, time.Hour); err != nil {
		return 0, err
	}
	price, ok := stock[what]
	if !ok {
		return 0, errSoldOut
	}
	return price, nil
}
