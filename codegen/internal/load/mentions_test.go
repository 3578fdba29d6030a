package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen/internal/source"
)

func TestAFunctionThatNoMachineEntersIsARoot(t *testing.T) {
	const call = "//movenext:async\nfunc other() { f() }\n"
	for text, want := range map[string]bool{
		"":                                true,
		"func main() { f(); fAsync() }\n": true,
		call:                              false,
		"//movenext:async\nfunc other() { g := f; g() }\n":         false,
		"//movenext:async\nfunc other() { defer x.f() }\n":         false, // perhaps
		"func other() { fEnter(nil) }\n":                           false,
		"var frame *fFrame\n":                                      false,
		"// other calls f and fEnter.\nfunc other() { fBoth() }\n": true,
	} {
		assert.Equal(t, want, isRoot(t, "func f() {}\n", text), text)
	}
	assert.False(t, isRoot(t, "func f() { f() }\n", ""), "it calls itself")
	assert.False(t, isRoot(t, "func F() {}\n", ""), "another package may call it")
	assert.True(t, isRoot(t, "func (x) f() {}\n", ""))
	assert.False(t, isRoot(t, "func (X) F() {}\n", ""), "an interface of another package may ask for the entry")
	assert.False(t, isRoot(t, "func (x) f() {}\n", "type i interface { fEnter() }"))
	assert.False(t, isRoot(t, "func (x) f() {}\n", "//movenext:async\nfunc g(i interface { f() }) { i.f() }\n"))
}

// isRoot reports whether the annotated function in declared is only a root, in a folder that also
// has a file with text.
func isRoot(t *testing.T, declared, text string) bool {
	t.Helper()
	m := newMentions()
	var fn *annotated
	for _, part := range []string{"//movenext:async\n" + declared, text} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\n"+part, parser.ParseComments)
		require.NoError(t, err)
		m.add(file)
		if fn == nil {
			fn = &annotated{decl: file.Decls[0].(*ast.FuncDecl), names: source.Names{Enter: "fEnter", Frame: "fFrame"}}
		}
	}
	return m.rootOnly(fn)
}

func TestAFunctionHasANestedEntryIfItMayAwaitAJob(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", `package p

//movenext:async
func awaits() { j.Await() }

//movenext:async
func calls() { awaits() }

//movenext:async
func callsMethod() { x.method[int]() }

//movenext:async
func (t) method() { calls() }

//movenext:async
func inLiteral() { job.Run(ctx, func(ctx context.Context) error { return callsMethod() }) }

//movenext:async
func alone() { j.Await() }

//movenext:async
func inDeferred() { defer func() { alone() }() }

//movenext:async
func around() { callsOther(); around() }

//movenext:async
func callsOther() { other() }

func other() { j.Await() }
`, parser.ParseComments)
	require.NoError(t, err)
	m := newMentions()
	m.add(file)
	m.findNested()
	var names []string
	for _, d := range file.Decls {
		if fn := d.(*ast.FuncDecl); m.nests(fn) {
			names = append(names, fn.Name.Name)
		}
	}
	assert.Equal(t, []string{"awaits", "calls", "callsMethod", "method"}, names, "a job's function calls callsMethod")
}
