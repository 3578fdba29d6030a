package annotated

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const text = "package p\n\nfunc init() {}\n\n// doc\nfunc f() {}\n\nfunc (t T) f() {}\n\nfunc g() {}\n"

func annotate(t *testing.T) *File {
	t.Helper()
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "", text, parser.ParseComments)
	require.NoError(t, err)
	return New(filepath.Join(t.TempDir(), "p.go"), text, fset, syntax, []Edit{{0, 0, "// head\n"}}, CanBe)
}

func TestEveryFunctionButInitIsAnnotated(t *testing.T) {
	f := annotate(t)
	assert.Equal(t, 3, f.Functions)
	assert.Equal(t, "// head\npackage p\n\nfunc init() {}\n\n// doc\n"+mark+"func f() {}\n\n"+mark+"func (t T) f() {}\n\n"+mark+"func g() {}\n", f.Text)
	require.NoError(t, f.Clear())
	data, err := os.ReadFile(f.Path)
	require.NoError(t, err)
	assert.Equal(t, "// head\n"+text, string(data))
	assert.False(t, CanBe(&ast.FuncDecl{Name: ast.NewIdent("_")}))
}

func TestWithdrawTakesBackOnlyWhatAFindingIsAbout(t *testing.T) {
	f := annotate(t)
	reasons, err := f.Withdraw([]codegen.Diagnostic{{Pos: token.Position{Line: 14}, What: "this"}})
	require.NoError(t, err)
	require.Len(t, reasons, 1)
	assert.Equal(t, "this", reasons[0].What)
	assert.NotContains(t, f.Text, mark+"func g()")
	assert.Equal(t, 2, f.Functions)
	_, err = f.Withdraw([]codegen.Diagnostic{{Pos: token.Position{Line: 14}}})
	require.Error(t, err, "it has been taken back")
}

func TestReasonsHaveNoNames(t *testing.T) {
	assert.Equal(t, "… is already declared", Reason(codegen.Diagnostic{Category: "twin", What: "fAsync is already declared at h2.go:7"}))
	assert.Equal(t, "… is an unsafe.Pointer", Reason(codegen.Diagnostic{Category: "unsupported", What: "p is an unsafe.Pointer"}))
	assert.Equal(t, "… cannot be annotated: it is too long", Reason(codegen.Diagnostic{Category: "annotation", What: "f cannot be annotated", Why: "it is too long"}))
	assert.Equal(t, Reason(codegen.Diagnostic{Category: "twin", What: "the name a is taken"}), Reason(codegen.Diagnostic{Category: "twin", What: "the name b is taken"}))
}
