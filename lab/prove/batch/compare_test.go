package batch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/testmodule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const imports = "package batch\n\nimport (\n\t\"context\"\n\n\t\"example.com/proof/trace\"\n)\n\n"

// TestEachProgramHasAVerdictOfItsOwn puts programs of each kind into one batch. The program that
// differs queries which of its forms is running, which no user's program can do.
func TestEachProgramHasAVerdictOfItsOwn(t *testing.T) {
	testmodule.StartsPrograms(t)
	m, err := NewModule(t.TempDir(), "package batch\n\nvar runs int\n\nfunc Reset() {}\n")
	require.NoError(t, err)
	head := "\n//movenext:async\nfunc "
	signature := "Run(ctx context.Context, t *trace.T) (int, error) {\n"
	found, err := m.Compare(t.Context(), []Program{
		{"same", imports + head + "same" + signature + "\treturn trace.Step(t, 1), nil\n}\n"},
		{"different", imports + head + "different" + signature + "\truns++\n\tt.Log(\"%d\", runs)\n\treturn trace.Step(t, 1), nil\n}\n"},
		{"refused", imports + head + "refused" + signature + "\trecover()\n\treturn trace.Step(t, 1), nil\n}\n"},
		{"broken", imports + head + "broken" + signature + "\treturn undefined\n}\n"},
		{"crashed", imports + "import \"os\"\n" + head + "crashed" + signature + "\tos.Exit(3)\n\treturn trace.Step(t, 1), nil\n}\n"},
		{"panics", imports + head + "panics" + signature + "\tpanic(trace.Step(t, 1))\n}\n"},
		{"last", imports + head + "last" + signature + "\treturn trace.Step(t, 2), trace.Err(1)\n}\n"},
	})
	require.NoError(t, err)
	var verdicts []Verdict
	for _, f := range found {
		verdicts = append(verdicts, f.Verdict)
	}
	assert.Equal(t, []Verdict{Same, Different, Refused, Defect, Crashed, Same, Same}, verdicts, "%v", found)
	assert.Contains(t, found[1].Detail, `plain "1", machine "2"`)
	assert.Contains(t, found[2].Detail, "cannot call recover itself")
	assert.Contains(t, found[4].Detail, "exit status 3")
}
