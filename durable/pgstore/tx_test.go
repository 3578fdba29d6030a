package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/pgstore"
	"github.com/movenext/movenext/durable/pgstore/pgtest"
	"github.com/movenext/movenext/durable/stores"
)

// debitFrame is a durable function with one step, which writes to the table "debits".
type debitFrame struct {
	gen.NoDeferred
	step func(ctx context.Context, account string) (int, error)

	account string
	sum     int
	err     error
}

func (f *debitFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 0 {
		return t.Step(1)
	}
	f.err = t.Err()
	return t.Return()
}

func (f *debitFrame) Call(ctx context.Context, _ int) (err error) {
	f.sum, err = f.step(ctx, f.account)
	return err
}

func (f *debitFrame) Live(int) []gen.Value {
	return []gen.Value{{Name: "account", Ptr: &f.account}, {Name: "sum", Ptr: &f.sum}, {Name: "err", Ptr: &f.err}}
}

func (f *debitFrame) Outcome() (result any, err *error) { return &f.sum, &f.err }

// stepping returns a durable function with the given step.
func stepping(step func(ctx context.Context, account string) (int, error)) durable.Function[struct{}, string, int] {
	return durable.Function[struct{}, string, int]{
		Name: "bank.Debit", Layout: "1",
		Points: []gen.Point{{Name: "begin"}, {Name: "debit", Step: "bank.debit"}},
		New:    func(_ struct{}, account string) gen.Frame { return &debitFrame{step: step, account: account} },
	}
}

// accounts makes an empty table in the schema that programs use, and returns its name.
func accounts(t testing.TB) (table string) {
	t.Helper()
	table = fmt.Sprint("debits_", schemas.Add(1))
	query(t, "CREATE TABLE "+table+" (account TEXT NOT NULL)")
	return table
}

// query runs a statement outside all stores. It returns the number in the first row, if there is
// one.
func query(t testing.TB, statement string) (n int) {
	t.Helper()
	c, err := pgx.Connect(context.Background(), server.Address())
	require.NoError(t, err)
	defer func() { _ = c.Close(context.Background()) }()
	err = c.QueryRow(context.Background(), statement).Scan(&n)
	if !errors.Is(err, pgx.ErrNoRows) {
		require.NoError(t, err)
	}
	return n
}

func debits(t testing.TB, table string) int {
	t.Helper()
	return query(t, "SELECT count(*) FROM "+table)
}

// debit writes a line, in the transaction of the step.
func debit(ctx context.Context, table, account string) (n int, err error) {
	err = durable.Tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO "+table+" VALUES ($1)", account); err != nil {
			return err
		}
		return tx.QueryRow(ctx, "SELECT count(*) FROM "+table+" WHERE account = $1", account).Scan(&n)
	})
	return n, err
}

func quiet() durable.Option { return durable.Log(slog.New(slog.DiscardHandler)) }

func engine(t testing.TB, s stores.Store, opts ...durable.Option) *durable.Engine {
	t.Helper()
	e, err := durable.Open(t.Context(), s, append([]durable.Option{quiet(), durable.Poll(20 * time.Millisecond)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Shutdown(context.Background())) })
	return e
}

// TestAStepsStatementsHappenOnceAtEachCrash runs the same step with a transaction, and with a
// separate connection, whose statement a crash repeats.
func TestAStepsStatementsHappenOnceAtEachCrash(t *testing.T) {
	for name, most := range map[string]int{"in its transaction": 1, "outside": 2} {
		t.Run(name, func(t *testing.T) {
			table := accounts(t)
			plain := opened(t, newSchema())
			step := func(ctx context.Context, account string) (int, error) {
				if most > 1 {
					query(t, "INSERT INTO "+table+" VALUES ('"+account+"')")
					return 1, nil
				}
				return debit(ctx, table, account)
			}
			seen := 0
			runs := durabletest.CrashEverywhere(t, durabletest.Case[struct{}, string, int]{
				Function: stepping(step), Receiver: func() struct{} { query(t, "TRUNCATE "+table); return struct{}{} }, Request: "ada",
				Plain: func(_ struct{}, ctx context.Context, account string) (int, error) {
					return step(stores.WithTransactor(ctx, plain), account)
				},
				Store:   func() stores.Store { return opened(t, newSchema()) },
				Options: []durable.Option{durable.Poll(5 * time.Millisecond)},
				Check: func(t testing.TB, _ struct{}) {
					n := debits(t, table)
					assert.Positive(t, n)
					seen = max(seen, n)
				},
			})
			assert.GreaterOrEqual(t, runs, 6)
			assert.Equal(t, most, seen)
		})
	}
}

// TestALostInstanceLosesItsStatements takes the instance away while the step runs.
func TestALostInstanceLosesItsStatements(t *testing.T) {
	table, store, calls := accounts(t), opened(t, newSchema()), 0
	step := func(ctx context.Context, account string) (int, error) {
		n, err := debit(ctx, table, account)
		if calls++; calls > 1 || err != nil {
			return n, err
		}
		r, err := store.Load(ctx, "a")
		if err != nil {
			return 0, err
		}
		r.Owner = "another" // which has no lease, so that the next Take finds the instance
		_, err = store.Swap(ctx, r)
		return n, err
	}
	h, err := durable.Serve(engine(t, store), stepping(step), struct{}{}).Start(t.Context(), "a", "ada")
	require.NoError(t, err)
	n, err := h.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, n, "the second call has not seen what the first wrote")
	assert.Equal(t, 2, calls)
	assert.Equal(t, 1, debits(t, table))
}

// TestAnEndedConnectionRepeatsTheStep ends the connection after the step has made its statements.
// The step has not failed: it is repeated without a Retry.
func TestAnEndedConnectionRepeatsTheStep(t *testing.T) {
	table, store, calls := accounts(t), opened(t, newSchema()), 0
	step := func(ctx context.Context, account string) (n int, err error) {
		var process int
		err = durable.Tx(ctx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&process) })
		if err == nil {
			n, err = debit(ctx, table, account)
		}
		if calls++; calls == 1 {
			query(t, fmt.Sprintf("SELECT pg_terminate_backend(%d)::int", process))
		}
		return n, err
	}
	h, err := durable.Serve(engine(t, store), stepping(step), struct{}{}).
		Start(t.Context(), "a", "ada")
	require.NoError(t, err)
	n, err := h.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Equal(t, 2, calls)
	assert.Equal(t, 1, debits(t, table))
}

// TestAConstraintThatIsCheckedAtTheCommitIsTheStepsError uses a constraint that the database
// checks after the step has returned.
func TestAConstraintThatIsCheckedAtTheCommitIsTheStepsError(t *testing.T) {
	table := accounts(t)
	query(t, "ALTER TABLE "+table+" ADD UNIQUE (account) DEFERRABLE INITIALLY DEFERRED")
	step := func(ctx context.Context, account string) (int, error) {
		_, first := debit(ctx, table, account)
		n, second := debit(ctx, table, account)
		return n, errors.Join(first, second)
	}
	h, err := durable.Serve(engine(t, opened(t, newSchema())), stepping(step), struct{}{}).Start(t.Context(), "a", "ada")
	require.NoError(t, err)
	_, err = h.Wait(t.Context())
	require.ErrorContains(t, err, "duplicate key")
	assert.Zero(t, debits(t, table))
}

// TestStepsThatHoldAllTransactionsCanWrite runs two steps at a time, each with a transaction, and
// one connection for all heartbeats.
func TestStepsThatHoldAllTransactionsCanWrite(t *testing.T) {
	table := accounts(t)
	store, err := pgstore.Open(t.Context(), server.Address()+" pool_max_conns=1", pgstore.Schema(newSchema()), pgstore.Transactions(2))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	step := func(ctx context.Context, account string) (int, error) {
		n, err := debit(ctx, table, account)
		if err != nil {
			return n, err
		}
		return n, durable.Heartbeat(ctx, n)
	}
	served := durable.Serve(engine(t, store), stepping(step), struct{}{})
	const instances = 20
	var all sync.WaitGroup
	for i := range instances {
		all.Go(func() {
			account := fmt.Sprint("account ", i)
			h, err := served.Start(context.Background(), account, account)
			if assert.NoError(t, err) {
				_, err = h.Wait(context.Background())
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	assert.Equal(t, instances, debits(t, table), "each connection finds the table of the program again")
}

// TestACrashOfTheServerKeepsBothOrNone kills the server while instances run.
func TestACrashOfTheServerKeepsBothOrNone(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	own, err := pgtest.Start(ctx, "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(own.Dir()) })
	c, err := pgx.Connect(ctx, own.Address())
	require.NoError(t, err)
	_, err = c.Exec(ctx, "CREATE TABLE debits (account TEXT NOT NULL)")
	require.NoError(t, errors.Join(err, c.Close(ctx)))
	store, err := pgstore.Open(ctx, own.Address())
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	e, err := durable.Open(ctx, store, quiet(), durable.Poll(20*time.Millisecond), durable.RetryStep("", durable.Retry{Attempts: 1000, First: 20 * time.Millisecond, Factor: 1}))
	require.NoError(t, err)
	var once sync.Once
	busy := make(chan struct{})
	step := func(ctx context.Context, account string) (int, error) {
		n, err := debit(ctx, "debits", account)
		if account == "30" {
			once.Do(func() { close(busy) })
		}
		return n, err
	}
	served := durable.Serve(e, stepping(step), struct{}{})
	const instances = 60
	for i := range instances {
		_, err := served.Start(ctx, fmt.Sprint(i), fmt.Sprint(i))
		require.NoError(t, err)
	}
	<-busy
	own.Kill()
	again, err := pgtest.Start(ctx, own.Dir())
	require.NoError(t, err)
	defer again.Stop()
	for i := range instances {
		n, err := served.Handle(fmt.Sprint(i)).Wait(ctx)
		require.NoError(t, err)
		assert.Equal(t, 1, n, "debits of %d", i)
	}
	require.NoError(t, e.Shutdown(ctx))
	c, err = pgx.Connect(ctx, again.Address())
	require.NoError(t, err)
	var lines int
	require.NoError(t, c.QueryRow(ctx, "SELECT count(*) FROM debits").Scan(&lines))
	require.NoError(t, c.Close(ctx))
	assert.Equal(t, instances, lines)
}

func TestAStoreThatIsClosedBeginsNothing(t *testing.T) {
	s := opened(t, newSchema())
	require.NoError(t, s.Close())
	_, err := s.Begin(t.Context())
	require.ErrorIs(t, err, pgstore.ErrClosed)
}
