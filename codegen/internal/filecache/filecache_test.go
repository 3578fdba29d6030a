package filecache

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheCacheHasTheValuesThatWerePut(t *testing.T) {
	d := Open(filepath.Join(t.TempDir(), "not", "there", "yet"))
	_, ok := d.Get(Key{1})
	assert.False(t, ok)
	require.NoError(t, d.Put(Key{1}, []byte("one")))
	require.NoError(t, d.Put(Key{2}, nil))
	require.NoError(t, d.Put(Key{1}, []byte("another")))

	value, ok := Open(d.path).Get(Key{1})
	assert.True(t, ok)
	assert.Equal(t, "another", string(value))
	value, ok = d.Get(Key{2})
	assert.True(t, ok)
	assert.Empty(t, value)
	_, ok = d.Get(Key{3})
	assert.False(t, ok)
}

func TestADamagedEntryIsNone(t *testing.T) {
	d := Open(t.TempDir())
	require.NoError(t, d.Put(Key{1}, []byte("the value")))
	whole, err := os.ReadFile(d.entry(Key{1}))
	require.NoError(t, err)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	for name, data := range map[string][]byte{
		"empty": nil, "short": whole[:5], "cut": whole[:len(whole)-1], "longer": append(bytes.Clone(whole), 0), "flipped": flipped,
	} {
		require.NoError(t, os.WriteFile(d.entry(Key{1}), data, 0o644))
		_, ok := d.Get(Key{1})
		assert.False(t, ok, name)
	}
}

func TestAFolderThatCannotBeMadeIsAnErrorOfPutAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	d := Open(path)
	require.ErrorContains(t, d.Put(Key{1}, []byte("v")), "filecache: ")
	_, ok := d.Get(Key{1})
	assert.False(t, ok)
}

func TestWritersOfOneKeyLeaveTheEntryOfOneOfThem(t *testing.T) {
	d := Open(t.TempDir())
	require.NoError(t, d.Put(Key{1}, make([]byte, 1000)))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				value := bytes.Repeat([]byte{byte(i)}, 1000*(i+1))
				_ = d.Put(Key{1}, value) // Windows does not replace a file that is being read
				got, ok := d.Get(Key{1})
				assert.True(t, ok)
				assert.Len(t, got, 1000*(int(got[0])+1))
			}
		})
	}
	wg.Wait()
	entries, err := os.ReadDir(filepath.Dir(d.entry(Key{1})))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no temporary file is left")
}

func TestEntriesThatAreNotUsedAreRemovedAndOthersAreNot(t *testing.T) {
	d := Open(t.TempDir())
	require.NoError(t, d.Put(Key{1}, []byte("asked for")))
	require.NoError(t, d.Put(Key{2}, []byte("forgotten")))
	foreign := filepath.Join(d.path, "notes.txt")
	require.NoError(t, os.WriteFile(foreign, nil, 0o644))
	long := time.Now().Add(-2 * maxAge)
	for _, path := range []string{d.entry(Key{1}), d.entry(Key{2}), foreign, filepath.Join(d.path, trimmedName)} {
		require.NoError(t, os.Chtimes(path, long, long))
	}
	_, ok := d.Get(Key{1})
	require.True(t, ok)
	require.NoError(t, d.Put(Key{3}, []byte("new")))

	_, ok = d.Get(Key{1})
	assert.True(t, ok)
	assert.NoFileExists(t, d.entry(Key{2}))
	assert.FileExists(t, foreign)
}

func TestTrimmingIsNotDoneEveryTime(t *testing.T) {
	d := Open(t.TempDir())
	require.NoError(t, d.Put(Key{1}, []byte("old")))
	long := time.Now().Add(-2 * maxAge)
	require.NoError(t, os.Chtimes(d.entry(Key{1}), long, long))
	require.NoError(t, d.Put(Key{2}, []byte("new")))
	assert.FileExists(t, d.entry(Key{1}))
	later := Open(d.path)
	later.now = func() time.Time { return time.Now().Add(2 * trimInterval) }
	require.NoError(t, later.Put(Key{2}, []byte("new")))
	assert.NoFileExists(t, d.entry(Key{1}))
}
