package naming_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/naming"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// names returns the names for a function f in a package with these declarations.
func names(t *testing.T, text string) (*naming.Names, *source.Function) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p\n"+text, 0)
	require.NoError(t, err)
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, info)
	require.NoError(t, err)
	p := &source.Package{Types: pkg, Info: info, Fset: fset, Names: map[string]bool{}}
	for _, name := range pkg.Scope().Names() {
		p.Names[name] = true
	}
	src := &source.File{Syntax: file}
	fn := &source.Function{Package: p, File: src}
	for _, d := range file.Decls {
		if decl, ok := d.(*ast.FuncDecl); ok && decl.Name.Name == "f" {
			fn.Decl = decl
		}
	}
	require.NotNil(t, fn.Decl)
	return naming.New(fn, fn.Decl, typetext.New(p, src)), fn
}

func TestTheMachineGivesWayToTheSource(t *testing.T) {
	n, _ := names(t, "func f() {}")
	assert.Equal(t, []string{"frame", "r", "hasEnded"}, []string{n.Recv, n.Run, n.Finished}, "f is the function")

	n, _ = names(t, "var frame int; func f(r, run int) { hasEnded := r; _, _ = hasEnded, run }")
	assert.Equal(t, []string{"frame1", "run1", "hasEnded1"}, []string{n.Recv, n.Run, n.Finished})

	n, _ = names(t, "func f[r any](true r) {}; type T[A any] struct{}")
	assert.Equal(t, []string{"frame", "run"}, []string{n.Recv, n.Run}, "r is a type")
	assert.True(t, n.IsTypeParam("r"))
	assert.False(t, n.IsTypeParam("A"), "it is that of a type")

	n, _ = names(t, "type T[f, nil any] struct{}; func (T[args, nil]) f() { _ = func() {} }")
	assert.Equal(t, "given", n.Args)
	assert.True(t, n.Hides("nil"))

	n, _ = names(t, "func f() { nil := 0; _ = nil }")
	assert.True(t, n.Hides("nil"))
	assert.False(t, n.Hides("true"))
}

func TestLabelsOfTheSourceKeepTheirNames(t *testing.T) {
	n, _ := names(t, "func f() {}")
	n.KeepLabel("stays")
	loop := &ir.Label{Want: "loop"}
	assert.Equal(t, "loop", n.Label(loop))
	assert.Equal(t, "loop", n.Label(loop), "it has one name")
	assert.Equal(t, "loop1", n.Label(&ir.Label{Want: "loop"}))
	assert.Equal(t, "stays1", n.Label(&ir.Label{Want: "stays"}))
	assert.Equal(t, "for1", n.Label(&ir.Label{Want: "for"}), "what lowering makes has a number")
}

func TestFieldsAndVariablesKeepTheirNamesIfTheyCan(t *testing.T) {
	n, _ := names(t, "var taken int; func f() { _ = taken }")
	variable := func(name string, in ir.Place) *ir.Variable {
		v := &ir.Variable{Name: name, Obj: types.NewVar(token.NoPos, nil, name, types.Typ[types.Int]), Place: in}
		if in == ir.InFrame {
			v.Slot = &ir.Slot{Vars: []*ir.Variable{v}}
		}
		return v
	}
	field, state, blank := variable("x", ir.InFrame), variable("State", ir.InFrame), variable("_", ir.InFrame)
	local, foreign, one, two := variable("y", ir.InMoveNext), variable("taken", ir.InMoveNext), variable("z", ir.InBlock), variable("z", ir.InBlock)
	one.Stretch, two.Stretch = 1, 2
	callee := &ir.Variable{Name: "fetch", Place: ir.InFrame}
	callee.Slot = &ir.Slot{Vars: []*ir.Variable{callee}}
	point := &ir.Point{Held: callee, Resume: &ir.Label{}}
	vars := []*ir.Variable{field, state, blank, local, foreign, one, two, callee}
	n.Choose(naming.Placed{
		Points: []*ir.Point{point}, Slots: []*ir.Slot{field.Slot, state.Slot, blank.Slot, callee.Slot}, Vars: vars,
		Hides: func(*ir.Variable) bool { return false },
	})
	assert.Equal(t, 1, point.Number)
	assert.Equal(t, "resume1", n.Label(point.Resume))
	var fields, locals []string
	for _, v := range vars {
		fields, locals = append(fields, v.Field), append(locals, v.Local)
	}
	assert.Equal(t, []string{"x", "State2", "blank", "", "", "", "", "fetch1"}, fields)
	assert.Equal(t, []string{"x", "State", "blank2", "y", "taken2", "z", "z", "fetch1"}, locals)
}

func TestResultsOfASuspendingCallAreNamedAfterTheCalleeAndThePoint(t *testing.T) {
	n, _ := names(t, "func f() { var fetch1Value0 int; _ = fetch1Value0 }")
	call := &ast.CallExpr{Fun: &ast.Ident{NamePos: 7, Name: "fetch"}}
	result := func(t types.Type) *ir.Variable {
		return &ir.Variable{Name: "fetch", Of: call, Type: t, Place: ir.InMoveNext}
	}
	callee := &ir.Variable{Name: "fetch", Of: call, Place: ir.InFrame}
	callee.Slot = &ir.Slot{Vars: []*ir.Variable{callee}}
	kept := result(types.Typ[types.String])
	kept.Place, kept.Slot = ir.InFrame, &ir.Slot{Vars: []*ir.Variable{kept}}
	vars := []*ir.Variable{callee, result(types.Typ[types.Int]), kept, result(types.Universe.Lookup("error").Type())}
	n.Choose(naming.Placed{
		Points: []*ir.Point{{Call: call.Pos(), Held: callee, Resume: &ir.Label{}}},
		Slots:  []*ir.Slot{callee.Slot, kept.Slot}, Vars: vars,
	})
	var locals []string
	for _, v := range vars {
		locals = append(locals, v.Local)
	}
	assert.Equal(t, []string{"fetch1", "fetch", "fetch1Value1", "fetch1Err"}, locals, "one name is taken")
}

// The types of fields and variables name what the function itself need not mention.
func TestAVariableOfSeveralPointsHasOneNameThatHidesNothing(t *testing.T) {
	for text, want := range map[string][]string{
		"func f() {}": {"awaited", "awaited", "awaited2"},
		"type awaited int; func f(awaited2 int) {}": {"awaited3", "awaited3", "awaited4"},
	} {
		n, _ := names(t, text)
		var vars []*ir.Variable
		for range 3 {
			vars = append(vars, &ir.Variable{Name: "awaited", Place: ir.InMoveNext})
		}
		shared := &ir.Slot{Vars: vars[:2]}
		vars[0].Slot, vars[1].Slot, vars[2].Slot = shared, shared, &ir.Slot{Vars: vars[2:]}
		n.Choose(naming.Placed{Vars: vars})
		assert.Equal(t, want, []string{vars[0].Local, vars[1].Local, vars[2].Local})
	}
}
