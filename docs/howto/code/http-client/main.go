// Many HTTP requests from machines. Each request holds a goroutine while the standard library
// waits for its answer, so the number in flight is bounded, and requests that do not run yet hold
// none.
package main

//go:generate go tool movenext .

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	"github.com/movenext/movenext/job"
)

// get is client.Get with a limit on the body, as a job on a goroutine separate from the workers.
// The end of ctx ends the request.
func get(ctx context.Context, client *http.Client, url string) *job.Job[string] {
	return job.Blocking(ctx, func(ctx context.Context) (string, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return "", err
		}
		resp, err := client.Do(req)
		if err != nil {
			return "", err
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode != http.StatusOK {
			return "", fmt.Errorf("%s: %s", url, resp.Status)
		}
		body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		return string(body), err
	})
}

// getAll gets pages, at most ten at a time. The first failure cancels the others.
//
//movenext:async
func getAll(ctx context.Context, client *http.Client, urls []string) ([]string, error) {
	pages := make([]string, len(urls))
	err := job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		s.Limit(10)
		for i, url := range urls {
			s.Go(func(ctx context.Context) error {
				page, err := get(ctx, client, url).Await()
				pages[i] = page
				return err
			})
		}
		return nil
	})
	return pages, err
}

func main() {
	var now, most atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		_, _ = io.WriteString(w, "a page")
	}))
	defer server.Close()
	client := server.Client()
	defer client.CloseIdleConnections()

	var urls []string
	for i := range 100 {
		urls = append(urls, fmt.Sprintf("%s/%d", server.URL, i))
	}
	ctx := context.Background()
	pages, err := getAllAsync(ctx, client, urls).Wait(ctx)
	fmt.Println(len(pages), pages[99], err)
	fmt.Println("no more than ten at a time:", most.Load() <= 10)
}
