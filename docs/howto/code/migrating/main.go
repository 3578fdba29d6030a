// Code with goroutines, before and after.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/schedulers/pool"
)

func square(_ context.Context, n int) (int, error) { return n * n, nil }

var errOdd = errors.New("odd")

// goroutine: a result over a channel.
func goroutine(ctx context.Context) (int, error) {
	type result struct {
		n   int
		err error
	}
	c := make(chan result, 1)
	go func() {
		n, err := square(ctx, 3)
		c <- result{n, err}
	}()
	r := <-c
	return r.n, r.err
}

func aJob(ctx context.Context) (int, error) {
	j := job.Run(ctx, func(ctx context.Context) (int, error) { return square(ctx, 3) })
	return j.Wait(ctx)
}

// group: the first error wins, and the others are canceled.
func group(ctx context.Context, check func(ctx context.Context, n int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	var once sync.Once
	var first error
	for n := range 4 {
		wait.Go(func() {
			if err := check(ctx, n); err != nil {
				once.Do(func() { first = err; cancel(err) })
			}
		})
	}
	wait.Wait()
	return first
}

func aScope(ctx context.Context, check func(ctx context.Context, n int) error) error {
	return job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		for n := range 4 {
			s.Go(func(ctx context.Context) error { return check(ctx, n) })
		}
		return nil
	})
}

// atMost: a semaphore around each.
func atMost(ctx context.Context, limit int, work func(context.Context) error) {
	tokens := make(chan struct{}, limit)
	var wait sync.WaitGroup
	for range 100 {
		tokens <- struct{}{}
		wait.Go(func() {
			defer func() { <-tokens }()
			_ = work(ctx)
		})
	}
	wait.Wait()
}

func aLimit(ctx context.Context, limit int, work func(context.Context) error) error {
	p := pool.New()
	err := job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		s.Limit(limit)
		for range 100 {
			s.Go(work)
		}
		return nil
	}, job.On(p))
	return errors.Join(err, p.Shutdown(ctx))
}

// peak counts how many run at once.
type peak struct{ now, most atomic.Int64 }

func (p *peak) work(context.Context) error {
	n := p.now.Add(1)
	for most := p.most.Load(); n > most && !p.most.CompareAndSwap(most, n); most = p.most.Load() {
	}
	p.now.Add(-1)
	return nil
}

func main() {
	ctx := context.Background()
	fmt.Println(goroutine(ctx))
	fmt.Println(aJob(ctx))

	even := func(_ context.Context, n int) error {
		if n == 3 {
			return errOdd
		}
		return nil
	}
	fmt.Println(group(ctx, even), aScope(ctx, even))

	var before, after peak
	atMost(ctx, 2, before.work)
	err := aLimit(ctx, 2, after.work)
	fmt.Println(before.most.Load() <= 2, after.most.Load() <= 2, err)

	fmt.Println(parallel.Map(ctx, []int{1, 2, 3}, square))

	answers, err := talk(ctx)
	fmt.Println(strings.Fields(answers), err)
}
