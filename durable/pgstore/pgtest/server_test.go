package pgtest_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable/pgstore/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A server in a temporary directory.
func ExampleStart() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := pgtest.Start(ctx, "", "fsync=off")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(s.Dir()) }()
	defer s.Stop()
	c, err := pgx.Connect(ctx, s.Address())
	if err != nil {
		fmt.Println(err)
		return
	}
	var fsync string
	err = c.QueryRow(ctx, "SHOW fsync").Scan(&fsync)
	fmt.Println(fsync, err, c.Close(ctx))
	// Output: off <nil> <nil>
}

// TestAServerComesBackAfterACrash checks that a restarted server has what was committed before.
func TestAServerComesBackAfterACrash(t *testing.T) {
	dir, err := os.MkdirTemp("", "pgtest") //nolint:usetesting // other users may not enter that
	require.NoError(t, err)
	defer func() { assert.NoError(t, os.RemoveAll(dir)) }()
	ask := func(stop func(*pgtest.Server), query string) {
		s, err := pgtest.Start(t.Context(), dir)
		require.NoError(t, err)
		defer stop(s)
		c, err := pgx.Connect(t.Context(), s.Address())
		require.NoError(t, err)
		_, err = c.Exec(t.Context(), query)
		require.NoError(t, err)
		require.NoError(t, c.Close(t.Context()))
	}
	ask((*pgtest.Server).Kill, "CREATE TABLE survivors ()")
	ask((*pgtest.Server).Stop, "TABLE survivors")
}

func TestNewLastsAsLongAsTheTest(t *testing.T) {
	var address string
	t.Run("inner", func(t *testing.T) {
		address = pgtest.New(t)
		c, err := pgx.Connect(t.Context(), address)
		require.NoError(t, err)
		require.NoError(t, c.Close(t.Context()))
	})
	_, err := pgx.Connect(t.Context(), address)
	require.Error(t, err)
}

func TestWithoutAServerTheErrorSaysWhatToDo(t *testing.T) {
	_, err := pgtest.Start(t.Context(), "", "no_such_setting=1")
	require.ErrorContains(t, err, "no_such_setting", "what the server says")
	t.Setenv(pgtest.Programs, t.TempDir())
	_, err = pgtest.Start(t.Context(), "")
	require.ErrorIs(t, err, pgtest.ErrNotInstalled)
}
