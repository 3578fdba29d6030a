package codegen_test

import (
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheEssayQuotesWhatIsGenerated looks up every line of code in the package comment. Each line
// must occur in real output, so that readers can find it.
func TestTheEssayQuotesWhatIsGenerated(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	require.NoError(t, err)
	real := map[string]bool{"…": true}
	for _, name := range []string{"essay", "closures", "funcvars", "deferred"} {
		data, err := os.ReadFile("testdata/" + name + ".txtar")
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			real[squeezed(line)] = true
		}
	}
	essay, _, found := strings.Cut(file.Doc.Text(), "# Phases")
	require.True(t, found)
	quoted := 0
	for line := range strings.Lines(essay) {
		if strings.HasPrefix(line, "\t") {
			quoted++
			assert.True(t, real[squeezed(line)], "no such line is generated: %s", line)
		}
	}
	assert.Greater(t, quoted, 80)
}

// squeezed returns a line with its white space normalised.
func squeezed(line string) string { return strings.Join(strings.Fields(line), " ") }
