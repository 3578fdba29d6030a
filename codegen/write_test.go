package codegen

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generatedFolder returns a folder with two old files.
func generatedFolder(t *testing.T) (dir, old, orphan string) {
	t.Helper()
	dir = t.TempDir()
	old, orphan = filepath.Join(dir, "a_async.go"), filepath.Join(dir, "b_async.go")
	for _, path := range []string{old, orphan} {
		require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	}
	return dir, old, orphan
}

// untouched requires that the folder contains the old files, and this number of others.
func untouched(t *testing.T, dir string, others int) {
	t.Helper()
	for _, name := range []string{"a_async.go", "b_async.go"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, "old", string(data))
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2+others, "no temporary file is left")
}

func TestNothingIsWrittenIfOneFileOfAFolderCannotBe(t *testing.T) {
	dir, old, orphan := generatedFolder(t)
	impossible := filepath.Join(dir, "missing", "c_async.go")
	path, err := onDisk.apply([]FileChange{
		{Path: old, Change: Updated, Data: []byte("new")},
		{Path: orphan, Change: Removed},
		{Path: impossible, Change: Created, Data: []byte("new")},
	})
	assert.Equal(t, impossible, path)
	assert.ErrorIs(t, err, os.ErrNotExist)
	untouched(t, dir, 0)
}

func TestAReplacedFileIsRestoredIfALaterOneFails(t *testing.T) {
	dir, old, orphan := generatedFolder(t)
	// Between preparing and renaming, a folder takes the name, and no rename replaces a
	// folder.
	taken := filepath.Join(dir, "d_async.go")
	racing := disk{create: func(dir, pattern string) (tempFile, error) {
		f, err := os.CreateTemp(dir, pattern)
		if strings.HasPrefix(pattern, ".d_async.go.") {
			require.NoError(t, os.MkdirAll(filepath.Join(taken, "in the way"), 0o755))
		}
		return f, err
	}}
	path, err := racing.apply([]FileChange{
		{Path: old, Change: Updated, Data: []byte("new")},
		{Path: orphan, Change: Removed},
		{Path: filepath.Join(dir, "c_async.go"), Change: Created, Data: []byte("new")},
		{Path: taken, Change: Created, Data: []byte("new")},
	})
	assert.Equal(t, taken, path)
	assert.Error(t, err)
	assert.NoFileExists(t, filepath.Join(dir, "c_async.go"))
	untouched(t, dir, 1)
}

// failingFile is a file on a full disk.
type failingFile struct {
	tempFile
	write, close error
}

func (f failingFile) Write(data []byte) (int, error) {
	if f.write != nil {
		n, _ := f.tempFile.Write(data[:len(data)/2])
		return n, f.write
	}
	return f.tempFile.Write(data)
}

func (f failingFile) Close() error {
	if err := f.tempFile.Close(); err != nil {
		return err
	}
	return f.close
}

func TestAFullDiskAndAReadOnlyFolderLeaveTheOldFiles(t *testing.T) {
	for name, broken := range map[string]struct {
		create func(f tempFile) (tempFile, error)
		want   error
	}{
		"full when written": {func(f tempFile) (tempFile, error) { return failingFile{f, syscall.ENOSPC, nil}, nil }, syscall.ENOSPC},
		"full when closed":  {func(f tempFile) (tempFile, error) { return failingFile{f, nil, syscall.ENOSPC}, nil }, syscall.ENOSPC},
		"read-only": {func(f tempFile) (tempFile, error) {
			require.NoError(t, f.Close())
			require.NoError(t, os.Remove(f.Name()))
			return nil, fs.ErrPermission
		}, fs.ErrPermission},
	} {
		t.Run(name, func(t *testing.T) {
			dir, old, orphan := generatedFolder(t)
			count := 0
			d := disk{create: func(dir, pattern string) (tempFile, error) {
				f, err := os.CreateTemp(dir, pattern)
				require.NoError(t, err)
				if count++; count < 4 {
					return f, nil
				}
				return broken.create(f)
			}}
			last := filepath.Join(dir, "c_async.go")
			path, err := d.apply([]FileChange{
				{Path: old, Change: Updated, Data: []byte("new")},
				{Path: orphan, Change: Removed},
				{Path: last, Change: Created, Data: []byte("new")},
			})
			assert.Equal(t, last, path)
			assert.ErrorIs(t, err, broken.want)
			untouched(t, dir, 0)
		})
	}
}

func TestAFailureToWriteIsAFindingWithThePathAndWhatToDo(t *testing.T) {
	finding := cannotWrite("x_async.go", syscall.ENOSPC)
	assert.Equal(t, "write", finding.Category)
	assert.Equal(t, "x_async.go: cannot write: "+syscall.ENOSPC.Error()+
		"; the files of a folder are replaced all together or not at all, so the old ones are still there; make the folder writable, or free some space, and run again", finding.String())
}

func TestAFileIsReplacedAndNotRewritten(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a_async.go"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	require.NoError(t, os.Link(path, other))
	_, err := onDisk.apply([]FileChange{{Path: path, Change: Updated, Data: []byte("new")}})
	require.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "new", string(data))
	data, err = os.ReadFile(other)
	require.NoError(t, err)
	assert.Equal(t, "old", string(data), "a reader of the old file keeps all of it")
}
