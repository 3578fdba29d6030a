package vet_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/vet"
	"github.com/movenext/movenext/internal/testmodule"
)

// TestWhatOtherPackagesDoIsReported checks findings that depend on the functions of another
// package: points that a durable function reaches where the generator cannot follow, and waits
// for real time behind an external test.
func TestWhatOtherPackagesDoIsReported(t *testing.T) {
	leaveOutStale(t)
	for _, check := range []string{"hiddenpoint", "realtime"} {
		t.Run(check, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join("testdata", check+".txtar"))
			require.NoError(t, err)
			dir := testmodule.New(t, "example.com/"+check)
			want := map[string]string{}
			for _, f := range archive.Files {
				path := filepath.Join(dir, f.Name)
				testmodule.Write(t, path, f.Data)
				for n, line := range strings.Split(string(f.Data), "\n") {
					if _, text, ok := strings.Cut(line, "// want `"); ok {
						want[fmt.Sprintf("%s:%d", path, n+1)] = strings.TrimSuffix(text, "`")
					}
				}
			}
			found, err := vet.Packages(codegen.Config{Dir: dir}, "./...")
			require.NoError(t, err)
			for _, d := range found {
				at := fmt.Sprintf("%s:%d", d.Pos.Filename, d.Pos.Line)
				require.Contains(t, want, at, "%s", d)
				assert.Contains(t, d.String(), want[at])
				delete(want, at)
			}
			assert.Empty(t, want)
		})
	}
}
