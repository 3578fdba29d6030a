package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recording writes a recording of a job and returns the name of the file.
func recording(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "lesson.rec")
	s := manual.New()
	r, err := record.Create(name, record.Of(s))
	require.NoError(t, err)
	job.Go(schedulers.With(context.Background(), s), func(context.Context) error { return nil }, job.Named("hello"))
	s.RunAll()
	require.NoError(t, r.Stop())
	return name
}

func TestEachFormat(t *testing.T) {
	name := recording(t)
	for format, has := range map[string]string{"html": `"title":"lesson"`, "text": "manual.Scheduler: begun hello worker=1"} {
		var out strings.Builder
		require.NoError(t, run([]string{"-format=" + format, name}, &out, io.Discard))
		assert.Contains(t, out.String(), has)
	}
	var out strings.Builder
	require.EqualError(t, run([]string{"-format=pdf", name}, &out, io.Discard), `the format "pdf" is none of html, text`)
}

func TestAFileIsWritten(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, run([]string{"-o", page, "-title=mine", "-source", "-from=1", recording(t)}, io.Discard, io.Discard))
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"title":"mine"`)
	assert.Contains(t, string(text), `"left":1`)
	require.Error(t, run([]string{"-o", filepath.Join(page, "no"), recording(t)}, io.Discard, io.Discard))
}

func TestARecordingThatBreaksOffIsShown(t *testing.T) {
	name := recording(t)
	whole, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, whole[:len(whole)-10], 0o600))
	var out, warning bytes.Buffer
	require.NoError(t, run([]string{"-format=text", name}, &out, &warning))
	assert.Contains(t, out.String(), "submitted hello")
	assert.Contains(t, warning.String(), "not whole")
}

func TestBadArguments(t *testing.T) {
	var usage strings.Builder
	require.EqualError(t, run(nil, io.Discard, &usage), "one recording is needed")
	assert.Contains(t, usage.String(), "usage: play")
	require.ErrorIs(t, run([]string{"-help"}, io.Discard, io.Discard), flag.ErrHelp)
	require.Error(t, run([]string{"-bad"}, io.Discard, io.Discard))
	require.ErrorIs(t, run([]string{filepath.Join(t.TempDir(), "none")}, io.Discard, io.Discard), os.ErrNotExist)
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.WriteFile(other, []byte("something else"), 0o600))
	require.ErrorIs(t, run([]string{other}, io.Discard, io.Discard), record.ErrFormat)
}
