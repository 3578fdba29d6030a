// Dispatcher delivers webhooks: a service as you would run it, on one page each.
//
//	go run .                              on http://localhost:8080, with hooks in dispatcher.db
//	curl -d '{"paid":1}' 'localhost:8080/hooks?lane=ann&to=http://localhost:9000/'
//
// A hook is saved before its request is answered, and removed when its receiver has taken it.
// Those of one lane arrive in order; a receiver that fails is asked again, later and later. Kill
// the program, start it again, and it continues.
//
//	dispatch.go  lanes, limits, retries, draining; dispatch_async.go is generated from it
//	outbox.go    the hooks in SQLite, and the requests that deliver them
//	server.go    the requests that bring hooks, the page, and its stream of events
//	observe.go   ids of requests in the log, metrics, traces
//
// Its clients choose where it sends requests, so serve it to your own programs only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

//go:generate go tool movenext .

func main() {
	address := flag.String("http", "localhost:8080", "where to listen")
	file := flag.String("outbox", "dispatcher.db", "the `file` that keeps the hooks")
	traces := flag.Bool("traces", false, "print a span for each delivery")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *address, *file, *traces)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dispatcher:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, and drains.
func run(ctx context.Context, address, file string, traces bool) error {
	if traces {
		stop, err := traceTo(os.Stderr)
		if err != nil {
			return err
		}
		defer stop()
	}
	box, err := openOutbox(ctx, file)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return errors.Join(err, box.Close())
	}
	fmt.Printf("dispatcher at http://%s\n", l.Addr())
	return errors.Join(serve(ctx, l, box), box.Close())
}

// serve delivers hooks until ctx ends, and returns when nothing runs any more: first the requests
// end, which may bring hooks, and then the deliveries. What is not delivered stays in the outbox.
func serve(ctx context.Context, l net.Listener, box *outbox) error {
	d := newDispatcher(context.WithoutCancel(ctx), box, newLogger(os.Stderr))
	if err := d.restore(ctx); err != nil {
		return errors.Join(err, d.drain(), l.Close())
	}
	h, stop := handler(d, l.Addr())
	defer stop()
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	s.RegisterOnShutdown(d.state.Close) // streams of events would keep it open
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = s.Shutdown(last)
	}
	return errors.Join(err, d.drain())
}
