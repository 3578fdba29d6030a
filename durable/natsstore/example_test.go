package natsstore_test

import (
	"context"
	"fmt"
	"os"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/natsstore"
)

// An engine on a server inside the program. For a cluster, use natsstore.Connect with an address
// such as nats://a:4222,nats://b:4222,nats://c:4222.
func ExampleEmbedded() {
	dir, err := os.MkdirTemp("", "orders")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := natsstore.Embedded(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	engine, err := durable.Open(ctx, store)
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := engine.List(ctx, durable.Filter{Status: durable.Stuck})
	fmt.Println(len(list), "are stuck,", err)
	fmt.Println(engine.Shutdown(ctx), store.Close())
	// Output:
	// 0 are stuck, <nil>
	// <nil> <nil>
}
