package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/movenext/movenext/docs/howto/code/grpc/prices"
	"github.com/movenext/movenext/job"
)

// backends is how many answers a call waits for.
const backends = 10

// grouped is a shop whose handler has a goroutine for each backend, as with errgroup.
type grouped struct{ *shop }

// Total implements prices.PricesServer.
func (g grouped) Total(ctx context.Context, goods *prices.Goods) (*prices.Price, error) {
	var sum atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for _, name := range goods.GetNames() {
		group.Go(func() error {
			cents, err := g.price(ctx, name)
			sum.Add(cents)
			return err
		})
	}
	err := group.Wait()
	return &prices.Price{Cents: sum.Load()}, err
}

// count prints how many goroutines there are, in the server and the client together, while
// each of the calls waits for its backends.
func count(ctx context.Context, w io.Writer, calls int) error {
	names := make([]string, backends)
	for i := range names {
		names[i] = "tea"
	}
	for _, c := range []struct {
		what string
		make func(*shop) prices.PricesServer
	}{
		{"an errgroup in the handler", func(s *shop) prices.PricesServer { return grouped{s} }},
		{"machines in the handler", func(s *shop) prices.PricesServer { return s }},
	} {
		var waiting atomic.Int64
		all, open := make(chan struct{}), job.NewSource[job.Void]()
		s := &shop{cents: map[string]int64{"tea": 420}, wait: func(context.Context) *job.Job[job.Void] {
			if waiting.Add(1) == int64(calls*backends) {
				close(all)
			}
			return open.Job()
		}}
		client, stop, err := serve(c.make(s))
		if err != nil {
			return err
		}
		jobs := make([]*job.Job[*prices.Price], calls)
		for i := range jobs {
			jobs[i] = call(ctx, client.Total, &prices.Goods{Names: names})
		}
		<-all
		fmt.Fprintf(w, "%s: %d goroutines\n", c.what, runtime.NumGoroutine())
		open.TrySetResult(job.Void{})
		_, err = job.WhenAll(jobs...).Wait(ctx)
		stop()
		if err != nil {
			return err
		}
	}
	return nil
}
