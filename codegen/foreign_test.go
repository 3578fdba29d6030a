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

const foreignShop = `package shop

import "context"

//movenext:durable name=shop.Order
func Order(ctx context.Context, n int) (int, error) {
	paid, err := pay(ctx, n)
	return paid, err
}

//movenext:step
func pay(ctx context.Context, n int) (int, error) { return n, nil }
`

// An upgrade of another module has to know the layouts that its functions have saved here.
func TestAnUpgradeOfAnotherModuleKnowsWhatWasSaved(t *testing.T) {
	other := testmodule.New(t, "example.com/shop")
	generate := func(dir string, config codegen.Config) *codegen.Result {
		config.Dir = dir
		result, err := codegen.Generate(config, "./...")
		require.NoError(t, err)
		return result
	}
	release := func(text string, config codegen.Config) {
		testmodule.Write(t, filepath.Join(other, "shop.go"), []byte(text))
		require.Empty(t, generate(other, config).Diagnostics)
	}
	release(foreignShop, codegen.Config{})

	dir := testmodule.New(t, "example.com/program")
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	testmodule.Write(t, filepath.Join(dir, "go.mod"), append(mod, "\nrequire example.com/shop v0.0.0\n\nreplace example.com/shop => "+other+"\n"...))
	testmodule.Write(t, filepath.Join(dir, "main.go"), []byte("package main\n\nimport \"example.com/shop\"\n\nfunc main() { _ = shop.OrderDurable }\n"))
	require.Empty(t, generate(dir, codegen.Config{}).Diagnostics)
	layouts := filepath.Join(dir, "movenext_layouts.txt")
	lines := func() (list []string) {
		data, err := os.ReadFile(layouts)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "imports shop.Order example.com/shop ") {
				list = append(list, line)
			}
		}
		return list
	}
	first := lines()
	require.Len(t, first, 1)

	accept := codegen.Config{Accept: []string{"shop.Order"}, Strand: true}
	release(strings.Replace(foreignShop, "return paid, err", "if err == nil {\n\t\terr = ship(ctx, n)\n\t}\n\treturn paid, err", 1)+
		"\n//movenext:step\nfunc ship(ctx context.Context, n int) error { return nil }\n", accept)
	found := generate(dir, codegen.Config{}).Diagnostics
	require.Len(t, found, 1, "the upgrade has left it behind")
	hash := strings.TrimSpace(first[0][len("imports shop.Order example.com/shop "):])
	assert.Equal(t, layouts+":6:1: shop.Order of example.com/shop no longer knows layout "+hash+"; "+
		"instances that this program has saved with it would be stuck; use a version of its module that resumes or migrates it; "+
		"or, if none is in flight, run go tool movenext accept shop.Order", found[0].String())

	release(foreignShop, accept)
	require.Empty(t, generate(dir, codegen.Config{}).Diagnostics, "it has the same layout again")
	release(strings.Replace(foreignShop, "return paid, err", "if err == nil {\n\t\terr = ship(ctx, paid)\n\t}\n\treturn paid, err", 1)+
		"\n//movenext:step\nfunc ship(ctx context.Context, n int) error { return nil }\n", codegen.Config{Accept: []string{"shop.Order"}})
	require.Empty(t, generate(dir, codegen.Config{}).Diagnostics, "it resumes what was saved")
	assert.Len(t, lines(), 2)

	testmodule.Write(t, filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"))
	found = generate(dir, codegen.Config{}).Diagnostics
	require.Len(t, found, 2)
	assert.Contains(t, found[0].String(), "shop.Order of example.com/shop is no longer used here; ")
	result := generate(dir, codegen.Config{Accept: []string{"shop.Order"}})
	require.Empty(t, result.Diagnostics)
	assert.Len(t, result.Accepted, 2)
	assert.Empty(t, lines())
}
