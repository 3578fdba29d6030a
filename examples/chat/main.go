// Command chat is a chat for browsers on WebSockets, whose idle connections hold no
// goroutine and no buffer.
//
//	go run .                     serve it on http://localhost:8080
//	go run . -addr :9000 -host chat.example.com:9000
//	                             elsewhere, for browsers on other computers
//	go run . -load 5000          from another process: five thousand members, for ten seconds
//
// It ends with a goodbye to everyone when it is interrupted.
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
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// config holds the values of the flags.
type config struct {
	addr           string
	host           string
	maxConnections int
	load           int
	rate           int
	rooms          int
	stats          time.Duration
	last           time.Duration
}

func main() {
	var c config
	flag.StringVar(&c.addr, "addr", "localhost:8080", "where to listen, or the `address` of the server to load")
	flag.StringVar(&c.host, "host", "", "the `name` under which browsers reach the server, with its port: chat.example.com")
	flag.IntVar(&c.maxConnections, "most", 15_000, "serve at most `n` connections")
	flag.IntVar(&c.load, "load", 0, "be `n` members of a server that runs elsewhere, and count what arrives")
	flag.IntVar(&c.rate, "rate", 50, "with -load: send `n` messages a second")
	flag.IntVar(&c.rooms, "rooms", 50, "with -load: spread the members over `n` rooms")
	flag.DurationVar(&c.last, "for", 10*time.Second, "with -load: how long to send")
	flag.DurationVar(&c.stats, "stats", 0, "print connections, goroutines and memory `every` so often")
	flag.Parse()
	if flag.NArg() > 0 || c.rate < 1 || c.rooms < 1 {
		fmt.Fprintln(os.Stderr, "chat: there are no arguments but flags, and a rate and rooms are at least 1")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, c)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chat:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c config) error {
	if c.load > 0 {
		return loadServer(ctx, c, os.Stdout)
	}
	l, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	fmt.Printf("chat at http://%s\n", l.Addr())
	room := newChat(context.WithoutCancel(ctx), c.maxConnections, 30*time.Second, names(l.Addr(), c.host)...)
	if c.stats > 0 {
		go report(ctx, room, c.stats)
	}
	return serve(ctx, l, room)
}

// names returns the names, with ports, under which browsers reach a listener: those of this
// computer, and a given one.
func names(at net.Addr, given string) []string {
	_, port, _ := net.SplitHostPort(at.String())
	list := []string{at.String()}
	if given != "" { // an empty name would be that of every request without one
		list = append(list, given)
	}
	for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
		list = append(list, net.JoinHostPort(name, port))
	}
	return list
}

// report prints the memory that the connections hold after a collection.
func report(ctx context.Context, c *chat, every time.Duration) {
	var before runtime.MemStats
	debug.FreeOSMemory()
	runtime.ReadMemStats(&before)
	for tick := time.Tick(every); ctx.Err() == nil; {
		select {
		case <-tick:
		case <-ctx.Done():
			return
		}
		var now runtime.MemStats
		debug.FreeOSMemory()
		runtime.ReadMemStats(&now)
		held := int64(now.HeapAlloc+now.StackInuse) - int64(before.HeapAlloc+before.StackInuse)
		n := len(c.connections())
		fmt.Printf("%d connections, %d goroutines, %d bytes a connection\n", n, runtime.NumGoroutine(), held/int64(max(1, n)))
	}
}

// serve answers requests on l until ctx ends, and then says goodbye.
func serve(ctx context.Context, l net.Listener, room *chat) error {
	server := &http.Server{Handler: room.handler(), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = errors.Join(err, server.Shutdown(last))
	room.shutdown(last)
	return err
}
