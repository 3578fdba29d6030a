package ir_test

import (
	"go/ast"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/ir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// refs lists the names of variables that an instruction uses and those that it assigns.
func refs(i ir.Instr) (uses, defs []string) {
	i.Refs(func(v *ir.Variable) { uses = append(uses, v.Name) }, func(v *ir.Variable) { defs = append(defs, v.Name) })
	return uses, defs
}

func variable(name string) *ir.Variable {
	return &ir.Variable{Name: name, Type: types.Typ[types.Int], Reads: 1}
}

func TestAnAssignmentToACellNeedsThePointer(t *testing.T) {
	x, y, cell := variable("x"), variable("y"), variable("cell")
	cell.Cell = true
	src := ir.Rope{ir.Text("f("), ir.Use(y), ir.Text(")")}

	uses, defs := refs(&ir.Assign{Dst: []ir.Dest{{V: x}, {V: cell}}, Src: src})
	assert.Equal(t, []string{"y", "cell"}, uses)
	assert.Equal(t, []string{"x"}, defs)

	uses, defs = refs(&ir.Assign{Dst: []ir.Dest{{V: cell, Declares: true}}, Src: src})
	assert.Equal(t, []string{"y"}, uses)
	assert.Equal(t, []string{"cell"}, defs, "its declaration makes the pointer")

	uses, defs = refs(&ir.Assign{Dst: []ir.Dest{{Place: ir.Rope{ir.Use(x), ir.Text(".f")}}}, Src: src})
	assert.Equal(t, []string{"y", "x"}, uses)
	assert.Empty(t, defs, "a part of x is assigned")
}

func TestAReturnInAKeptStatementNeedsNoOldResults(t *testing.T) {
	result, n := variable("result"), variable("n")
	kept := &ir.Keep{Text: ir.Span{Edit: []ir.Edit{{Code: []ir.Instr{
		&ir.Assign{Dst: []ir.Dest{{V: result}}, Src: ir.Rope{ir.Use(n)}},
		&ir.Finish{Results: []*ir.Variable{result}},
	}}}}}
	uses, defs := refs(kept)
	assert.Equal(t, []string{"n"}, uses)
	assert.Empty(t, defs, "the statement may end without it")
}

func TestAKeptStatementLeadsWhereItsJumpsLead(t *testing.T) {
	out, end := &ir.Label{Want: "out"}, &ir.Label{Want: "end"}
	kept := &ir.Keep{Text: ir.Span{Edit: []ir.Edit{
		{With: ir.Rope{ir.Text("goto "), {To: out}}},
		{Code: []ir.Instr{&ir.Jump{To: end}}},
	}}}
	assert.Equal(t, []*ir.Label{out, end}, kept.Targets())
	assert.True(t, kept.Falls())
}

func TestADispatchFallsThroughIfNoClauseNeedBeTaken(t *testing.T) {
	to := &ir.Label{}
	for _, c := range []struct {
		clauses []ir.Clause
		whole   bool
		falls   bool
	}{
		{[]ir.Clause{{To: to}}, true, false},
		{[]ir.Clause{{To: to}}, false, true},
		{[]ir.Clause{{To: to}, {}}, true, true},
		{[]ir.Clause{{To: to}, {Stops: true}}, true, false},
	} {
		d := &ir.Dispatch{Clauses: c.clauses, Whole: c.whole}
		assert.Equal(t, c.falls, d.Falls(), "%+v", c)
		assert.Contains(t, d.Targets(), to)
	}
}

func TestVariablesInALiteralAreBorrowed(t *testing.T) {
	x, y, z := variable("x"), variable("y"), variable("z")
	inner := &ir.Span{Edit: []ir.Edit{{With: ir.Rope{ir.UseAs(z, ir.AsBorrowedAddress)}}}}
	var names []string
	(&ir.Synthetic{Line: ir.Rope{ir.UseAs(x, ir.AsBorrowed), ir.Use(y), {Span: inner}}}).Borrows(func(v *ir.Variable) { names = append(names, v.Name) })
	assert.Equal(t, []string{"x", "z"}, names)
}

func TestAnAssignmentIsPrintedAsItIsOnlyWhereNothingHasMoved(t *testing.T) {
	here, moved, unread := variable("here"), variable("moved"), variable("unread")
	moved.Place, unread.Reads = ir.InFrame, 0
	for _, c := range []struct {
		dst           []ir.Dest
		fits, onlyNew bool
	}{
		{[]ir.Dest{{V: here, Declares: true}}, true, true},
		{[]ir.Dest{{V: moved, Declares: true}}, false, false},
		{[]ir.Dest{{V: here, Declares: true}, {V: moved}}, false, false},
		{[]ir.Dest{{V: moved}}, true, false},
		{[]ir.Dest{{V: unread, Declares: true}}, false, true},
		{[]ir.Dest{{Place: ir.Rope{ir.Text("a[0]")}}}, true, false},
	} {
		i := &ir.Assign{Dst: c.dst, Whole: &ir.Span{Node: &ast.AssignStmt{}}}
		assert.Equal(t, c.fits, i.FitsWhole(), "%+v", c.dst[0])
		assert.Equal(t, c.onlyNew, i.OnlyNew(), "%+v", c.dst[0])
	}
	assert.True(t, ir.Dest{V: unread}.Idle())
	unread.Result = true
	assert.False(t, ir.Dest{V: unread}.Idle(), "the caller reads it")
}

func TestAFieldIsNamedAfterItsVariables(t *testing.T) {
	s := &ir.Slot{Vars: []*ir.Variable{variable("i"), variable("count"), variable("i"), variable("_")}}
	assert.True(t, s.IsShared())
	assert.Equal(t, "iOrCountOrBlank", s.Stem())
	assert.False(t, (*ir.Slot)(nil).IsShared())
}

func TestAnEditIsMadeInTheOrderOfTheSource(t *testing.T) {
	s := &ir.Span{Edit: []ir.Edit{{Pos: 3, End: 4}}}
	with := s.With(ir.Edit{Pos: 1, End: 2})
	assert.Len(t, s.Edit, 1)
	assert.Equal(t, []ir.Edit{{Pos: 1, End: 2}, {Pos: 3, End: 4}}, with.Edit)
}

func TestPruneDropsWhatHasNoEffect(t *testing.T) {
	loop, end, unused := &ir.Label{Want: "loop"}, &ir.Label{Want: "end"}, &ir.Label{Want: "unused"}
	once, often := &ir.Zero{}, &ir.Zero{}
	list := ir.Prune([]ir.Instr{
		once, &ir.Mark{Label: loop}, often, &ir.Branch{To: loop}, &ir.Mark{Label: unused},
		&ir.Jump{To: end}, &ir.SourceLine{}, &ir.Mark{Label: end}, &ir.Finish{}, &ir.Synthetic{}, &ir.Jump{To: loop},
	})
	assert.Equal(t, []ir.Instr{once, &ir.Mark{Label: loop}, often, &ir.Branch{To: loop}, &ir.Finish{}}, list)
	assert.Equal(t, 1, loop.At)
	assert.False(t, once.Loop)
	assert.True(t, often.Loop)
}
