// Retry with growing, random pauses, within a budget, and a second request when the first one
// takes long.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/coord/retry"
	"github.com/movenext/movenext/job"
)

var (
	errBusy   = errors.New("busy")
	errNoPage = errors.New("no such page")
)

// site is what requests go to.
type site struct {
	busy   int // so many requests fail
	budget *retry.Budget
}

// fetch is one request.
//
//movenext:async
func (s *site) fetch(ctx context.Context, page string) (string, error) {
	if err := job.Sleep(ctx, time.Millisecond); err != nil {
		return "", err
	}
	switch {
	case page == "":
		return "", retry.Permanent(errNoPage)
	case s.busy > 0:
		s.busy--
		return "", errBusy
	}
	return "page " + page, nil
}

// get retries.
//
//movenext:async
func (s *site) get(ctx context.Context, page string) (string, error) {
	policy := retry.Exponential(time.Millisecond, 10*time.Millisecond)
	return retry.Do(ctx, policy, func(ctx context.Context) (string, error) {
		ctx, cancel := job.WithTimeout(ctx, time.Minute) // of one request
		defer cancel()
		return s.fetch(ctx, page)
	}, retry.Attempts(5), retry.Within(time.Hour), retry.Spending(s.budget))
}

// slow never answers the first request.
//
//movenext:async
func slow(ctx context.Context, request int32) (string, error) {
	if request == 1 {
		return "", job.Sleep(ctx, time.Hour)
	}
	return fmt.Sprint("a page for request ", request), nil
}

//movenext:async
func run(ctx context.Context) {
	s := &site{busy: 2, budget: retry.NewBudget(0.1, 3)}
	fmt.Println(s.get(ctx, "one"))
	fmt.Println(s.get(ctx, ""))
	s.busy = 10
	_, err := s.get(ctx, "two")
	fmt.Println(err, errors.Is(err, errBusy), errors.Is(err, retry.ErrBudget))

	var requests atomic.Int32
	patience := retry.Constant(time.Millisecond)
	fmt.Println(retry.Hedge(ctx, patience, func(ctx context.Context) (string, error) {
		return slow(ctx, requests.Add(1))
	}, retry.Attempts(2)))
}

func main() {
	ctx := context.Background()
	if _, err := runAsync(ctx).Wait(ctx); err != nil {
		fmt.Println(err)
	}
}
