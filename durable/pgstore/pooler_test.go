package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/pgstore"
	"github.com/movenext/movenext/durable/pgstore/pgtest"
	"github.com/movenext/movenext/durable/stores"
)

// pooler starts a PgBouncer in front of a server, and returns its address. It lends few
// connections to many clients, so that two calls of one client rarely get the same one.
func pooler(t *testing.T, s *pgtest.Server, mode string) (address string) {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // which is not in the PATH of every user
	}
	dir, err := os.MkdirTemp("", "pooler") //nolint:usetesting // other users may not enter that
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "users"), []byte(`"postgres" ""`), 0o644))
	lent := 6
	if mode == "session" { // it lends a connection for as long as its client is there
		lent = 90
	}
	config := filepath.Join(dir, "ini")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `[databases]
postgres = host=%s dbname=postgres
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = %s
auth_type = trust
auth_file = %s
pool_mode = %s
default_pool_size = %d
max_client_conn = 500
`, s.Dir(), dir, filepath.Join(dir, "users"), mode, lent), 0o644))
	args := []string{config}
	if os.Getuid() == 0 {
		args = []string{"-u", "postgres", config} // it refuses to run as root
	}
	c := exec.Command(program, args...)
	var log strings.Builder
	c.Stderr, c.SysProcAttr = &log, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, c.Start(), "Debian's package is pgbouncer")
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	address = "host=" + dir + " port=6432 user=postgres dbname=postgres"
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, address)
		if err == nil {
			require.NoError(t, conn.Close(ctx))
			return address
		}
		require.NoError(t, ctx.Err(), "%v: %s", err, &log)
	}
}

// strict starts a server whose settings are those of a shop that is careful.
func strict(t *testing.T, settings ...string) *pgtest.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := pgtest.Start(ctx, "", append(settings, "fsync=off")...)
	require.NoError(t, err)
	t.Cleanup(func() {
		s.Stop()
		assert.NoError(t, os.RemoveAll(s.Dir()))
	})
	return s
}

// forms are the ways in which programs reach a database.
func forms(t *testing.T, test func(t *testing.T, address string)) {
	careful := strict(t, "default_transaction_isolation=serializable", "statement_timeout=5s", "idle_in_transaction_session_timeout=5s")
	for _, mode := range []string{"session", "transaction", "statement"} {
		t.Run("pooler in "+mode+" mode", func(t *testing.T) { test(t, pooler(t, server, mode)) })
		t.Run("pooler in "+mode+" mode, serializable", func(t *testing.T) { test(t, pooler(t, careful, mode)) })
	}
	t.Run("serializable", func(t *testing.T) { test(t, careful.Address()) })
	for _, mode := range []string{"exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) { test(t, server.Address()+" default_query_exec_mode="+mode) })
	}
}

// openedAt opens a store at an address.
func openedAt(t testing.TB, address, schema string, opts ...pgstore.Option) *pgstore.Store {
	t.Helper()
	s, err := pgstore.Open(t.Context(), address, append(opts, pgstore.Schema(schema))...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func TestAStoreKeepsItsPromisesHoweverItIsReached(t *testing.T) {
	forms(t, func(t *testing.T, address string) {
		durabletest.Store(t, func(t testing.TB) stores.Store { return openedAt(t, address, newSchema()) })
	})
}

// TestStoresOpenedTogetherMakeTheTablesOnce opens one schema many times at the same moment.
func TestStoresOpenedTogetherMakeTheTablesOnce(t *testing.T) {
	forms(t, func(t *testing.T, address string) {
		schema := newSchema()
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				s, err := pgstore.Open(context.Background(), address, pgstore.Schema(schema))
				if assert.NoError(t, err) {
					assert.NoError(t, s.Close())
				}
			})
		}
		all.Wait()
	})
}

// TestWritersInEachOthersWayAllSucceed has groups of swaps, messages and takers of two stores
// meet at the same rows.
func TestWritersInEachOthersWayAllSucceed(t *testing.T) {
	forms(t, func(t *testing.T, address string) {
		schema := newSchema()
		both := []*pgstore.Store{openedAt(t, address, schema), openedAt(t, address, schema)}
		const instances, rounds = 10, 10
		for i := range instances {
			_, err := both[0].Swap(t.Context(), instance(fmt.Sprint("i", i)))
			require.NoError(t, err)
		}
		var all sync.WaitGroup
		for i := range instances {
			id := fmt.Sprint("i", i)
			for _, s := range both {
				all.Go(func() {
					for range rounds {
						assert.NoError(t, s.Send(context.Background(), id, stores.Message{Name: "m"}))
					}
				})
				all.Go(func() {
					for n := 0; n < rounds; {
						r, err := s.Load(context.Background(), id)
						if !assert.NoError(t, err) {
							return
						}
						r.Due = time.Unix(1, 0)
						if _, err = s.Swap(context.Background(), r); err == nil {
							n++
						} else if !assert.ErrorIs(t, err, durable.ErrConflict) {
							return
						}
					}
				})
			}
		}
		for _, s := range both {
			all.Go(func() {
				for range rounds {
					_, _, err := s.Take(context.Background(), stores.Taking{Now: time.Unix(9, 0), Functions: []string{"f"}, Limit: 3})
					assert.NoError(t, err)
				}
			})
		}
		all.Wait()
		for i := range instances {
			list, err := both[0].Inbox(t.Context(), fmt.Sprint("i", i), 0)
			require.NoError(t, err)
			assert.Len(t, list, 2*rounds)
		}
	})
}

// TestAStepsTransactionOverAPooler runs steps whose statements are committed with their results,
// more of them than the pooler lends connections for.
func TestAStepsTransactionOverAPooler(t *testing.T) {
	for _, settings := range [][]string{nil, {"default_transaction_isolation=serializable"}} {
		t.Run(fmt.Sprint(settings), func(t *testing.T) {
			own := strict(t, settings...)
			address := pooler(t, own, "transaction")
			c, err := pgx.Connect(t.Context(), own.Address())
			require.NoError(t, err)
			defer func() { _ = c.Close(context.Background()) }()
			_, err = c.Exec(t.Context(), "CREATE TABLE debits (account TEXT NOT NULL)")
			require.NoError(t, err)
			s := openedAt(t, address, newSchema(), pgstore.Transactions(3))
			served := durable.Serve(engine(t, s, durable.RetryStep("", durable.Retry{Attempts: 50})), stepping(func(ctx context.Context, account string) (int, error) {
				return debit(ctx, "debits", account)
			}), struct{}{})
			for i := range 40 {
				_, err := served.Start(t.Context(), fmt.Sprint("i", i), fmt.Sprint("account ", i))
				require.NoError(t, err)
			}
			for i := range 40 {
				_, err := served.Handle(fmt.Sprint("i", i)).Wait(t.Context())
				require.NoError(t, err)
			}
			var n int
			require.NoError(t, c.QueryRow(t.Context(), "SELECT count(*) FROM debits").Scan(&n))
			assert.Equal(t, 40, n)
		})
	}
}

// TestAStepGivesWayAndIsCalledAgain has the server refuse the first tries of a step's statements.
func TestAStepGivesWayAndIsCalledAgain(t *testing.T) {
	s := opened(t, newSchema())
	for _, code := range []string{"40001", "40P01"} {
		ctx := stores.WithTransactor(t.Context(), s)
		tries := 0
		require.NoError(t, durable.Tx(ctx, func(tx pgx.Tx) error {
			if tries++; tries < 3 {
				_, err := tx.Exec(ctx, "DO $$ BEGIN RAISE EXCEPTION 'give way' USING ERRCODE = '"+code+"'; END $$")
				return err
			}
			_, err := tx.Exec(ctx, "SELECT 1")
			return err
		}))
		assert.Equal(t, 3, tries)
	}
}

// TestAServerThatHasBecomeReadOnlyIsLeft has an address with two servers. The first one becomes
// read-only, as after a fail-over, and the second one can be written to.
func TestAServerThatHasBecomeReadOnlyIsLeft(t *testing.T) {
	one, two := strict(t), strict(t)
	schema := newSchema()
	address := fmt.Sprintf("host=%s,%s port=5432,5432 user=postgres dbname=postgres target_session_attrs=read-write", one.Dir(), two.Dir())
	openedAt(t, two.Address(), schema)
	s := openedAt(t, address, schema)
	_, err := s.Swap(t.Context(), instance("a"))
	require.NoError(t, err)
	c, err := pgx.Connect(t.Context(), one.Address())
	require.NoError(t, err)
	defer func() { _ = c.Close(context.Background()) }()
	_, err = c.Exec(t.Context(), "ALTER SYSTEM SET default_transaction_read_only = on")
	require.NoError(t, err)
	_, err = c.Exec(t.Context(), "SELECT pg_reload_conf()")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := s.Swap(t.Context(), instance("b"))
		var refused *pgconn.PgError
		if errors.As(err, &refused) {
			assert.Equal(t, "25006", refused.Code)
		}
		if err != nil {
			return false
		}
		_, err = s.Load(t.Context(), "a")
		return errors.Is(err, durable.ErrNotFound) // it is on the other server
	}, time.Minute, time.Millisecond)
}

// TestALongCallOfAPurgeIsNotCutOff deletes under a time limit that a large deletion exceeds.
func TestALongCallOfAPurgeIsNotCutOff(t *testing.T) {
	own := strict(t, "statement_timeout=1s")
	schema := newSchema()
	s := openedAt(t, own.Address(), schema)
	r := instance("a")
	r.Status, r.Updated = durable.Completed, time.Unix(1, 0)
	_, err := s.Swap(t.Context(), r)
	require.NoError(t, err)
	c, err := pgx.Connect(t.Context(), own.Address())
	require.NoError(t, err)
	defer func() { _ = c.Close(context.Background()) }()
	name := pgx.Identifier{schema}.Sanitize()
	_, err = c.Exec(t.Context(), fmt.Sprintf(`CREATE FUNCTION %[1]s.slow() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN PERFORM pg_sleep(1.5); RETURN OLD; END $$;
		CREATE TRIGGER slow BEFORE DELETE ON %[1]s.instances FOR EACH ROW EXECUTE FUNCTION %[1]s.slow()`, name))
	require.NoError(t, err)
	n, err := s.Purge(t.Context(), time.Now(), 10)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
}
