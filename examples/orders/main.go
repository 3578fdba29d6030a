// Orders is a program whose orders survive it: each is saved before its steps and while it waits.
//
//	go run .                      a page with the orders, on http://localhost:8080
//	go run . -kill -orders 10000  runs orders while their workers are killed, and counts
//	go run . -store postgres      either of them on a Postgres server, which is started
//	go run . -store nats          the same on a NATS server
//	go run . -cluster             as -kill, on three NATS servers, which are killed as well
//
// The page shows where each order is suspended and with which values. Kill the program with
// kill -9, start it again, and the orders continue.
//
//	order.go  the order; order_async.go is generated from it
//	world.go    what orders have effects on
//	store.go    where orders are kept: a file, a Postgres database, or NATS servers
//	page.go     the page
//	kill.go     the workers and their killer
//	cluster.go  the servers and their killer
//	pause_*.go  a process that sleeps
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("orders", flag.ContinueOnError)
	store := flags.String("store", "", "where orders are kept: a file, a postgres:// or nats:// address, or postgres or nats for a server of its own")
	address := flags.String("http", "localhost:8080", "the address of the page")
	kills := flags.Bool("kill", false, "run orders while their workers are killed")
	cluster := flags.Bool("cluster", false, "run orders while their workers and their three servers are killed")
	orders := flags.Int("orders", 10_000, "with -kill and -cluster: how many")
	ledger := flags.String("ledger", "", "the address of the ledger: be a worker (used by -kill)")
	server := flags.String("server", "", "be a server of a cluster (used by -cluster)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *server != "":
		return serveOne(ctx, *server)
	case *cluster:
		return kill(ctx, natsCluster, *orders, os.Stdout)
	case *ledger != "":
		return work(ctx, *store, *ledger)
	case *kills:
		return kill(ctx, *store, *orders, os.Stdout)
	}
	return page(ctx, cmp.Or(*store, "orders.db"), *address)
}
