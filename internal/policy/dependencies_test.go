package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDependencies(t *testing.T) {
	got := finds(t, "dependencies", `
-- job/a.go --
package job
import (
	_ "encoding/json"
	_ "example.com/m/awaiter"
	_ "golang.org/x/tools/go/packages"
)
-- job/a_test.go --
package job
import (
	_ "github.com/stretchr/testify/require"
	_ "go.uber.org/goleak"
	_ "rsc.io/omap"
)
-- codegen/a.go --
package codegen
import (
	_ "github.com/stretchr/testify/assert"
	_ "golang.org/x/tools/go/packages"
)
-- schedulers/schedulertest/a.go --
package schedulertest
import _ "github.com/stretchr/testify/assert"
-- benchmarks/go.mod --
module example.com/m/benchmarks
-- benchmarks/a.go --
package benchmarks
import _ "rsc.io/omap"
`)
	assert.Equal(t, []string{
		"codegen/a.go:3: codegen imports github.com/stretchr/testify/assert of another module",
		"job/a.go:5: job imports golang.org/x/tools/go/packages of another module",
		"job/a_test.go:5: job imports rsc.io/omap of another module",
	}, got)
}

func TestDependenciesOfAPackageThatNoRowNames(t *testing.T) {
	tree := treeOf(t, goMod+"-- a/a.go --\npackage a\nimport _ \"rsc.io/omap\"\n")
	r := Rule{Name: "dependencies", Check: dependencies(nil)}
	assert.Equal(t, []string{"a/a.go:2: a imports rsc.io/omap of another module"}, facts(t, Apply(tree, r, nil)))
}

func TestPortability(t *testing.T) {
	got := finds(t, "portability", `
-- a/cgo.go --
package a
import "C"
-- a/layout.go --
package a
import "unsafe"
-- a/size_test.go --
package a
import "unsafe"
-- a/linked.go --
package a
// A comment may mention go:linkname.

//go:linkname now runtime.nanotime
func now() int64
-- a/fast.s --
TEXT
-- a/testdata/slow.s --
TEXT
-- assets/picture.c --
not beside Go files
`)
	assert.Equal(t, []string{
		`a/cgo.go:2: imports "C"`,
		"a/fast.s: is a source that is not Go",
		`a/layout.go:2: imports "unsafe"`,
		"a/linked.go:4: links to a name that another package hides",
	}, got)
}
