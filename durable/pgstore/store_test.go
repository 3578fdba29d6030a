package pgstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/pgstore"
	"github.com/movenext/movenext/durable/pgstore/pgtest"
	"github.com/movenext/movenext/durable/stores"
)

// server is the server of all tests. Each test has a schema of its own. It does not sync its disk:
// none of the tests ends the machine.
var server *pgtest.Server

func TestMain(m *testing.M) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	s, err := pgtest.Start(ctx, "", "fsync=off")
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server = s
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent(), goleak.Cleanup(func(code int) {
		s.Stop()
		_ = os.RemoveAll(s.Dir())
		os.Exit(code)
	}))
}

var schemas atomic.Int64

func newSchema() string { return fmt.Sprintf("a \"schema\" %d", schemas.Add(1)) }

func opened(t testing.TB, schema string) *pgstore.Store {
	t.Helper()
	s, err := pgstore.Open(t.Context(), server.Address(), pgstore.Schema(schema))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func TestStore(t *testing.T) {
	durabletest.Store(t, func(t testing.TB) stores.Store { return opened(t, newSchema()) })
}

// TestADamagedRowHarmsNoOther puts values of its type into any column: labels that are none, and
// numbers that no store has written.
func TestADamagedRowHarmsNoOther(t *testing.T) {
	schema := newSchema()
	s := opened(t, schema)
	c, err := pgx.Connect(t.Context(), server.Address())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	var places, types []string
	rows, err := c.Query(t.Context(), `SELECT table_name || ' ' || column_name, data_type FROM information_schema.columns
		WHERE table_schema = $1 AND table_name IN ('instances', 'messages') AND column_name <> 'id' ORDER BY 1`, schema)
	require.NoError(t, err)
	for rows.Next() {
		var place, typ string
		require.NoError(t, rows.Scan(&place, &typ))
		places, types = append(places, place), append(types, typ)
	}
	require.NoError(t, rows.Err())
	require.Greater(t, len(places), 20)
	values := map[string][]any{
		"text":   {"", "{", strings.Repeat("{", 100_000), `{"a":1}`, "[]"},
		"bigint": {int64(-1), int64(0), int64(-1 << 63), int64(1<<63 - 1)},
		"bytea":  {[]byte{}, []byte("\xff\x00")},
	}
	durabletest.Damaged(t, s, func(random *rand.Rand, id string) string {
		n := random.IntN(len(places))
		if random.IntN(3) == 0 { // the column that most often cannot be read
			n = slices.Index(places, "instances labels")
		}
		table, column, _ := strings.Cut(places[n], " ")
		list := values[types[n]]
		require.NotEmpty(t, list, types[n])
		k := random.IntN(len(list))
		where := " WHERE id = $2"
		if table == "messages" {
			where += " AND seq = 2"
		}
		_, err := c.Exec(t.Context(), "UPDATE "+pgx.Identifier{schema, table}.Sanitize()+" SET "+column+" = $1"+where, list[k], id)
		require.NoError(t, err)
		return fmt.Sprint(places[n], " value ", k)
	})
}

func instance(id string) *stores.Record {
	return &stores.Record{ID: id, Function: "f", Run: "r", Status: durable.Waiting, State: []byte("state")}
}

func TestWhatWasWrittenIsThereAgain(t *testing.T) {
	schema := newSchema()
	first := opened(t, schema)
	_, err := first.Swap(t.Context(), instance("a"))
	require.NoError(t, err)
	require.NoError(t, first.Close())
	require.NoError(t, first.Close(), "a second time")
	_, err = first.Load(t.Context(), "a")
	require.ErrorIs(t, err, pgstore.ErrClosed)
	_, err = first.Swap(t.Context(), instance("b"))
	require.ErrorIs(t, err, pgstore.ErrClosed)

	r, err := opened(t, schema).Load(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "state", string(r.State))
	_, err = opened(t, newSchema()).Load(t.Context(), "a")
	require.ErrorIs(t, err, durable.ErrNotFound, "another schema is another store")
}

// TestTablesOfANewerVersionAreRefused has a worker of the old version running while the new one
// is deployed.
func TestTablesOfANewerVersionAreRefused(t *testing.T) {
	schema := newSchema()
	old := opened(t, schema)
	c, err := pgx.Connect(t.Context(), server.Address())
	require.NoError(t, err)
	defer func() { _ = c.Close(t.Context()) }()
	_, err = c.Exec(t.Context(), "UPDATE "+pgx.Identifier{schema, "movenext_version"}.Sanitize()+" SET version = 99")
	require.NoError(t, err)
	_, err = pgstore.Open(t.Context(), server.Address(), pgstore.Schema(schema))
	require.ErrorIs(t, err, pgstore.ErrVersion)
	require.ErrorContains(t, err, "has 99")
	_, err = old.Swap(t.Context(), instance("a"))
	require.NoError(t, err, "a worker that runs goes on")
}

func TestWhatCannotBeOpenedSaysWhy(t *testing.T) {
	_, err := pgstore.Open(t.Context(), "this is not an address")
	require.ErrorContains(t, err, "pgstore: opening the store")
	_, err = pgstore.Open(t.Context(), "host="+t.TempDir())
	require.Error(t, err, "there is no server")
	_, err = pgstore.Open(t.Context(), server.Address(), pgstore.Schema(""), nil)
	require.ErrorContains(t, err, "empty")
}

// TestAUserWithoutRightsIsTold opens the store as a user who may not create a schema, and then as
// one who may use the existing tables.
func TestAUserWithoutRightsIsTold(t *testing.T) {
	c, err := pgx.Connect(t.Context(), server.Address())
	require.NoError(t, err)
	defer func() { _ = c.Close(context.Background()) }()
	_, err = c.Exec(t.Context(), "CREATE ROLE guest LOGIN")
	require.NoError(t, err)
	guest := strings.Replace(server.Address(), "user=postgres", "user=guest", 1)
	schema := newSchema()
	_, err = pgstore.Open(t.Context(), guest, pgstore.Schema(schema))
	require.ErrorIs(t, err, pgstore.ErrRights)
	require.ErrorContains(t, err, "permission denied")

	opened(t, schema)
	name := pgx.Identifier{schema}.Sanitize()
	_, err = c.Exec(t.Context(), "GRANT USAGE ON SCHEMA "+name+" TO guest; GRANT ALL ON ALL TABLES IN SCHEMA "+name+" TO guest")
	require.NoError(t, err)
	s, err := pgstore.Open(t.Context(), guest, pgstore.Schema(schema))
	require.NoError(t, err)
	defer func() { _ = s.Close() }()
	_, err = s.Swap(t.Context(), instance("a"))
	require.NoError(t, err)
}

func TestTextsThatPostgresCannotKeepAreRefused(t *testing.T) {
	s := opened(t, newSchema())
	for _, text := range []string{"a\x00b", "\xff"} {
		_, err := s.Swap(t.Context(), instance(text))
		require.ErrorIs(t, err, durable.ErrUnstorable)
		_, err = s.Load(t.Context(), text)
		require.ErrorIs(t, err, durable.ErrUnstorable)
		require.ErrorIs(t, s.Send(t.Context(), "a", stores.Message{Name: text}), durable.ErrUnstorable)
	}
	r := instance("a")
	r.Reason, r.Labels = "panic: \x00\xff", map[string]string{"any": "\x00"}
	_, err := s.Swap(t.Context(), r)
	require.NoError(t, err, "what people read is made readable")
	got, err := s.Load(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "panic: \uFFFD\uFFFD", got.Reason)
	assert.Equal(t, r.Labels, got.Labels)
}

// TestASendMeetsTheEndOfAWait has a sender and a worker write to the same row, again and again:
// the message is either seen by the swap, or makes the instance due.
func TestASendMeetsTheEndOfAWait(t *testing.T) {
	s := opened(t, newSchema())
	for i := range 50 {
		r := instance(fmt.Sprint("i", i))
		r.Owner = "w"
		_, err := s.Swap(t.Context(), r)
		require.NoError(t, err)
		r.Owner = ""
		var both sync.WaitGroup
		both.Go(func() { assert.NoError(t, s.Send(context.Background(), r.ID, stores.Message{Name: "m", Key: "k"})) })
		both.Go(func() { assert.NoError(t, s.Send(context.Background(), r.ID, stores.Message{Name: "m", Key: "k"})) })
		both.Go(func() {
			_, err := s.Swap(context.Background(), r)
			assert.NoError(t, err)
		})
		both.Wait()
		taken, _, err := s.Take(t.Context(), stores.Taking{Now: time.Unix(1, 0), Hide: time.Hour, Functions: []string{"f"}, Limit: 10})
		require.NoError(t, err)
		require.Len(t, taken, 1)
		assert.Equal(t, r.ID, taken[0].ID)
		list, err := s.Inbox(t.Context(), r.ID, 0)
		require.NoError(t, err)
		assert.Len(t, list, 1, "one of two with the same key")
	}
}

// TestACrashOfTheServerLosesNothingThatWasAnswered kills the server in the middle of writes.
func TestACrashOfTheServerLosesNothingThatWasAnswered(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	own, err := pgtest.Start(ctx, "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(own.Dir()) })
	s, err := pgstore.Open(ctx, own.Address())
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	var written sync.Map
	var writers sync.WaitGroup
	enough := make(chan struct{}, 1)
	for w := range 8 {
		writers.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d", w, i)
				if _, err := s.Swap(ctx, instance(id)); err != nil {
					return // the server is gone
				}
				written.Store(id, true)
				if i == 20 {
					select {
					case enough <- struct{}{}:
					default:
					}
				}
			}
		})
	}
	<-enough
	own.Kill()
	writers.Wait()
	_, err = s.Load(ctx, "0-0")
	require.Error(t, err, "while the server is down")

	again, err := pgtest.Start(ctx, own.Dir())
	require.NoError(t, err)
	defer again.Stop()
	written.Range(func(id, _ any) bool {
		_, err := s.Load(ctx, id.(string))
		return assert.NoError(t, err, id)
	})
}

func TestTakingTellsNothing(t *testing.T) {
	s := opened(t, newSchema())
	told := 0
	defer s.Notify(func() { told++ })()
	_, err := s.Swap(t.Context(), instance("a"))
	require.NoError(t, err)
	assert.Equal(t, 1, told)
	_, _, err = s.Take(t.Context(), stores.Taking{Now: time.Now(), Hide: time.Hour, Functions: []string{"f"}, Limit: 10})
	require.NoError(t, err)
	assert.Equal(t, 1, told)
}

func TestAWorkerThatWakesUpAfterItsLeaseChangesNothing(t *testing.T) {
	schema := newSchema()
	durabletest.TwoWorkers(t, opened(t, schema), opened(t, schema))
}

func BenchmarkSwap(b *testing.B) {
	for _, writers := range []int{1, 16, 64} {
		b.Run(fmt.Sprint("writers ", writers), func(b *testing.B) {
			s := opened(b, newSchema())
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					r := instance(fmt.Sprint(w))
					r.State = make([]byte, 500)
					for i := w; i < b.N; i += writers {
						if _, err := s.Swap(context.Background(), r); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
		})
	}
}

func TestTwoProgramsOfOneNameLeaveEachOtherAlone(t *testing.T) {
	schema := newSchema()
	durabletest.TwoPrograms(t, opened(t, schema), opened(t, schema))
}
