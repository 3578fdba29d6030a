// Code with the libraries that Go programs use for concurrency, before and after. It is a separate
// module, since it needs those libraries.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	conc "github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/movenext/movenext/job"
)

var errBad = errors.New("a bad address")

// fetch returns the size of a page, like a function that waits for a server.
//
//movenext:async
func fetch(ctx context.Context, url string) (int, error) {
	if err := job.Sleep(ctx, time.Millisecond); err != nil {
		return 0, err
	}
	if url == "" {
		return 0, errBad
	}
	return len(url), nil
}

func withErrgroup(ctx context.Context, urls []string) ([]int, error) {
	sizes := make([]int, len(urls))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(3)
	for i, url := range urls {
		g.Go(func() (err error) {
			sizes[i], err = fetch(ctx, url)
			return err
		})
	}
	return sizes, g.Wait()
}

func withSemaphore(ctx context.Context, s *semaphore.Weighted, url string) (int, error) {
	if err := s.Acquire(ctx, 1); err != nil {
		return 0, err
	}
	defer s.Release(1)
	return fetch(ctx, url)
}

func withSingleflight(ctx context.Context, g *singleflight.Group, url string) (int, error) {
	size, err, _ := g.Do(url, func() (any, error) { return fetch(ctx, url) })
	n, _ := size.(int)
	return n, err
}

func withConc(ctx context.Context, urls []string) ([]int, error) {
	p := conc.NewWithResults[int]().WithContext(ctx).WithCancelOnError().WithMaxGoroutines(3)
	for _, url := range urls {
		p.Go(func(ctx context.Context) (int, error) { return fetch(ctx, url) })
	}
	sizes, err := p.Wait()
	slices.Sort(sizes) // they are unordered
	return sizes, err
}

func withAnts(ctx context.Context, urls []string) ([]int, error) {
	p, err := ants.NewPool(3)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	sizes, errs := make([]int, len(urls)), make([]error, len(urls))
	var all sync.WaitGroup
	for i, url := range urls {
		all.Add(1)
		err := p.Submit(func() {
			defer all.Done()
			sizes[i], errs[i] = fetch(ctx, url)
		})
		if err != nil {
			all.Done()
			errs[i] = err
		}
	}
	all.Wait()
	return sizes, errors.Join(errs...)
}

func withPond(ctx context.Context, urls []string) ([]int, error) {
	p := pond.NewResultPool[int](3)
	defer p.StopAndWait()
	group := p.NewGroupContext(ctx)
	for _, url := range urls {
		group.SubmitErr(func() (int, error) { return fetch(ctx, url) })
	}
	return group.Wait()
}

func main() {
	ctx := context.Background()
	urls := []string{"a", "bb", "ccc", "dddd"}
	for _, f := range []func(context.Context, []string) ([]int, error){withErrgroup, withConc, withAnts, withPond, aScope, aMap, all} {
		fmt.Println(f(ctx, urls))
	}
}
