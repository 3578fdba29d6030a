// Command 22-sql uses package database/sql from machines. Its calls block, like
// most of the standard library's, so each runs in the lane for blocking work and
// is awaited. The code between them is straight-line code, with a function for
// transactions, whose rollback is deferred, and rows that arrive as a stream.
//
// Note that package sql rolls a transaction back, and closes rows, when the context that they were
// begun with ends. A job's own context ends with the job, so a transaction that outlives the job
// that begins it is begun with the machine's context.
package main

//go:generate go tool movenext .

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"github.com/movenext/movenext/job"
)

type account struct {
	owner   string
	balance int
}

// exec is db.ExecContext as a job.
func exec(ctx context.Context, tx *sql.Tx, query string, args ...any) *job.Job[sql.Result] {
	return job.Blocking(ctx, func(ctx context.Context) (sql.Result, error) {
		return tx.ExecContext(ctx, query, args...)
	})
}

// end runs Commit or Rollback, which talk to the database too.
func end(ctx context.Context, how func() error) *job.Job[job.Void] {
	return job.Blocking(ctx, func(context.Context) (job.Void, error) { return job.Void{}, how() })
}

// accounts streams the rows of a query. The next row is fetched when it is
// wanted, and the rows are closed however the loop over it ends.
//
//movenext:async
func accounts(ctx context.Context, db *sql.DB) iter.Seq2[account, error] {
	return func(yield func(account, error) bool) {
		rows, err := job.Blocking(ctx, func(context.Context) (*sql.Rows, error) {
			return db.QueryContext(ctx, "LIST")
		}).Await()
		if err != nil {
			yield(account{}, err)
			return
		}
		defer func() { _ = rows.Close() }()
		for {
			row, err := job.Blocking(ctx, func(context.Context) (a *account, err error) {
				if !rows.Next() {
					return nil, rows.Err()
				}
				a = new(account)
				return a, rows.Scan(&a.owner, &a.balance)
			}).Await()
			switch {
			case err != nil:
				yield(account{}, err)
				return
			case row == nil || !yield(*row, nil):
				return
			}
		}
	}
}

// withTx calls body with a transaction, and then commits it, or rolls it back if body has failed
// or panicked.
//
//movenext:async
func withTx(ctx context.Context, db *sql.DB, body func(context.Context, *sql.Tx) error) (err error) {
	tx, err := job.Blocking(ctx, func(context.Context) (*sql.Tx, error) { return db.BeginTx(ctx, nil) }).Await()
	if err != nil {
		return err
	}
	succeeded := false
	defer func() {
		if !succeeded {
			_, undone := end(ctx, tx.Rollback).Await()
			err = errors.Join(err, undone)
		}
	}()
	if err := body(ctx, tx); err != nil {
		return err
	}
	succeeded = true
	_, err = end(ctx, tx.Commit).Await()
	return err
}

// transfer moves an amount from one account to another, or does nothing.
//
//movenext:async
func transfer(ctx context.Context, db *sql.DB, from, to string, amount int) error {
	return withTx(ctx, db, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := exec(ctx, tx, "ADD", from, -amount).Await(); err != nil {
			return fmt.Errorf("from %s: %w", from, err)
		}
		if _, err := exec(ctx, tx, "ADD", to, amount).Await(); err != nil {
			return fmt.Errorf("to %s: %w", to, err)
		}
		return nil
	})
}

//movenext:async
func report(ctx context.Context, db *sql.DB, limit int) error {
	for a, err := range accounts(ctx, db) {
		if err != nil {
			return err
		}
		fmt.Println(" ", a.owner, a.balance)
		if limit--; limit == 0 {
			break
		}
	}
	return nil
}

func main() {
	ctx := context.Background()
	db := sql.OpenDB(newBank("Ann", "Bob", "Cy"))
	defer func() { _ = db.Close() }()

	_, err := transferAsync(ctx, db, "Ann", "Bob", 30).Wait(ctx)
	fmt.Println("Ann to Bob:", err)
	_, err = transferAsync(ctx, db, "Ann", "Dee", 30).Wait(ctx)
	fmt.Println("Ann to Dee:", err)
	_, err = reportAsync(ctx, db, 3).Wait(ctx)
	fmt.Println("error:", err)
	_, err = reportAsync(ctx, db, 1).Wait(ctx)
	fmt.Println("error:", err, "open connections in use:", db.Stats().InUse)
}
