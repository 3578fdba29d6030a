package forms

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/testmodule"
	"github.com/movenext/movenext/lab/prove/programs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// firsts returns the first cases of the forms of size 1 with some types.
func firsts(of Types) []Case {
	var list []Case
	for f := range templates(1) {
		f.Types = of
		for c := range f.each {
			list = append(list, c)
			break
		}
	}
	return list
}

// nodes returns the names of the types of package ast that have a method, except for the types
// for broken sources.
func nodes(t *testing.T, method string) []string {
	pkg, err := build.Import("go/ast", "", build.FindOnly)
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, "ast.go"), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var list []string
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == method {
			name := fn.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name
			if !strings.HasPrefix(name, "Bad") {
				list = append(list, name)
			}
		}
	}
	return list
}

// TestEveryFormOfExpressionsAndStatementsAppears takes the forms from package ast, and the
// operators and branch keywords from package token. So it detects a release of Go with a new one.
func TestEveryFormOfExpressionsAndStatementsAppears(t *testing.T) {
	found := map[string]bool{}
	for _, types := range []Types{Plain, Core, Several} {
		for _, c := range firsts(types) {
			inspect(t, c, found)
		}
	}
	expressions, statements := nodes(t, "exprNode"), nodes(t, "stmtNode")
	require.Contains(t, expressions, "SliceExpr")
	require.Contains(t, statements, "RangeStmt")
	for _, name := range append(expressions, statements...) {
		assert.True(t, found[name], "no program has a %s", name)
	}
	notOperators := []token.Token{token.LPAREN, token.LBRACK, token.LBRACE, token.COMMA, token.PERIOD, token.RPAREN, token.RBRACK, token.RBRACE, token.SEMICOLON, token.COLON, token.ELLIPSIS}
	for tok := token.ADD; tok.IsOperator(); tok++ {
		if !slices.Contains(notOperators, tok) {
			assert.True(t, found[tok.String()], "no program has the operator %s", tok)
		}
	}
	for _, tok := range []token.Token{token.BREAK, token.CONTINUE, token.GOTO, token.FALLTHROUGH} {
		assert.True(t, found[tok.String()], "no program has a %s", tok)
	}
	for _, name := range types.Universe.Names() {
		if _, ok := types.Universe.Lookup(name).(*types.Builtin); ok && !strings.HasPrefix(name, "print") {
			assert.True(t, found["call "+name], "no program calls %s", name)
		}
	}
}

// inspect records the forms in a program.
func inspect(t *testing.T, c Case, found map[string]bool) {
	source := c.Source("P1")
	if source == "" {
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	require.NoError(t, err, "%s\n%s", c, source)
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		found[reflect.TypeOf(n).Elem().Name()] = true
		switch n := n.(type) {
		case *ast.BinaryExpr:
			found[n.Op.String()] = true
		case *ast.UnaryExpr:
			found[n.Op.String()] = true
		case *ast.AssignStmt:
			found[n.Tok.String()] = true
		case *ast.IncDecStmt:
			found[n.Tok.String()] = true
		case *ast.BranchStmt:
			found[n.Tok.String()] = true
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok {
				found["call "+id.Name] = true
			}
		}
		return true
	})
}

// TestEveryFormIsGo finds mistakes in templates: a form that compiles with no type would be
// omitted silently.
func TestEveryFormIsGo(t *testing.T) {
	testmodule.StartsPrograms(t)
	generic := map[string]bool{}
	for _, types := range []Types{Plain, Named} {
		for _, c := range firsts(types) {
			source := c.Source("P1")
			require.Empty(t, programs.CheckBeside(Preamble+twins, source), "%s\n%s", c, source)
		}
	}
	for _, types := range []Types{Core, Several, Opaque} {
		for _, c := range firsts(types) {
			if source := c.Source("P1"); source != "" && IsGo(source) {
				generic[string(types)] = true
			}
		}
	}
	assert.Len(t, generic, 3)
}

// TestEveryTemplateHasAHole finds forms without cases.
func TestEveryTemplateHasAHole(t *testing.T) {
	for f := range templates(1) {
		_, holes := parse(f.template)
		assert.NotEmpty(t, holes, f.form)
	}
}

// TestEveryKindOfOperandAppears checks the cases of one form.
func TestEveryKindOfOperandAppears(t *testing.T) {
	found := map[string]bool{}
	for _, form := range []string{"«S» + «S»", "@O(«&A»[«I»:])", "«=I» = «I»", "any(«V») == any(«A»)", "«L»[«I»]"} {
		for c := range (Case{Types: Plain, Size: 1, template: form, form: form}).each {
			for _, o := range operands {
				found[o.name] = found[o.name] || strings.Contains(c.String(), o.name)
			}
		}
	}
	for _, o := range operands {
		assert.True(t, found[o.name], "no case has a %s", o.name)
	}
}

// TestSizeIsHowManyFormsAreInsideOneAnother counts the cases of a form that contains others.
func TestSizeIsHowManyFormsAreInsideOneAnother(t *testing.T) {
	var small, large []string
	for e := range nest('P', 1) {
		small = append(small, e)
	}
	for e := range nest('P', 2) {
		large = append(large, e)
	}
	assert.Equal(t, expressions['P'], small)
	assert.Contains(t, large, "Gp((«I» + «I»))")
	assert.NotContains(t, large, "Gp(«I»)")
	assert.Contains(t, large, "&(«L»[«I=0,1»:«I=2,3»])[«I»]", "a hole keeps what it says of itself")
	assert.Contains(t, large, "&«L»[(«L»[«I»])]")
}

func TestACaseIsToldAndWritten(t *testing.T) {
	c := Case{Types: Core, Size: 1, template: show('L', "«L»[«I=0,1»:«I»]"), form: "«L»[«I=0,1»:«I»]", focus: 2, operands: []int{2, 1, 0}}
	assert.Equal(t, "core «L»[«I=0,1»:«I»]: field, captured, suspends", c.String())
	source := c.Source("P7")
	assert.Contains(t, source, "func P7[L ~[]I, I ~int](t *trace.T, vL1, vL2 L) (n int, err error) {\n\tk0 := Gbox[L]{v: vL1}\n\tk1 := I(0)\n")
	assert.Contains(t, source, "\tchange := func() {\n\tk0.v = vL2\n\tk1 = I(1)\n\t}\n\tr := k0.v[k1:Gy[I](t, change, I(1))]\n")
	assert.Contains(t, source, "return P7[[]int, int](t, []int{1, 2, 3, 4}, []int{15, 16, 17, 18, 19})")
	assert.True(t, IsGo(source))
	c.Types, c.template = Opaque, "«I»++"
	assert.Empty(t, c.Source("P7"), "without type parameters in it")
}
