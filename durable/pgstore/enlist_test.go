package pgstore_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/pgstore"
	"github.com/movenext/movenext/durable/stores"
)

func TestInstancesAreStartedInTheProgramsTransaction(t *testing.T) {
	t.Run("pgx", func(t *testing.T) {
		pool, err := pgxpool.New(t.Context(), server.Address())
		require.NoError(t, err)
		defer pool.Close()
		durabletest.Enlisted(t, opened(t, newSchema()), func(t testing.TB) (any, func(bool) error) {
			tx, err := pool.Begin(context.Background())
			require.NoError(t, err)
			return tx, func(commit bool) error {
				if commit {
					return tx.Commit(context.Background())
				}
				return tx.Rollback(context.Background())
			}
		})
	})
	t.Run("database/sql", func(t *testing.T) {
		db, err := sql.Open("pgx", server.Address())
		require.NoError(t, err)
		defer func() { assert.NoError(t, db.Close()) }()
		durabletest.Enlisted(t, opened(t, newSchema()), func(t testing.TB) (any, func(bool) error) {
			tx, err := db.Begin()
			require.NoError(t, err)
			return tx, func(commit bool) error {
				if commit {
					return tx.Commit()
				}
				return tx.Rollback()
			}
		})
	})
}

// TestAStepStartsAnInstanceOnceAtEachCrash starts an instance, and signals it, in the transaction
// of a step.
func TestAStepStartsAnInstanceOnceAtEachCrash(t *testing.T) {
	var store *pgstore.Store // of the run
	var receipts *durable.Served[string, int]
	receipt := stepping(func(context.Context, string) (int, error) { return 1, nil })
	receipt.Name = "bank.Receipt"
	c := durabletest.Case[struct{}, string, int]{
		Function: stepping(func(ctx context.Context, account string) (int, error) {
			return 1, durable.Tx(ctx, func(tx pgx.Tx) error {
				_, err := receipts.StartTx(ctx, tx, "receipt of "+account, account, durable.WithSignal("sent", account))
				return err
			})
		}),
		Plain:    func(struct{}, context.Context, string) (int, error) { return 1, nil },
		Receiver: func() struct{} { return struct{}{} },
		Request:  "a",
		Store: func() stores.Store {
			store = opened(t, newSchema())
			return store
		},
		Serve: func(e *durable.Engine, _ struct{}) { receipts = durable.Serve(e, receipt, struct{}{}) },
		Check: func(t testing.TB, _ struct{}) {
			if store == nil {
				return // it is the plain form
			}
			list, err := store.List(context.Background(), durable.Filter{Function: receipt.Name})
			require.NoError(t, err)
			assert.Len(t, list, 1)
			mail, err := store.Inbox(context.Background(), "receipt of a", 0)
			require.NoError(t, err)
			assert.Len(t, mail, 1)
		},
	}
	assert.GreaterOrEqual(t, durabletest.CrashEverywhere(t, c), 5)
}
