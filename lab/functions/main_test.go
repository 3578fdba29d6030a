package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(gcTimes); file != "" {
		os.Exit(runTool(file, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// page returns docs/costs.md, and moves to the folder in which the command runs.
func page(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the go command")
	}
	t.Chdir("..")
	text, err := os.ReadFile("../docs/costs.md")
	require.NoError(t, err)
	return string(text)
}

// said returns the number of functions that the page says, after a text that is there once.
func said(t *testing.T, page, before string) int {
	t.Helper()
	m := regexp.MustCompile(regexp.QuoteMeta(before)+`(\d+)`).FindAllStringSubmatch(page, -1)
	require.Len(t, m, 1, before)
	n, _ := strconv.Atoi(m[0][1])
	return n
}

// TestAServiceHasNoMoreFunctionsThanThePageSays holds the time to compile users' packages. If a
// type that every program mentions gets a method more, this is two for each instance, or more.
func TestAServiceHasNoMoreFunctionsThanThePageSays(t *testing.T) {
	text := page(t)
	service, plain, err := both()
	require.NoError(t, err)
	assert.LessOrEqual(t, service.functions, said(t, text, "service: "))
	assert.Equal(t, plain.functions, said(t, text, "plain: "))
}

func TestOneMoreOfEachHasNoMoreFunctionsThanThePageSays(t *testing.T) {
	text := page(t)
	service, err := compile(folder, nil)
	require.NoError(t, err)
	for _, a := range additions {
		added, err := a.measure(service)
		require.NoError(t, err)
		assert.LessOrEqual(t, added.functions, said(t, text, fmt.Sprintf("| %s | ", a.name)), a.name)
	}
}

// TestATimerSeesTheCompilerAlone holds that the time of gc is that of the changed package, in each
// of several builds of it.
func TestATimerSeesTheCompilerAlone(t *testing.T) {
	page(t)
	timer, err := newTimer(t.TempDir())
	require.NoError(t, err)
	for range 2 {
		d, err := timer.build(plainFolder, plainFolder, nil, filepath.Join(timer.dir, "a"))
		require.NoError(t, err)
		assert.Positive(t, d.gc)
		assert.Greater(t, d.processor, d.gc)
	}
}

// TestCopiesAddUp holds that a copy costs what the first one does, so that a time is that of one.
func TestCopiesAddUp(t *testing.T) {
	page(t)
	var sizes []size
	for n := range 3 {
		s, err := added(copies(additions[0].source, n))
		require.NoError(t, err)
		sizes = append(sizes, s)
	}
	assert.Equal(t, sizes[1].functions-sizes[0].functions, sizes[2].functions-sizes[1].functions)
}
