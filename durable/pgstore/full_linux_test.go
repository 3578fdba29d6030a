package pgstore_test

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable/pgstore"
	"github.com/movenext/movenext/durable/pgstore/pgtest"
)

// limited calls f while the files of processes that it starts are limited to a number of bytes.
func limited(t *testing.T, bytes uint64, f func()) {
	t.Helper()
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}))
	defer func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)) }()
	f()
}

// TestAFullDiskFailsTheWritesThatNeedRoom uses a server whose files cannot grow. To the store
// that looks like a full disk, and no separate disk is needed. The files of the log have 16 MB
// from the start.
func TestAFullDiskFailsTheWritesThatNeedRoom(t *testing.T) {
	dir, err := os.MkdirTemp("", "pgtest") //nolint:usetesting // other users may not enter that
	require.NoError(t, err)
	defer func() { assert.NoError(t, os.RemoveAll(dir)) }()
	var full *pgtest.Server
	limited(t, 17<<20, func() {
		full, err = pgtest.Start(t.Context(), dir)
		require.NoError(t, err)
	})
	s, err := pgstore.Open(t.Context(), full.Address())
	require.NoError(t, err)
	small := instance("small")
	_, err = s.Swap(t.Context(), small)
	require.NoError(t, err)
	refused := instance("first")
	for n := 0; err == nil; n++ {
		require.Less(t, n, 100, "the disk has no end")
		refused = instance(fmt.Sprint("large ", n))
		refused.State = make([]byte, 1<<20)
		_, err = s.Swap(t.Context(), refused)
	}
	var why *pgconn.PgError
	require.ErrorAs(t, err, &why)
	require.ErrorContains(t, err, "could not")
	assert.Zero(t, refused.Version)
	_, err = s.Swap(t.Context(), small)
	require.NoError(t, err, "another write is not disturbed")
	r, err := s.Load(t.Context(), "large 0")
	require.NoError(t, err)
	assert.Len(t, r.State, 1<<20)
	require.NoError(t, s.Close())
	full.Stop()

	room, err := pgtest.Start(t.Context(), dir)
	require.NoError(t, err)
	defer room.Stop()
	s, err = pgstore.Open(t.Context(), room.Address())
	require.NoError(t, err)
	defer func() { _ = s.Close() }()
	_, err = s.Swap(t.Context(), refused)
	require.NoError(t, err, "with room the same write succeeds")
	assert.EqualValues(t, 1, refused.Version)
}
