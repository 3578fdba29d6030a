// Orders is a program whose orders survive it: each order is saved before its steps and while it
// waits.
//
//	go run .                      a page with the orders, on http://localhost:8080
//	go run . -kill -orders 10000  runs orders while their workers are killed, and counts
//	go run . -store postgres      either of them on a Postgres server, which is started
//	go run . -store nats          the same on a NATS server
//	go run . -cluster             as -kill, on three NATS servers: killed, stopped, cut off
//	go run . -kill -skew          as -kill, with clocks that are wrong by an hour
//	go run . -kill -slow 300ms    as -kill, with a slow disk
//
// The page shows where each order is suspended and with which values. Kill the program with
// kill -9, start it again, and the orders continue.
//
//	order.go    the order; order_async.go is generated from it
//	world.go    what orders have effects on
//	store.go    where orders are kept: a file, a Postgres database, or NATS servers
//	page.go     the page
//	kill.go     the workers and their killer
//	bad.go      a wrong clock, a slow disk
//	cluster.go  the servers and their killer
//	network.go  the links between servers and workers, which can be cut
//	pause_*.go  a process that sleeps
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("orders", flag.ContinueOnError)
	store := flags.String("store", "", "where orders are kept: a file, a postgres:// or nats:// address, or postgres or nats for a server of its own")
	address := flags.String("http", "localhost:8080", "the address of the page")
	kills := flags.Bool("kill", false, "run orders while their workers are killed")
	cluster := flags.Bool("cluster", false, "run orders while their workers and their three servers are killed and cut off")
	var p plan
	flags.IntVar(&p.orders, "orders", 10_000, "with -kill and -cluster: how many")
	flags.IntVar(&p.faults.leaders, "leaders", 20, "with -cluster: how many kills of leaders the orders wait for, at least")
	flags.IntVar(&p.faults.cuts, "partitions", 20, "with -cluster: how many partitions that cut off a server they wait for, at least")
	flags.DurationVar(&p.cut, "cut", longerThanElections, "with -cluster: how long such a partition lasts")
	flags.BoolVar(&p.skew, "skew", false, "with -kill and -cluster: a worker's clock is an hour ahead, and another's an hour behind")
	flags.DurationVar(&p.slow, "slow", 0, "with -kill and -cluster: how much longer calls of the store take, at most")
	ledger := flags.String("ledger", "", "the address of the ledger: be a worker (used by -kill)")
	ahead := flags.Duration("ahead", 0, "what the worker's clock is ahead (used by -skew)")
	server := flags.String("server", "", "be a server of a cluster (used by -cluster)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	p.store = *store
	switch {
	case *server != "":
		return serveOne(ctx, *server)
	case *cluster:
		p.store = natsCluster
		return kill(ctx, p, os.Stdout)
	case *ledger != "":
		return work(ctx, *store, *ledger, bad{ahead: *ahead, slow: p.slow})
	case *kills:
		return kill(ctx, p, os.Stdout)
	}
	return page(ctx, cmp.Or(*store, "orders.db"), *address)
}
