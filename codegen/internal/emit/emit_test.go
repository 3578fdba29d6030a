package emit_test

import (
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/emit"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/naming"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/testmodel"
	"github.com/movenext/movenext/codegen/internal/typetext"
	"github.com/movenext/movenext/codegen/internal/unnamed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program is a function that keeps its parameter while it is suspended. The
// first statement of its body is on line 6.
const program = `package p

import "example.com/other"

func keep(n int) (last int) {
	v := other.Zero
	_ = v
	return n
}
`

const other = "package other\ntype t int\nvar Zero t\n"

// input returns the function keep as the earlier phases leave it: it yields, and returns its
// parameter. v is an int, or has a type without a name if open is set.
func input(open bool) *emit.Input {
	p := testmodel.Package(program, other)
	fn := testmodel.Function(p, "keep")
	sig := fn.Signature()
	im := typetext.New(p, fn.File)

	n := &ir.Variable{Obj: sig.Params().At(0), Name: "n", Type: types.Typ[types.Int], Param: true, Place: ir.InFrame, Reads: 1, Field: "n", Local: "n"}
	n.Slot = &ir.Slot{Vars: []*ir.Variable{n}, Field: "n"}
	last := &ir.Variable{Obj: sig.Results().At(0), Name: "last", Type: types.Typ[types.Int], Result: true, Passed: true, Place: ir.InMoveNext, Reads: 1, Field: "last", Local: "last"}
	v := &ir.Variable{Name: "v", Type: types.Typ[types.Int], Place: ir.InMoveNext, Reads: 1, Local: "v"}
	v.Slot = &ir.Slot{Vars: []*ir.Variable{v}}
	if open {
		v.Type = p.Types.Imports()[0].Scope().Lookup("t").Type()
	}
	resume := &ir.Label{Want: "resume"}
	point := &ir.Point{Kind: source.KindYield, Call: fn.Decl.Body.List[1].Pos(), Number: 1, Resume: resume}
	names := naming.New(fn, fn.Decl, im)
	root := &ir.Function{
		Source: fn, Node: fn.Decl, Signature: sig, RuntimeName: "example.com/p.keep", Declared: fn.Names,
		Params: []*ir.Variable{n}, Results: []*ir.Variable{last}, Vars: []*ir.Variable{n, last, v}, Slots: []*ir.Slot{n.Slot}, Locals: []*ir.Slot{v.Slot},
		Code: []ir.Instr{
			&ir.SourceLine{Pos: fn.Decl.Body.List[0].Pos()},
			&ir.Assign{Dst: []ir.Dest{{V: v}}, Src: ir.Rope{ir.Text("first()")}},
			&ir.SourceLine{Pos: fn.Decl.Body.List[1].Pos()},
			&ir.Park{Point: point}, &ir.Mark{Label: resume},
			&ir.Assign{Dst: []ir.Dest{{V: last}}, Src: ir.Rope{ir.Use(n)}},
			&ir.Finish{Results: []*ir.Variable{last}},
		},
	}
	in := &emit.Input{Spelling: emit.Spelling{Source: fn, Imports: im}, Derivations: unnamed.New(fn, im), Root: &emit.Function{Function: root, Names: names}}
	in.Root.Unnamed = in.Derivations.Find(root.Vars, func(v *ir.Variable) (string, error) { return im.TypeString(v.Type) })
	v.Cell = v.Unnamed
	return in
}

// asLiteral makes the function a literal in another one, which never suspends.
func asLiteral(in *emit.Input, l *ir.Literal) {
	in.Root.Literal = l
	in.Literals, in.Root = []*emit.Function{in.Root}, &emit.Function{Names: in.Root.Names, Function: &ir.Function{
		Source: in.Source, Node: in.Source.Decl, Signature: in.Source.Signature(), Whole: true,
		Declared: source.Names{Async: "fAsync", Enter: "fEnter", Frame: "fFrame", Machine: "fMachine"},
	}}
}

// ofFile returns the positions of the lines of a file without //line.
func ofFile(file string) func(int) (string, int) {
	return func(line int) (string, int) { return file, line }
}

// printed returns the text of the declarations, formatted, with and without the directives.
func printed(t *testing.T, in *emit.Input) (placed, text string, out emit.Output) {
	t.Helper()
	out = emit.Declarations(in)
	data, err := format.Source(append([]byte("package p\n"), out.Text...))
	require.NoError(t, err, "%s", out.Text)
	data, _ = emit.InsertDirectives(data, ofFile("src.go"), "p_async.go")
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "//line ") {
			b.WriteString(line)
		}
	}
	return string(data), b.String(), out
}

// lines joins lines to a text.
func lines(list ...string) string { return strings.Join(list, "\n") }

func unindented(text string) string { return strings.ReplaceAll(text, "\t", "") }

func TestTheDeclarationsOfAFunction(t *testing.T) {
	_, text, out := printed(t, input(false))
	assert.Empty(t, out.Findings)
	assert.Contains(t, text, "func keepAsync(n int) (result *job.Job[int]) {")
	assert.Contains(t, text, "func keepEnter(r *statemachine.Run, n int) (*keepFrame, int) {")
	assert.Contains(t, unindented(text), lines("type keepLocals struct {", "statemachine.Frame", "", "n int", "}"))
	assert.Contains(t, unindented(text), lines("type keepFrame struct {", "kept keepLocals", "", "last int", "}"), "its caller asks for the result")
	assert.Contains(t, text, "func (f *keepLocals) moveNext(r *statemachine.Run) (hasEnded bool, last int) {")
	assert.Contains(t, unindented(text), lines("f.State = 1", "return r.Yield(), 0", "resume:", "return true, f.n"))
	assert.Contains(t, text, `return statemachine.At(&f.kept.Frame, "example.com/p.keep", "example.com/p/p.go", 7)`)
	assert.Contains(t, text, "func (f *keepFrame) Results(r *statemachine.Run) int {")

	require.Len(t, out.Frames, 1)
	assert.Equal(t, "keepLocals", out.Frames[0].Name)
	assert.Equal(t, "statemachine.Frame", out.Frames[0].Head)
	require.Len(t, out.Frames[0].Fields, 1)
	assert.Equal(t, "int", out.Frames[0].Fields[0].Type)
}

func TestParametersOfTheStartAreOneStructIfTheyAreSeveral(t *testing.T) {
	in := input(false)
	passed := func(name string) *ir.Variable {
		return &ir.Variable{Name: name, Type: types.Typ[types.Int], Param: true, Passed: true, Place: ir.InMoveNext, Reads: 1, Local: name}
	}
	n := passed("n")
	in.Root.Params, in.Root.Slots = []*ir.Variable{n}, nil
	in.Root.Code = []ir.Instr{
		&ir.Synthetic{Line: ir.Rope{ir.Text("use("), ir.Use(n), ir.Text(")")}},
		in.Root.Code[3], in.Root.Code[4], in.Root.Code[6],
	}
	_, text, _ := printed(t, in)
	assert.Contains(t, strings.ReplaceAll(text, "\n// ", " "), "The parameter n is needed only before the first suspension.")
	assert.Contains(t, text, "f.kept.moveNext(r, 0)")

	in.Root.Captured = []*ir.Variable{passed("s")}
	asLiteral(in, &ir.Literal{Entered: true, Started: true})
	_, text, _ = printed(t, in)
	assert.Contains(t, unindented(text), lines("type keepArgs struct {", "s int", "n int", "}"))
	assert.Contains(t, text, "moveNext(r *statemachine.Run, args *keepArgs)")
	assert.Contains(t, text, "use(args.n)")
	assert.Contains(t, text, "f.kept.moveNext(r, nil)")
}

func TestAReturnStatementIsOneUnlessItCalls(t *testing.T) {
	in := input(false)
	assign := in.Root.Code[5].(*ir.Assign)
	assign.Src = ir.Rope{ir.Use(in.Root.Params[0]), ir.Text(" + 1")}
	placed, text, _ := printed(t, in)
	assert.Contains(t, unindented(text), "return true, f.n + 1")
	assert.Contains(t, unindented(placed), lines("//line src.go:7", "return true, f.n + 1"), "it may panic")

	assign.Src = ir.Rope{ir.Text("last()")}
	_, text, _ = printed(t, in)
	assert.Contains(t, unindented(text), lines("last = last()", "return true, last"), "the machine has not finished while it calls")
}

func TestAFunctionThatNoMachineEntersHasNoEntry(t *testing.T) {
	in := input(false)
	in.Source.RootOnly = true
	_, text, _ := printed(t, in)
	assert.Contains(t, text, "func keepAsync(")
	assert.Contains(t, text, "type keepLocals struct {")
	assert.Contains(t, text, "func (f *keepMachine) MoveNext(")
	for _, without := range []string{"keepEnter", "keepFrame", "Results("} {
		assert.NotContains(t, text, without)
	}
}

func TestALiteralIsDeclaredForWhatItIsUsedFor(t *testing.T) {
	for _, c := range []struct {
		literal           ir.Literal
		entry, run, moves bool
	}{
		{ir.Literal{Entered: true}, true, false, true},
		{ir.Literal{Started: true}, false, true, false},
		{ir.Literal{Entered: true, Started: true}, true, true, true},
	} {
		in := input(false)
		asLiteral(in, &c.literal)
		_, text, out := printed(t, in)
		assert.Equal(t, c.entry, strings.Contains(text, "func keepEnter("))
		assert.Equal(t, c.run, strings.Contains(text, "func keepAsync("))
		assert.Equal(t, c.run, strings.Contains(text, "type keepMachine struct"))
		assert.Equal(t, c.moves, strings.Contains(text, "func (f *keepFrame) MoveNext("), "only machines need it")
		assert.Contains(t, text, "a function literal of [keep]")
		require.Len(t, out.Frames, 2)
		assert.Equal(t, []string{"fFrame", "keepLocals"}, []string{out.Frames[0].Name, out.Frames[1].Name})
	}
}

func TestLinesOfTheForms(t *testing.T) {
	in := input(false)
	placed, _, _ := printed(t, in)
	assert.Contains(t, unindented(placed), lines("//line src.go:6", "v = first()"))
	assert.Contains(t, unindented(placed), lines("//line src.go:7", "return true, f.n"))
	assert.NotContains(t, placed, "src.go:5", "what surrounds the machine belongs to the generated file")

	in = input(false)
	in.Debug = true
	placed, _, _ = printed(t, in)
	assert.Contains(t, unindented(placed), lines("//line src.go:5", "var r statemachine.Run"), "to the declaration")

	in = input(false)
	in.Debug, in.Records = true, true
	in.Root.Names.NameSteps()
	_, text, _ := printed(t, in)
	assert.Contains(t, text, "steps record.Steps")
	assert.Contains(t, unindented(text), lines("f.steps.Line(f, 6)", "v = first()", "f.steps.Line(f, 7)", "f.steps.Suspend(f, 1)", "f.State = 1"))
}

func TestAVariableWhoseTypeHasNoName(t *testing.T) {
	in := input(true)
	_, text, out := printed(t, in)
	assert.Empty(t, out.Findings)
	assert.Contains(t, unindented(text), lines("like1 := &other.Zero", "v := gentypes.New(like1)"))
	assert.Contains(t, text, "*v = first()")

	in = input(true)
	in.Root.Unnamed = nil
	out = emit.Declarations(in)
	require.NotEmpty(t, out.Findings, "its type cannot be derived")
	assert.Contains(t, out.Findings[0].Why, "package example.com/other does not export it")
}

func TestADerivationMayTakeFunctions(t *testing.T) {
	in := input(true)
	v := in.Root.Vars[2]
	zero := unnamed.Inferred{TypeParams: "T any", Params: "*T", Result: "[]T", Args: []unnamed.Derivation{in.Root.Unnamed[v]}}
	in.Root.Unnamed[v] = unnamed.Inferred{TypeParams: "S ~[]E, E any", Params: "*S", Result: "E", Args: []unnamed.Derivation{zero}}
	in.Source.Package.Names["keepLike1"] = true
	_, text, _ := printed(t, in)
	assert.Contains(t, text, "like1 := keepLike12(keepLike2(&other.Zero))", "named from the outside in; a name that is taken gives way")
	assert.Contains(t, text, "func keepLike12[S ~[]E, E any](*S) (_ *E) { return }")
	assert.Contains(t, text, "func keepLike2[T any](*T) (_ *[]T) { return }")
}

func TestAFunctionThatNeedsNoFrame(t *testing.T) {
	in := input(false)
	body := in.Source.Decl.Body
	ret := body.List[2]
	frame := types.NewPointer(types.NewNamed(types.NewTypeName(token.NoPos, in.Source.Package.Types, "otherFrame", nil), types.NewStruct(nil, nil), nil))
	in.Root.Tail = &ir.Tail{
		Text:  &ir.Span{Node: body, Edit: []ir.Edit{{Pos: ret.Pos(), End: ret.End(), With: ir.Rope{ir.Text("return otherEnter("), ir.RunName, ir.Text(", n)")}}}},
		Frame: frame, Return: ret.Pos(),
	}
	_, text, out := printed(t, in)
	assert.Empty(t, out.Frames)
	assert.Contains(t, text, "type keepFrame = otherFrame")
	assert.Contains(t, unindented(text), lines("func keepEnter(r *statemachine.Run, n int) (*keepFrame, int) {", "v := other.Zero", "_ = v", "return otherEnter(r, n)", "}"))
}

func TestThePlainForm(t *testing.T) {
	p := testmodel.Package("package p\nimport \"context\"\nfunc both(ctx context.Context, v1 int) (int, string, error) { return v1, \"\", nil }")
	fn := p.Files[0].Functions[0]
	text, found := emit.Plain(fn, typetext.New(p, fn.File))
	assert.Empty(t, found)
	assert.Contains(t, string(text), "func bothAsync(ctx context.Context, v1 int) *job.Job[job.Tuple2[int, string]] {")
	assert.Contains(t, string(text), "v12, v2, err := both(ctx, v1)", "a parameter keeps its name")
}

func TestTheTypesOfVariables(t *testing.T) {
	p := testmodel.Package("package p\nimport \"example.com/other\"\nvar zero = other.Zero\nfunc f() { func() {}() }", other)
	fn := p.Files[0].Functions[0]
	lit := fn.Decl.Body.List[0].(*ast.ExprStmt).X.(*ast.CallExpr).Fun.(*ast.FuncLit)
	s := &emit.Spelling{Source: fn, Imports: typetext.New(p, fn.File), Frames: map[*ast.FuncLit]string{lit: "fFunc1Frame"}}
	text, found, err := s.TypeOf(&ir.Variable{Spelled: ir.Rope{ir.Text("map[*"), ir.OpenPiece(ir.FrameOf{Lit: lit}), ir.Text("]"), ir.TypeText(types.Typ[types.Int], nil)}})
	require.NoError(t, err)
	assert.Empty(t, found)
	assert.Equal(t, "map[*fFunc1Frame]int", text)

	open := p.Types.Scope().Lookup("zero").Type()
	_, found, err = s.TypeOf(&ir.Variable{Type: open})
	assert.Error(t, err)
	assert.Empty(t, found)
	_, found, err = s.TypeOf(&ir.Variable{Spelled: ir.Rope{ir.Text("*"), ir.TypeText(open, lit)}})
	assert.NoError(t, err)
	require.Len(t, found, 1, "it is found where the source has it")
	assert.Equal(t, 4, found[0].Pos.Line)
}

func TestDirectivesThatSayWhatTheCompilerCountsAreDropped(t *testing.T) {
	data := "package p\n//line movenext_source:7\na()\n//line movenext_source:8\nb()\n//line movenext_elsewhere:1\nc()\n//line movenext_source:3\n//line movenext_source:9\nd()\n"
	want := "package p\n//line x.go:7\na()\nb()\n//line p_async.go:6\nc()\n//line x.go:9\nd()\n"
	got, _ := emit.InsertDirectives([]byte(data), ofFile("x.go"), "p_async.go")
	assert.Equal(t, want, string(got))
}

func TestALineThatMayHaveEitherPositionHasTheOneThatTheCompilerCounts(t *testing.T) {
	data := "package p\n//line movenext_either:7\na\n//line movenext_source:8\nb()\n//line movenext_either:9\nc\n//line movenext_either:9\nd\n"
	want := "package p\na\n//line x.go:8\nb()\nc\n//line p_async.go:7\nd\n"
	got, _ := emit.InsertDirectives([]byte(data), ofFile("x.go"), "p_async.go")
	assert.Equal(t, want, string(got))
}
