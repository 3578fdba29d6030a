package codegen_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

// wide returns a function with n suspension points in one line.
func wide(n int, before, between, after string) string {
	return `package wide

import (
	"context"

	"github.com/movenext/movenext/job"
)

//movenext:async
func get(ctx context.Context) int { job.Yield(); return 1 }

func count(list ...int) int { return len(list) }

//movenext:async
func all(ctx context.Context) any {
	return ` + before + strings.Repeat("get(ctx)"+between, n-1) + "get(ctx)" + after + `
}
`
}

func TestTextIsProportionalToTheSource(t *testing.T) {
	const few, times = 60, 5
	dir := testmodule.New(t, "example.com/wide")
	kinds := map[string][3]string{
		"sum":        {"", " + ", ""},
		"conditions": {"", " > 0 && ", " > 0"},
		"arguments":  {"count(", ", ", ")"},
		"elements":   {"[]int{", ", ", "}"},
		"entries":    {"map[int]int{get(ctx): ", ", get(ctx): ", "}"},
	}
	for name, k := range kinds {
		testmodule.Write(t, filepath.Join(dir, name+"few", "w.go"), []byte(wide(few, k[0], k[1], k[2])))
		testmodule.Write(t, filepath.Join(dir, name+"many", "w.go"), []byte(wide(few*times, k[0], k[1], k[2])))
	}
	result, err := codegen.Generate(codegen.Config{Dir: dir}, "./...")
	require.NoError(t, err)
	require.Empty(t, result.Diagnostics)
	size := map[string]int{}
	for _, f := range result.Files {
		size[filepath.Base(filepath.Dir(f.Path))] = len(f.Data)
	}
	for name := range kinds {
		require.NotZero(t, size[name+"few"], name)
		assert.Less(t, size[name+"many"], (times+1)*size[name+"few"], name)
	}
}
