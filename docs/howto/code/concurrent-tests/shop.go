// Command concurrent-tests has a shop for the page "Test concurrent code".
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

type shop struct {
	mu          coord.Mutex
	stock, sold int
}

// buy sells one thing. The payment takes a while, and other customers are served
// meanwhile.
//
//movenext:async
func (s *shop) buy(context.Context) {
	if s.stock == 0 {
		return
	}
	job.Yield() // the payment
	s.stock--
	s.sold++
}

// buyLocked holds a lock while it sells.
//
//movenext:async
func (s *shop) buyLocked(ctx context.Context) error {
	if err := s.mu.Lock(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.buy(ctx)
	return nil
}

func main() {
	s := &shop{stock: 1}
	_, err := s.buyLockedAsync(context.Background()).Wait(context.Background())
	fmt.Println("sold", s.sold, err)
}
