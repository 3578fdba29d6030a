package main

import (
	"context"
	"sync"
	"time"

	"github.com/movenext/movenext/job"
)

// site is a site of so many pages, each of which takes a while to fetch.
type site struct {
	pages int
	takes time.Duration
}

// atOnce is how many requests the site bears.
const atOnce = 2000

// crawl is what is known of a site.
type crawl struct {
	of    site
	mu    sync.Mutex
	seen  map[int]bool
	words int
}

func newCrawl(of site) *crawl { return &crawl{of: of, seen: map[int]bool{0: true}} }

// read reads a page and returns the links to pages that are new: each page leads to ten
// others, and to its own parent.
func (c *crawl) read(page int) (links []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.words += page%7 + 1
	for next := 10*page + 1; next <= 10*page+10 && next < c.of.pages; next++ {
		if !c.seen[next] {
			c.seen[next] = true
			links = append(links, next)
		}
	}
	return links
}

func crawlWithGoroutines(_ context.Context, n int) (int, error) {
	c := newCrawl(site{n, 5 * time.Millisecond})
	var all sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	var visit func(page int)
	visit = func(page int) {
		slots <- struct{}{}
		time.Sleep(c.of.takes)
		<-slots
		for _, next := range c.read(page) {
			all.Go(func() { visit(next) })
		}
	}
	all.Go(func() { visit(0) })
	all.Wait()
	return c.words, nil
}

//movenext:async
func crawlWithMachines(ctx context.Context, n int) (int, error) {
	c := newCrawl(site{n, 5 * time.Millisecond})
	err := job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		s.Limit(atOnce)
		s.Go(func(ctx context.Context) error { return c.visit(ctx, s, 0) })
		return nil
	})
	return c.words, err
}

//movenext:async
func (c *crawl) visit(ctx context.Context, s *job.Scope, page int) error {
	if err := job.Sleep(ctx, c.of.takes); err != nil {
		return err
	}
	for _, next := range c.read(page) {
		s.Go(func(ctx context.Context) error { return c.visit(ctx, s, next) })
	}
	return nil
}
