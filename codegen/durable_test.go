package codegen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

// The code generated for a function that is not durable is the same whether or not the package has
// a durable function; in the same file, only the imports may differ.
func TestADurableFunctionChangesNothingOfOthers(t *testing.T) {
	const async = `package p

import (
	"context"

	"github.com/movenext/movenext/job"
)

//movenext:async
func nap(ctx context.Context, list []int) (n int, err error) {
	for range list {
		if err := job.Sleep(ctx, 1); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
`
	const durable = `
//movenext:durable name=p.order
func order(ctx context.Context) error { return pay(ctx) }

//movenext:step
func pay(ctx context.Context) error { return nil }
`
	dir := testmodule.New(t, "example.com/p")
	generated := func() string {
		result, err := codegen.Generate(codegen.Config{Dir: dir}, "./...")
		require.NoError(t, err)
		require.Empty(t, result.Diagnostics)
		data, err := os.ReadFile(filepath.Join(dir, "p_async.go"))
		require.NoError(t, err)
		return string(data)
	}
	testmodule.Write(t, filepath.Join(dir, "p.go"), []byte(async))
	alone := generated()
	testmodule.Write(t, filepath.Join(dir, "q.go"), []byte("package p\n\nimport \"context\"\n"+durable))
	assert.Equal(t, alone, generated(), "a durable function in another file")

	require.NoError(t, os.Remove(filepath.Join(dir, "q.go")))
	testmodule.Write(t, filepath.Join(dir, "p.go"), []byte(async+durable))
	together := generated()
	_, body, _ := strings.Cut(alone, "\n)\n\n// Generated for contract")
	body, _, _ = strings.Cut(body, "\n// Digest of what is above")
	assert.Contains(t, unlined(together), unlined(body), "a durable function in the same file")
	assert.Contains(t, together, "var orderDurable = durable.Function[struct{}, struct{}, struct{}]{")
}

// Nothing else is annotated in the package.
func TestAMigrationOfNoFunctionIsReportedInAnyPackage(t *testing.T) {
	dir := testmodule.New(t, "example.com/p")
	testmodule.Write(t, filepath.Join(dir, "p.go"), []byte("package p\n\nimport \"github.com/movenext/movenext/durable\"\n\n"+
		"//movenext:migrate name=order from=0123\nfunc migrate(*durable.Saved) error { return nil }\n"))
	result, err := codegen.Generate(codegen.Config{Dir: dir}, "./...")
	require.NoError(t, err)
	require.Len(t, result.Diagnostics, 1)
	assert.Contains(t, result.Diagnostics[0].String(), "p.go:6:6: migrate migrates order, and the package has no durable function of that name")
}
