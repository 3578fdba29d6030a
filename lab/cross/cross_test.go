package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// typeErrors is a module that compiles on linux/amd64 only.
const typeErrors = `
-- go.mod --
module example.com/m

go 1.26.0
-- tag/tag.go --
package tag

import "unicode/utf8"

var Lines = lines + utf8.RuneLen('«')
-- tag/tag_linux.go --
package tag

const lines = 1
-- tag/tag_windows.go --
//go:build plan9

package tag

const lines = 2
-- width/width.go --
package width

var Limit = 1 << 40
-- method/method.go --
package method

import "io"

var C io.Closer = conn{}
-- method/method_linux.go --
package method

type conn struct{}

func (conn) Close() error { return nil }
-- method/method_windows.go --
package method

type conn struct{}

func (conn) Close() {}
-- method/method_386.go --
package method

func native() int
-- test/test_windows_test.go --
package test_test

import "os"
`

// vetErrors is a module that compiles everywhere.
const vetErrors = `
-- go.mod --
module example.com/m

go 1.26.0
-- size/size.go --
package size

func High(n int) int { return n >> 40 }
-- print/print.go --
package print
-- print/print_windows_test.go --
package print

import "testing"

func helper(t *testing.T, format string, args ...any) { t.Logf(format, args...) }

func TestIt(t *testing.T) { helper(t, "%d", "one") }
`

func TestMistakesOfOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the go command")
	}
	for _, c := range []struct {
		module, target string
		want           []string
	}{
		{typeErrors, "linux/amd64", nil},
		{typeErrors, "windows/amd64", []string{
			`method/method.go:5:19: cannot use conn{} (value of struct type conn) as io.Closer value in variable declaration: conn does not implement io.Closer (wrong type for method Close)` +
				"\n\t\thave Close()\n\t\twant Close() error",
			`tag/tag.go:5:13: undefined: lines`,
			`test/test_windows_test.go:3:8: "os" imported and not used`,
		}},
		{typeErrors, "linux/386", []string{
			`method/method_386.go:3:1: the function has no body`,
			`width/width.go:3:13: cannot use 1 << 40 (untyped int constant 1099511627776) as int value in variable declaration (overflows)`,
		}},
		{vetErrors, "linux/amd64", nil},
		{vetErrors, "windows/amd64", []string{`print/print_windows_test.go:7:40: example.com/m/print.helper format %d has arg "one" of wrong type string`}},
		{vetErrors, "linux/386", []string{`size/size.go:3:31: n (32 bits) too small for shift of 40`}},
	} {
		dir := t.TempDir()
		files, err := txtar.FS(txtar.Parse([]byte(c.module)))
		require.NoError(t, err)
		require.NoError(t, os.CopyFS(dir, files))
		found, err := findings(dir, c.target, "./...")
		require.NoError(t, err)
		for i := range found {
			found[i] = filepath.ToSlash(strings.TrimPrefix(found[i], c.target+": "+dir+string(filepath.Separator)))
		}
		assert.Equal(t, c.want, found, c.target)
	}
}

func TestNothingToLookAt(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the go command")
	}
	_, err := findings(t.TempDir(), "linux", "./...")
	require.ErrorContains(t, err, "GOOS/GOARCH")
	_, err = findings(t.TempDir(), "linux/nothing", "./...")
	require.ErrorContains(t, err, "linux/nothing")
}
