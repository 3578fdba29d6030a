package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDirectionsOfEachLayer(t *testing.T) {
	for _, c := range []struct{ name, archive, want string }{
		{
			"the contract imports anything of ours",
			"-- schedulers/a.go --\npackage schedulers\nimport _ \"example.com/m/internal/x\"\n",
			"schedulers/a.go:2: schedulers must not import internal/x (schedulers → internal/x)",
		}, {
			"a scheduler imports what runs on it",
			"-- schedulers/new/a.go --\npackage p\nimport _ \"example.com/m/job\"\n",
			"schedulers/new/a.go:2: schedulers/new must not import job (schedulers/new → job)",
		}, {
			"continuation imports up",
			"-- continuation/a.go --\npackage p\nimport _ \"example.com/m/awaiter\"\n",
			"continuation/a.go:2: continuation must not import awaiter (continuation → awaiter)",
		}, {
			"awaiter imports up",
			"-- awaiter/a.go --\npackage p\nimport _ \"example.com/m/job\"\n",
			"awaiter/a.go:2: awaiter must not import job (awaiter → job)",
		}, {
			"job imports up",
			"-- job/a.go --\npackage p\nimport _ \"example.com/m/statemachine\"\n",
			"job/a.go:2: job must not import statemachine (job → statemachine)",
		}, {
			"the generator imports the runtime",
			"-- codegen/emit/a.go --\npackage p\nimport _ \"example.com/m/statemachine\"\n",
			"codegen/emit/a.go:2: codegen/emit must not import statemachine (codegen/emit → statemachine)",
		}, {
			"the runtime imports the generator",
			"-- coord/a.go --\npackage p\nimport _ \"example.com/m/codegen\"\n",
			"coord/a.go:2: coord must not import codegen (coord → codegen)",
		}, {
			"the runtime imports a kit for tests",
			"-- schedulers/pool/a.go --\npackage p\nimport _ \"example.com/m/schedulers/schedulertest\"\n",
			"schedulers/pool/a.go:2: schedulers/pool must not import schedulers/schedulertest (schedulers/pool → schedulers/schedulertest)",
		}, {
			"a test imports an example",
			"-- job/a_test.go --\npackage p\nimport _ \"example.com/m/examples/tour\"\n",
			"job/a_test.go:2: job must not import examples/tour (job → examples/tour)",
		}, {
			"an example's test imports what is internal",
			"-- examples/tour/a_test.go --\npackage p\nimport _ \"example.com/m/internal/timers\"\n",
			"examples/tour/a_test.go:2: examples/tour must not import internal/timers (examples/tour → internal/timers)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, []string{c.want}, finds(t, "directions", c.archive))
		})
	}
}

func TestDirectionsFollowAMiddlemanByTheShortestChain(t *testing.T) {
	got := finds(t, "directions", `
-- codegen/a.go --
package codegen
import (
	_ "example.com/m/internal/far"
	_ "example.com/m/internal/near"
)
-- internal/far/a.go --
package far
import _ "example.com/m/internal/near"
-- internal/near/a.go --
package near
import _ "example.com/m/job"
`)
	assert.Equal(t, []string{"codegen/a.go:4: codegen must not import job (codegen → internal/near → job)"}, got)
}

func TestDirectionsAllowWhatTheHouseIsBuiltOf(t *testing.T) {
	assert.Empty(t, finds(t, "directions", `
-- schedulers/pool/a.go --
package pool
import (
	_ "context"
	_ "example.com/m/internal/timers"
	_ "example.com/m/schedulers"
)
-- schedulers/pool/a_test.go --
package pool_test
import (
	_ "example.com/m/job"
	_ "example.com/m/schedulers/schedulertest"
)
-- schedulers/schedulertest/a.go --
package schedulertest
import _ "example.com/m/schedulers"
-- internal/timers/a.go --
package timers
-- job/a.go --
package job
import (
	_ "example.com/m/awaiter"
	_ "example.com/m/continuation"
	_ "example.com/m/schedulers/pool"
)
-- statemachine/a.go --
package statemachine
import _ "example.com/m/job"
-- examples/tour/a.go --
package main
import (
	_ "example.com/m/examples/tour/walk"
	_ "example.com/m/job"
)
-- examples/tour/walk/a.go --
package walk
-- codegen/cmd/movenext/main.go --
package main
import _ "example.com/m/codegen"
-- codegen/a.go --
package codegen
-- benchmarks/go.mod --
module example.com/m/benchmarks
-- benchmarks/a.go --
package benchmarks
import _ "example.com/m/examples/tour/walk"
`))
}

func TestResidents(t *testing.T) {
	tree := treeOf(t, goMod+`
-- here/a.go --
package here
-- new/a.go --
package new
-- empty/notes.md --
`)
	r := Rule{Name: "residents", Check: residents([]string{"empty", "gone", "here"}, []string{"later", "new"})}
	assert.Equal(t, []string{
		"empty: a package of the house is gone",
		"gone: a package of the house is gone",
		"new: a planned package has arrived",
	}, facts(t, Apply(tree, r)))
}
