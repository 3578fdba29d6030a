package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/testmodule"
)

const durableSource = `package p

import "context"

//movenext:durable name=order
func order(ctx context.Context, n int) (int, error) {
	paid, err := pay(ctx, n)
	return 2 * paid, err
}

//movenext:durable name=other
func other(ctx context.Context) error { return nil }

//movenext:step
func pay(ctx context.Context, n int) (int, error) { return n, nil }
`

// durableFolder returns a module whose layouts are written, and its layout file.
func durableFolder(t *testing.T) (dir, layouts string) {
	t.Helper()
	dir = folder(t, map[string]string{"x.go": durableSource})
	status, stdout, stderr := movenext("-C", dir)
	require.Equal(t, exitOK, status, stderr)
	layouts = filepath.Join(dir, "movenext_layouts.txt")
	require.Equal(t, "created "+layouts+"\ncreated "+filepath.Join(dir, "x_async.go")+"\n", stdout)
	return dir, layouts
}

func TestAcceptSaysWhatItAccepts(t *testing.T) {
	dir, layouts := durableFolder(t)
	write := func(old, now string) {
		testmodule.Write(t, filepath.Join(dir, "x.go"), []byte(strings.Replace(durableSource, old, now, 1)))
	}
	write("2 * paid", "3 * paid")
	for _, command := range []string{"check", "generate"} {
		status, stdout, stderr := movenext(command, "-C", dir)
		assert.Equal(t, exitFindings, status)
		assert.Empty(t, stdout, "nothing is written")
		assert.Contains(t, stderr, "x.go:6:6: order: its source has changed since it was accepted; ")
		assert.Contains(t, stderr, "run go tool movenext accept order; ")
	}
	status, stdout, stderr := movenext("accept", "-C", dir, "order")
	assert.Equal(t, exitOK, status, stderr)
	assert.Equal(t, "order: accepted: the changed source; instances in flight continue with it\n"+
		"updated "+layouts+"\nupdated "+filepath.Join(dir, "x_async.go")+"\n", stdout)
	status, stdout, _ = movenext("check", "-C", dir)
	assert.Equal(t, exitOK, status, stdout)

	status, stdout, _ = movenext("accept", "-json", "-C", dir, "order", "other")
	assert.Equal(t, exitOK, status)
	assert.Contains(t, stdout, `"order: there is nothing to accept"`)

	write("n int) (int, error) {\n\tpaid, err := pay(ctx, n)\n\treturn 2 *", "n int64) (int, error) {\n\tpaid, err := pay(ctx, int(n))\n\treturn 2 *")
	status, stdout, stderr = movenext("accept", "-C", dir, "order")
	assert.Equal(t, exitFindings, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "the type of n, which is needed at begin, has changed: it was int and is int64")
	status, stdout, stderr = movenext("accept", "-strand", "-C", dir, "order")
	assert.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "order: instances of layout ")
	assert.Contains(t, stdout, " are left behind\n")
}

func TestAcceptNeedsNamesThatThereAre(t *testing.T) {
	dir, layouts := durableFolder(t)
	before, err := os.ReadFile(layouts)
	require.NoError(t, err)
	status, _, stderr := movenext("accept", "-C", dir)
	assert.Equal(t, exitUsage, status)
	assert.Equal(t, "movenext: accept needs the names of durable functions, as their annotations have them\n", stderr)
	status, _, stderr = movenext("accept", "-C", dir, "order", "ordr")
	assert.Equal(t, exitUsage, status)
	assert.Equal(t, "movenext: no durable function has the name ordr: there are order, other\n", stderr)
	status, _, stderr = movenext("generate", "-strand", "-C", dir)
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, stderr, "-strand")
	status, _, stderr = movenext("accept", "-h")
	assert.Equal(t, exitOK, status)
	assert.Contains(t, stderr, "movenext accept [flags] function ...")
	after, err := os.ReadFile(layouts)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

// A layout file that is not as it was written holds its folder back, and stays as it is.
func TestADamagedLayoutFileIsNamed(t *testing.T) {
	dir, layouts := durableFolder(t)
	cached := t.TempDir()
	status, _, stderr := movenext("check", "-cache", cached, "-C", dir)
	require.Equal(t, exitOK, status, stderr)
	data, err := os.ReadFile(layouts)
	require.NoError(t, err)
	text := string(data)
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ": this file is empty; it has the layouts that instances in flight were saved with; restore it from version control, and generate again"},
		{"cut", text[:len(text)-10], ":24:1: this file ends in the middle; "},
		{"merged", strings.Replace(text, "\tsource", "<<<<<<< ours\n\tsource", 1), ":7:1: this file has the marks of a merge conflict; instances in flight may have the layouts of either side; keep the blocks of both sides, remove the marks, and generate again"},
		{"edited", strings.Replace(text, "value n int", "value n int64", 1), ":8:1: the block of layout "},
		{"binary", "\x00\xff\xfe\n", `:1:1: this file has a line that means nothing here: "\x00\xff\xfe"; `},
	} {
		t.Run(c.name, func(t *testing.T) {
			testmodule.Write(t, layouts, []byte(c.text))
			status, stdout, stderr := movenext("-cache", cached, "-C", dir)
			assert.Equal(t, exitFindings, status)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, layouts+c.want)
			now, err := os.ReadFile(layouts)
			require.NoError(t, err)
			assert.Equal(t, c.text, string(now))
		})
	}
	require.NoError(t, os.Remove(layouts))
	status, stdout, _ := movenext("check", "-cache", cached, "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Equal(t, "missing "+layouts+"\n", stdout)
	testmodule.Write(t, filepath.Join(dir, "x.go"), []byte(strings.ReplaceAll(durableSource, "int", "int64")))
	status, _, stderr = movenext("-cache", cached, "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stderr, "x.go:6:6: order: movenext_layouts.txt is missing; ")
	testmodule.Write(t, filepath.Join(dir, "x.go"), []byte(durableSource))
	testmodule.Write(t, layouts, data)
	status, stdout, stderr = movenext("check", "-cache", cached, "-C", dir)
	assert.Equal(t, exitOK, status, stdout+stderr)
}

// A function that another build has keeps its section.
func TestAFunctionOfAnotherBuildIsNotGone(t *testing.T) {
	dir, layouts := durableFolder(t)
	testmodule.Write(t, filepath.Join(dir, "x.go"), []byte("//go:build special\n\n"+durableSource))
	testmodule.Write(t, filepath.Join(dir, "y.go"), []byte("package p\n"))
	before, err := os.ReadFile(layouts)
	require.NoError(t, err)
	status, stdout, stderr := movenext("-C", dir)
	assert.Equal(t, exitOK, status, stderr)
	assert.Empty(t, stdout)
	status, _, stderr = movenext("-tags", "special", "-C", dir)
	assert.Equal(t, exitOK, status, stderr)
	after, err := os.ReadFile(layouts)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}
