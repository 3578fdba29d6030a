package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// files: 20 <nil>
	// saved: <nil>
	// saved again: second <nil> <nil>
	// no such file: true
	// copied: 6 <nil>
	// canceled: true Canceled
}

func TestAFailedSaveLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "name")
	require.NoError(t, os.MkdirAll(filepath.Join(name, "a folder with a file"), 0o750))
	_, err := save(t.Context(), name, []byte("text")).Wait(t.Context())
	assert.Error(t, err, "a file cannot replace a folder")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

// TestACanceledJobThatWaitsForASlotIsNotRun fills the lane.
func TestACanceledJobThatWaitsForASlotIsNotRun(t *testing.T) {
	defer job.SetBlockingLimit(job.SetBlockingLimit(1))
	job.OnBlockingFull(func(schedulers.Metrics) {})
	defer job.OnBlockingFull(nil)
	began, release := make(chan struct{}), make(chan struct{})
	first := job.Blocking(t.Context(), func(context.Context) (job.Void, error) {
		close(began)
		<-release
		return job.Void{}, nil
	})
	<-began
	ctx, cancel := context.WithCancel(t.Context())
	second := job.Blocking(ctx, func(context.Context) (job.Void, error) { panic("it runs") })
	cancel()
	close(release)
	_, err := second.Wait(t.Context())
	assert.ErrorIs(t, err, context.Canceled)
	_, err = first.Wait(t.Context())
	assert.NoError(t, err)
}

func TestWalk(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, plant(dir, 3, 2, 10))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "top"), []byte("12345"), 0o600))
	files, err := walkAsync(t.Context(), dir, 2).Wait(t.Context())
	require.NoError(t, err)
	plain, err := walk(t.Context(), dir, 2)
	require.NoError(t, err)
	assert.Equal(t, files, plain, "both forms")
	require.Len(t, files, 7)
	assert.Equal(t, file{filepath.Join(dir, "top"), 5}, files[0])
	_, err = walkAsync(t.Context(), filepath.Join(dir, "gone"), 2).Wait(t.Context())
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestMeasure(t *testing.T) {
	var out strings.Builder
	require.NoError(t, measure(t.Context(), &out, t.TempDir(), 2))
	assert.Equal(t, 4, strings.Count(out.String(), " a file\n"))
}
