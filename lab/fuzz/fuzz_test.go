package main

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEachTargetIsRun(t *testing.T) {
	found, err := declared(filepath.Join("..", ".."))
	require.NoError(t, err)
	var listed []string
	surfaces := map[string]bool{}
	for _, c := range targets {
		listed = append(listed, c.folder+" "+c.function)
		assert.False(t, surfaces[c.surface], c.surface)
		surfaces[c.surface] = true
	}
	assert.ElementsMatch(t, found, listed)
}

func TestSurfacesAreChosenByName(t *testing.T) {
	all, err := choose(nil)
	require.NoError(t, err)
	assert.Equal(t, targets, all)
	some, err := choose([]string{"replay", "layout"})
	require.NoError(t, err)
	assert.Equal(t, "FuzzReplay", some[0].function)
	assert.Equal(t, "FuzzParse", some[1].function)
	_, err = choose([]string{"repaly"})
	require.ErrorContains(t, err, `there is no surface "repaly"`)
}

func TestARunIsOneLine(t *testing.T) {
	line, err := conclude("fuzz: elapsed: 3s, execs: 325 (108/sec)\nfuzz: elapsed: 6s, execs: 651 (108/sec)\nPASS\n", nil, 6*time.Second)
	require.NoError(t, err)
	assert.Equal(t, "651 runs in 6s, no findings", line)
	line, err = conclude("ok  \texample.com/m\t0.1s [no tests to run]\n", nil, time.Second)
	require.ErrorIs(t, err, errNotRun, "a target that has another name now")
	assert.Contains(t, line, "no tests to run")
	broken := errors.New("exit status 1")
	line, err = conclude("panic: found\n", broken, time.Second)
	require.ErrorIs(t, err, broken)
	assert.Contains(t, line, "panic: found")
}
