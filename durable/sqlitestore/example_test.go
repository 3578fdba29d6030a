package sqlitestore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/sqlitestore"
)

// An engine on a file. What its instances have saved is there when the program starts again.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "orders")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()

	store, err := sqlitestore.Open(filepath.Join(folder, "orders.db"))
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
	list, err := engine.List(ctx, durable.Filter{Status: durable.Waiting})
	fmt.Println(len(list), "orders wait", err)
	fmt.Println(engine.Shutdown(ctx), store.Close())
	// Output:
	// 0 orders wait <nil>
	// <nil> <nil>
}
