// gRPC from machines. Package grpc uses one goroutine for each call in a server and for each call
// in flight in a client. Waits of a call within the program hold none.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"log"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/movenext/movenext/docs/howto/code/grpc/prices"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/roundrobin"
)

// call calls the given method of a client, as a job on a goroutine separate from the workers. The
// end of ctx ends the call.
func call[Q, A any](ctx context.Context, method func(context.Context, Q, ...grpc.CallOption) (A, error), request Q) *job.Job[A] {
	return job.Blocking(ctx, func(ctx context.Context) (A, error) { return method(ctx, request) })
}

// cheapest returns the lowest of the baskets' totals. No more than four calls are in flight;
// the others wait as machines.
//
//movenext:async
func cheapest(ctx context.Context, client prices.PricesClient, baskets [][]string) (int64, error) {
	totals := make([]int64, len(baskets))
	err := job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		s.Limit(4)
		for i, names := range baskets {
			s.Go(func(ctx context.Context) error {
				total, err := call(ctx, client.Total, &prices.Goods{Names: names}).Await()
				totals[i] = total.GetCents()
				return err
			})
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	lowest := totals[0]
	for _, total := range totals {
		lowest = min(lowest, total)
	}
	return lowest, nil
}

// watch yields the prices of a good. However the loop over it ends, the stream ends with it.
//
//movenext:async
func watch(ctx context.Context, client prices.PricesClient, name string) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		ctx, cancel := context.WithCancel(ctx) // a stream lives as long as its context
		defer cancel()
		stream, err := job.Blocking(ctx, func(context.Context) (grpc.ServerStreamingClient[prices.Price], error) {
			return client.Watch(ctx, &prices.Good{Name: name})
		}).Await()
		if err != nil {
			yield(0, err)
			return
		}
		for {
			price, err := job.Blocking(ctx, func(context.Context) (*prices.Price, error) { return stream.Recv() }).Await()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(price.GetCents(), err) || err != nil {
				return
			}
		}
	}
}

//movenext:async
func follow(ctx context.Context, client prices.PricesClient, name string, most int) (seen []int64, err error) {
	for cents, err := range watch(ctx, client, name) {
		if err != nil {
			return seen, err
		}
		if seen = append(seen, cents); len(seen) == most {
			break
		}
	}
	return seen, nil
}

// serve starts the service over connections within this process. The caller calls stop.
func serve(s prices.PricesServer, options ...grpc.ServerOption) (client prices.PricesClient, stop func(), err error) {
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer(options...)
	prices.RegisterPricesServer(server, s)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // it ends with GracefulStop
	}()
	conn, err := grpc.NewClient("passthrough:///shop", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	stop = func() {
		if conn != nil {
			_ = conn.Close()
		}
		server.GracefulStop()
		<-ended
	}
	if err != nil {
		stop()
	}
	return prices.NewPricesClient(conn), stop, err
}

// shares returns the queue of each tenant.
func shares() func(tenant string) schedulers.Scheduler {
	fair := roundrobin.New(pool.New())
	byTenant := map[string]schedulers.Scheduler{}
	for _, tenant := range []string{"small", "big"} {
		if q, err := fair.CreateQueue(roundrobin.Name(tenant)); err == nil {
			byTenant[tenant] = q
		}
	}
	return func(tenant string) schedulers.Scheduler {
		if q := byTenant[tenant]; q != nil {
			return q
		}
		return fair.Default()
	}
}

func run(ctx context.Context, w io.Writer) error {
	s := &shop{cents: map[string]int64{"tea": 420, "milk": 110, "cup": 900, "broken": -1}, wait: after(time.Millisecond)}
	client, stop, err := serve(s, grpc.ChainUnaryInterceptor(codesOfJobs, fair(shares())))
	if err != nil {
		return err
	}
	defer stop()
	ctx = metadata.AppendToOutgoingContext(ctx, "tenant", "small")

	lowest, err := cheapestAsync(ctx, client, [][]string{{"tea", "milk"}, {"tea", "cup"}, {"milk", "cup"}}).Wait(ctx)
	fmt.Fprintln(w, "the cheapest basket:", lowest, err)
	_, err = call(ctx, client.Total, &prices.Goods{Names: []string{"tea", "gold"}}).Wait(ctx)
	fmt.Fprintln(w, "no such good:", status.Code(err))
	_, err = call(ctx, client.Total, &prices.Goods{Names: []string{"tea", "broken"}}).Wait(ctx)
	fmt.Fprintln(w, "a panic in a machine:", err)
	short, cancel := context.WithTimeout(ctx, 0)
	_, err = call(short, client.Total, &prices.Goods{Names: []string{"tea"}}).Wait(ctx)
	cancel()
	fmt.Fprintln(w, "no time left:", errors.Is(err, context.DeadlineExceeded))
	seen, err := followAsync(ctx, client, "tea", 9).Wait(ctx)
	fmt.Fprintln(w, "the stream:", seen, err)
	seen, err = followAsync(ctx, client, "tea", 2).Wait(ctx)
	fmt.Fprintln(w, "the stream, left early:", seen, err)
	return nil
}

func main() {
	calls := flag.Int("count", 0, "count goroutines while this `number` of calls wait, instead")
	flag.Parse()
	ctx := context.Background()
	var err error
	if *calls > 0 {
		err = count(ctx, os.Stdout, *calls)
	} else {
		err = run(ctx, os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}
