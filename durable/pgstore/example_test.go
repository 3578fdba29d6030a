package pgstore_test

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/pgstore"
	"github.com/movenext/movenext/durable/stores"
)

// An engine on a Postgres database. In a program the address looks like
// postgres://orders@db.example.com/orders.
func Example() {
	ctx := context.Background()
	store, err := pgstore.Open(ctx, server.Address(), pgstore.Schema("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
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

// A step's statements are committed together with its result. Called directly, as here, the step
// has a transaction of its own; the engine calls it in the same way.
func ExampleStore_Begin() {
	ctx := context.Background()
	store, err := pgstore.Open(ctx, server.Address(), pgstore.Schema("example"), pgstore.Transactions(4))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx = stores.WithTransactor(ctx, store)
	var n int
	err = durable.Tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "CREATE TEMPORARY TABLE payments (card TEXT, price INT) ON COMMIT DROP"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "INSERT INTO payments VALUES ($1, $2)", "4711", 20); err != nil {
			return err
		}
		return tx.QueryRow(ctx, "SELECT sum(price) FROM payments").Scan(&n)
	})
	fmt.Println(n, err)
	fmt.Println(store.Close())
	// Output:
	// 20 <nil>
	// <nil>
}

// place inserts an order and starts its instance: both or none.
func place(ctx context.Context, db *pgx.Conn, orders *durable.Served[string, int], id string) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // nothing, after the commit
	if _, err := tx.Exec(ctx, "INSERT INTO orders VALUES ($1)", id); err != nil {
		return err
	}
	if _, err := orders.StartTx(ctx, tx, id, id); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// A program starts an instance in its own transaction.
func ExampleStore_Enlist() {
	ctx := context.Background()
	store, err := pgstore.Open(ctx, server.Address(), pgstore.Schema("example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	engine, err := durable.Open(ctx, store, durable.Poll(10*time.Millisecond))
	if err != nil {
		fmt.Println(err)
		return
	}
	orders := durable.Serve(engine, stepping(func(context.Context, string) (int, error) { return 20, nil }), struct{}{})
	db, err := pgx.Connect(ctx, server.Address())
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := db.Exec(ctx, "CREATE TEMPORARY TABLE orders (id TEXT PRIMARY KEY)"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(place(ctx, db, orders, "order 17"))
	fmt.Println(orders.Handle("order 17").Wait(ctx))
	fmt.Println(db.Close(ctx), engine.Shutdown(ctx), store.Close())
	// Output:
	// <nil>
	// 20 <nil>
	// <nil> <nil> <nil>
}
