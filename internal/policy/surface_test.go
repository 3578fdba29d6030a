package policy

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDocumentationStaysShort bounds the number of lines that go doc -short prints for a package.
// A name that only generated code or a store needs belongs in durable/gen or durable/stores, one
// without which generated code could not write a type in statemachine/gentypes.
func TestDocumentationStaysShort(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts the go command")
	}
	for dir, most := range map[string]int{"coord": 61, "durable": 84, "job": 80, "schedulers": 44, "statemachine": 68} {
		cmd := exec.CommandContext(t.Context(), "go", "doc", "-short", "./"+dir)
		cmd.Dir = "../.."
		out, err := cmd.Output()
		require.NoError(t, err)
		assert.LessOrEqual(t, bytes.Count(out, []byte("\n")), most, "%s shows programs:\n%s", dir, out)
	}
}
