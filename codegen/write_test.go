package codegen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNothingIsWrittenIfOneFileOfAFolderCannotBe(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "a_async.go")
	orphan := filepath.Join(dir, "b_async.go")
	for _, path := range []string{old, orphan} {
		require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	}
	impossible := filepath.Join(dir, "missing", "c_async.go")
	path, err := apply([]FileChange{
		{Path: old, Change: Updated, Data: []byte("new")},
		{Path: orphan, Change: Removed},
		{Path: impossible, Change: Created, Data: []byte("new")},
	})
	assert.Equal(t, impossible, path)
	assert.ErrorIs(t, err, os.ErrNotExist)
	for _, path := range []string{old, orphan} {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "old", string(data))
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "no temporary file is left")
}

func TestAFileIsReplacedAndNotRewritten(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a_async.go"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	require.NoError(t, os.Link(path, other))
	_, err := apply([]FileChange{{Path: path, Change: Updated, Data: []byte("new")}})
	require.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "new", string(data))
	data, err = os.ReadFile(other)
	require.NoError(t, err)
	assert.Equal(t, "old", string(data), "who has the old file open keeps all of it")
}
