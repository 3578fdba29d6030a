// Package plain is package service with goroutines.
package plain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
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
	mu       sync.Mutex
	lanes    map[string]*lane
	limit    chan struct{}
	attempts int
	taken    atomic.Int64
}

// lane is an account with orders.
type lane struct {
	turn  chan struct{}
	users int // guarded by Service.mu
}

// New returns a service that has at most inFlight queries of the store in flight, and tries each
// of them the given number of times.
func New(store *Store, inFlight, attempts int) *Service {
	return &Service{
		store:    store,
		lanes:    map[string]*lane{},
		limit:    make(chan struct{}, inFlight),
		attempts: attempts,
	}
}

// Taken returns the number of orders taken so far.
func (s *Service) Taken() int64 { return s.taken.Load() }

// sleep pauses for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// price returns the price of an article.
func (s *Store) price(ctx context.Context, article string) (int, error) {
	if err := sleep(ctx, s.Pause); err != nil {
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
func (s *Store) book(ctx context.Context, account string, amount int) error {
	if err := sleep(ctx, s.Pause); err != nil {
		return err
	}
	if amount < 0 {
		return fmt.Errorf("service: %s gets %d", account, -amount)
	}
	return nil
}

// ask queries the price of an article, within the limit, and again while the store is busy.
func (s *Service) ask(ctx context.Context, article string) (int, error) {
	if err := enter(ctx, s.limit); err != nil {
		return 0, err
	}
	defer func() { <-s.limit }()
	pause := time.Millisecond
	for attempt := 1; ; attempt++ {
		price, err := s.store.price(ctx, article)
		if !errors.Is(err, ErrBusy) || attempt == s.attempts {
			return price, err
		}
		if err := sleep(ctx, pause); err != nil {
			return 0, err
		}
		pause *= 2
	}
}

// enter sends to a channel with a buffer.
func enter(ctx context.Context, c chan<- struct{}) error {
	select {
	case c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lock waits for the turn of an order of an account.
func (s *Service) lock(ctx context.Context, account string) error {
	s.mu.Lock()
	l := s.lanes[account]
	if l == nil {
		l = &lane{turn: make(chan struct{}, 1)}
		s.lanes[account] = l
	}
	l.users++
	s.mu.Unlock()
	err := enter(ctx, l.turn)
	if err != nil {
		s.leave(account, l)
	}
	return err
}

// unlock ends the turn of an order of an account.
func (s *Service) unlock(account string) {
	s.mu.Lock()
	l := s.lanes[account]
	s.mu.Unlock()
	<-l.turn
	s.leave(account, l)
}

func (s *Service) leave(account string, l *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(s.lanes, account)
	}
}

// total returns the price of all lines, which are queried at the same time.
func (s *Service) total(ctx context.Context, lines []Line) (int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		sum      atomic.Int64
		children sync.WaitGroup
	)
	for _, line := range lines {
		children.Go(func() {
			price, err := s.ask(ctx, line.Article)
			sum.Add(int64(price * line.Count))
			if err != nil {
				cancel(err)
			}
		})
	}
	children.Wait()
	return int(sum.Load()), context.Cause(ctx)
}

// Take takes an order, after those of the same account that came before.
func (s *Service) Take(ctx context.Context, order Order) (Receipt, error) {
	if len(order.Lines) == 0 {
		return Receipt{}, ErrEmpty
	}
	if err := s.lock(ctx, order.Account); err != nil {
		return Receipt{}, err
	}
	defer s.unlock(order.Account)
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

// notes has a note for each line of several pieces.
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
func (s *Service) TakeAll(ctx context.Context, orders []Order) (int, error) {
	totals, errs := make([]int, len(orders)), make([]error, len(orders))
	var all sync.WaitGroup
	for i, order := range orders {
		all.Go(func() {
			var receipt Receipt
			receipt, errs[i] = s.Take(ctx, order)
			totals[i] = receipt.Total
		})
	}
	all.Wait()
	sum := 0
	for _, total := range totals {
		sum += total
	}
	return sum, errors.Join(errs...)
}

// Watch reports the number of orders taken, once in each interval, until ctx ends.
func (s *Service) Watch(ctx context.Context, interval time.Duration, report func(string) error) error {
	for last := int64(0); ; {
		if err := sleep(ctx, interval); err != nil {
			return err
		}
		now := s.Taken()
		if err := report(fmt.Sprintf("%d orders, %d in all", now-last, now)); err != nil {
			return err
		}
		last = now
	}
}
