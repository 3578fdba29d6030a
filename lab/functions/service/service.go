// Package service is a small service with the usual parts: a lane for each account, a limit of
// requests in flight, a scope of children, repeated attempts. Package functions counts the
// functions that the compiler makes of it, and of package plain, which does the same with
// goroutines.
package service

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// Errors of a service.
var (
	ErrBusy  = errors.New("service: the store is busy")
	ErrEmpty = errors.New("service: nothing was ordered")
)

// Order is what an account orders.
type Order struct {
	Account string
	Lines   []Line
}

// Line is one article of an order.
type Line struct {
	Article string
	Count   int
}

// Receipt is the answer to an order.
type Receipt struct {
	Account string
	Total   int
	Notes   []string
}

// Store is where prices and balances are. Its methods may take long.
type Store struct {
	Pause  time.Duration // of each query
	Busy   int           // every query with this number is refused; zero: none
	Prices map[string]int
	asked  atomic.Int64
}

// Service takes orders. Make one with [New].
type Service struct {
	store    *Store
	lanes    coord.KeyedMutex[string] // one order of an account at a time
	limit    *coord.Limiter[string]   // of queries in flight, by article
	attempts int
	taken    atomic.Int64
}

// New returns a service that has at most inFlight queries of the store in flight, and tries each
// of them the given number of times.
func New(store *Store, inFlight, attempts int) *Service {
	return &Service{
		store:    store,
		limit:    coord.NewLimiter[string](inFlight, coord.PerKey(2)),
		attempts: attempts,
	}
}

// Taken returns the number of orders taken so far.
func (s *Service) Taken() int64 { return s.taken.Load() }

// price returns the price of an article.
//
//movenext:async
func (s *Store) price(ctx context.Context, article string) (int, error) {
	if err := job.Sleep(ctx, s.Pause); err != nil {
		return 0, err
	}
	if n := s.asked.Add(1); s.Busy > 0 && n%int64(s.Busy) == 0 {
		return 0, ErrBusy
	}
	price, known := s.Prices[article]
	if !known {
		return 0, fmt.Errorf("service: no article %q", article)
	}
	return price, nil
}

// book takes an amount from an account.
//
//movenext:async
func (s *Store) book(ctx context.Context, account string, amount int) error {
	if err := job.Sleep(ctx, s.Pause); err != nil {
		return err
	}
	if amount < 0 {
		return fmt.Errorf("service: %s gets %d", account, -amount)
	}
	return nil
}

// ask queries the price of an article, within the limit, and again while the store is busy.
//
//movenext:async
func (s *Service) ask(ctx context.Context, article string) (int, error) {
	if err := s.limit.Acquire(ctx, article); err != nil {
		return 0, err
	}
	defer s.limit.Release(article)
	pause := time.Millisecond
	for attempt := 1; ; attempt++ {
		price, err := s.store.price(ctx, article)
		if !errors.Is(err, ErrBusy) || attempt == s.attempts {
			return price, err
		}
		if err := job.Sleep(ctx, pause); err != nil {
			return 0, err
		}
		pause *= 2
	}
}

// total returns the price of all lines, which are queried at the same time.
//
//movenext:async
func (s *Service) total(ctx context.Context, lines []Line) (int, error) {
	var sum atomic.Int64
	err := job.InScope(ctx, func(_ context.Context, scope *job.Scope) error {
		for _, line := range lines {
			scope.Go(func(ctx context.Context) error {
				price, err := s.ask(ctx, line.Article)
				sum.Add(int64(price * line.Count))
				return err
			})
		}
		return nil
	})
	return int(sum.Load()), err
}

// Take takes an order, after those of the same account that came before.
//
//movenext:async
func (s *Service) Take(ctx context.Context, order Order) (Receipt, error) {
	if len(order.Lines) == 0 {
		return Receipt{}, ErrEmpty
	}
	if err := s.lanes.Lock(ctx, order.Account); err != nil {
		return Receipt{}, err
	}
	defer s.lanes.Unlock(order.Account)
	total, err := s.total(ctx, order.Lines)
	if err != nil {
		return Receipt{}, err
	}
	if err := s.store.book(ctx, order.Account, total); err != nil {
		return Receipt{}, err
	}
	s.taken.Add(1)
	return Receipt{Account: order.Account, Total: total, Notes: notes(order)}, nil
}

// notes has a note for each line of several pieces. It does not suspend.
func notes(order Order) (all []string) {
	for _, line := range order.Lines {
		if line.Count > 1 {
			all = append(all, fmt.Sprintf("%d × %s", line.Count, strings.TrimSpace(line.Article)))
		}
	}
	return all
}

// TakeAll takes several orders at the same time, and returns the sum of their totals. It fails if
// one of them does, after all have ended.
//
//movenext:async
func (s *Service) TakeAll(ctx context.Context, orders []Order) (int, error) {
	var sum atomic.Int64
	err := job.InScope(ctx, func(_ context.Context, scope *job.Scope) error {
		for _, order := range orders {
			scope.Go(func(ctx context.Context) error {
				receipt, err := s.Take(ctx, order)
				sum.Add(int64(receipt.Total))
				return err
			})
		}
		return nil
	}, job.Supervisor())
	return int(sum.Load()), err
}

// Watch reports the number of orders taken, once in each interval, until ctx ends.
//
//movenext:async
func (s *Service) Watch(ctx context.Context, interval time.Duration, report func(string) error) error {
	for last := int64(0); ; {
		if err := job.Sleep(ctx, interval); err != nil {
			return err
		}
		now := s.Taken()
		if err := report(fmt.Sprintf("%d orders, %d in all", now-last, now)); err != nil {
			return err
		}
		last = now
	}
}
