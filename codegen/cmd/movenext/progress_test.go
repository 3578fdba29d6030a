package main

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newLine returns a progress line on a terminal that the test can read.
func newLine(t *testing.T) (*progress, *bytes.Buffer) {
	t.Helper()
	var screen bytes.Buffer
	p := &progress{w: &screen, timer: time.NewTimer(time.Hour)}
	return p, &screen
}

func TestTheProgressLineAppearsOnlyInLongRuns(t *testing.T) {
	p, screen := newLine(t)
	p.step(0, 0)
	p.step(1, 2)
	p.clear()
	assert.Empty(t, screen.String())
}

func TestTheProgressLineOverwritesItselfAndIsGoneInTheEnd(t *testing.T) {
	p, screen := newLine(t)
	p.step(0, 0)
	p.appear()
	assert.Equal(t, "\rmovenext: loading packages", screen.String())
	screen.Reset()
	p.step(1, 200)
	assert.Equal(t, "\rmovenext: generating, 0 % ", screen.String())
	screen.Reset()
	p.step(1, 200)
	assert.Empty(t, screen.String(), "nothing new to say")
	p.step(100, 200)
	assert.Equal(t, "\rmovenext: generating, 50 %", screen.String())
	screen.Reset()
	p.clear()
	assert.Equal(t, "\r                          \r", screen.String())
	screen.Reset()
	p.step(200, 200)
	assert.Empty(t, screen.String(), "a step that was on its way")
}

func TestALongRunSaysOnceWhatItDoesWithoutATerminal(t *testing.T) {
	p, out := newLine(t)
	p.once = true
	p.step(0, 0)
	assert.Empty(t, out.String(), "it is not long yet")
	p.appear()
	p.step(1, 2)
	p.clear()
	assert.Equal(t, "movenext: loading packages; a first run looks at everything, later ones at what has changed\n", out.String())
}

func TestThereIsNoProgressLineInAPipeOrAFile(t *testing.T) {
	t.Setenv("TERM", "xterm")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _ = r.Close() }()
	defer func() { _ = w.Close() }()
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer func() { _ = device.Close() }()
	assert.False(t, isTerminal(&bytes.Buffer{}))
	assert.False(t, isTerminal(w))
	assert.False(t, isTerminal(file))
	assert.True(t, isTerminal(device), "a device is as near to a terminal as a test can have")
	t.Setenv("TERM", "dumb")
	assert.False(t, isTerminal(device))
}
