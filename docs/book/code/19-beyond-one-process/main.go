// An order survives its process: first by hand, then as a durable function.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/movenext/movenext/durable"
)

func main() {
	for _, keyed := range []bool{false, true} {
		for _, fatal := range []string{"", "reserve", "charge"} {
			w := newWorld(keyed)
			o, processes := survive(w, fatal)
			fmt.Printf("keys %-5v  dies in %-8q  processes %d  reserved %d, charged %d  paid %s\n",
				keyed, fatal, processes, w.effects["reserve"], w.effects["charge"], o.Paid)
		}
	}
	if err := inTwoProcesses(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// inTwoProcesses starts an order on one engine, and lets another one continue it. They share only
// the store, which is in memory here and would be a file or a database elsewhere.
func inTwoProcesses(ctx context.Context) error {
	store, w := durable.NewMemory(), newWorld(true)
	first, err := durable.Open(ctx, store)
	if err != nil {
		return err
	}
	_, err = durable.Serve(first, OrderDurable, &shop{w}).Start(ctx, "order-1", "cup")
	if err != nil {
		return err
	}
	i, err := suspended(ctx, first)
	if err != nil {
		return err
	}
	fmt.Printf("%s is %s at %s, with held = %s\n", i.ID, i.Status, i.At, i.Locals["held"])
	if err := first.Shutdown(ctx); err != nil {
		return err
	}

	second, err := durable.Open(ctx, store)
	if err != nil {
		return err
	}
	h := durable.Serve(second, OrderDurable, &shop{w}).Handle("order-1")
	if err := h.Signal(ctx, "approval", true); err != nil {
		return err
	}
	paid, err := h.Wait(ctx)
	fmt.Printf("the second engine: paid %s, %v; reserved %d, charged %d\n", paid, err, w.effects["reserve"], w.effects["charge"])
	return second.Shutdown(ctx)
}

// suspended returns the order when it waits.
func suspended(ctx context.Context, e *durable.Engine) (*durable.Instance, error) {
	for {
		i, err := e.Get(ctx, "order-1")
		if err != nil || i.Status == durable.Waiting {
			return i, err
		}
	}
}
