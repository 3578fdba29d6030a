package policy

import (
	"fmt"
	"strings"
)

// allowance lists the packages of other modules that some packages of this module may
// import. The first allowance that matches counts.
type allowance struct {
	from    []string // patterns
	may     []string // patterns of import paths
	because string
}

var allowances = []allowance{
	{
		from:    []string{"codegen/internal/testmodule"},
		may:     testModules,
		because: "only tests import it, and it uses what the tests of this module use",
	},
	{
		from:    []string{"codegen/...", "internal/policy", "tools/..."},
		may:     []string{"golang.org/x/tools/..."},
		because: "what runs at build time reads Go with the packages that Go's own tools are made of, and with nothing else",
	},
	{
		from:    testKits,
		may:     testModules,
		because: "a kit for tests uses what the tests of this module use",
	},
	{
		from:    []string{"..."},
		because: "the runtime and its examples need the standard library alone: each module that they took would be one more in every user's program",
	},
}

// testModules may also be imported by files ending in _test.go.
var testModules = []string{
	"github.com/anishathalye/porcupine/...", // decides whether a history is linearizable
	"github.com/stretchr/testify/...",
	"go.uber.org/goleak/...",
	"golang.org/x/net/nettest/...",
	"golang.org/x/tools/...",
}

// dependencies returns the rule that enforces the allowances. Nested modules
// (benchmarks, adapters) exist in order to be exempt.
func dependencies(rows []allowance) func(*Tree) []Finding {
	return func(t *Tree) []Finding {
		g := importsOf(t)
		var found []Finding
		for _, from := range g.packages {
			row := allowanceOf(rows, from)
			for _, s := range g.edges[from] {
				if s.ours || standard(s.imported) || matches(row.may, s.imported) || s.file.Test && matches(testModules, s.imported) {
					continue
				}
				found = append(found, Finding{
					Path: s.file.Path,
					Line: s.line(),
					Name: s.imported,
					What: fmt.Sprintf("%s imports %s of another module", from, s.imported),
					Mend: row.because + "; " + row.instead(),
				})
			}
		}
		return found
	}
}

func allowanceOf(rows []allowance, from string) allowance {
	for _, row := range rows {
		if matches(row.from, from) {
			return row
		}
	}
	return allowance{because: "no row of internal/policy/dependencies.go names this package"}
}

func (a allowance) instead() string {
	if len(a.may) == 0 {
		return "use the standard library, or make it a module of its own"
	}
	return "use the standard library or " + strings.Join(a.may, ", ")
}
