// Orders is a program whose orders survive it: each is saved before its steps and while it waits.
//
//	go run .                      a page with the orders, on http://localhost:8080
//	go run . -kill -orders 10000  runs orders while their workers are killed, and counts
//
// The page shows where each order is suspended and with which values. Kill the program with
// kill -9, start it again, and the orders go on.
//
//	order.go  the order; order_async.go is generated from it
//	world.go  what orders have effects on
//	page.go   the page
//	kill.go   the workers and their killer
package main

import (
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
	store := flags.String("store", "orders.db", "the file of the orders")
	address := flags.String("http", "localhost:8080", "the address of the page")
	kills := flags.Bool("kill", false, "run orders while their workers are killed")
	orders := flags.Int("orders", 10_000, "with -kill: how many")
	ledger := flags.String("ledger", "", "the address of the ledger: be a worker (used by -kill)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *ledger != "":
		return work(ctx, *store, *ledger)
	case *kills:
		return kill(ctx, *orders, os.Stdout)
	}
	return page(ctx, *store, *address)
}
