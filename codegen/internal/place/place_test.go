package place_test

import (
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/place"
	"github.com/movenext/movenext/codegen/internal/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var pointer = types.NewPointer(types.Typ[types.Int])

func local(name string, t types.Type) *ir.Variable {
	return &ir.Variable{Name: name, Type: t, Obj: types.NewVar(token.NoPos, nil, name, t)}
}

func param(name string, t types.Type) *ir.Variable {
	v := local(name, t)
	v.Param, v.Place = true, ir.InFrame
	return v
}

func set(v *ir.Variable) ir.Instr {
	return &ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: ir.Rope{ir.Text("0")}}
}

func use(list ...*ir.Variable) ir.Instr {
	i := &ir.Synthetic{}
	for _, v := range list {
		i.Line = append(i.Line, ir.Use(v))
	}
	return i
}

// suspend returns a suspension point: the machine leaves, and continues at the label.
func suspend() []ir.Instr {
	resume := &ir.Label{Want: "resume"}
	return []ir.Instr{&ir.Park{Point: &ir.Point{Resume: resume}}, &ir.Mark{Label: resume}}
}

func code(parts ...any) []ir.Instr {
	var list []ir.Instr
	for _, p := range parts {
		if i, ok := p.(ir.Instr); ok {
			list = append(list, i)
		} else {
			list = append(list, p.([]ir.Instr)...)
		}
	}
	return ir.Prune(append(list, &ir.Finish{}))
}

func function(code []ir.Instr, vars ...*ir.Variable) *place.Function {
	fn := &place.Function{
		Function: &ir.Function{Source: &source.Function{}, Code: code, Vars: vars}, Sizes: types.SizesFor("gc", "amd64"),
		Spell: func(v *ir.Variable) (string, error) { return v.Type.String(), nil },
	}
	for _, v := range vars {
		if v.Param {
			fn.Params = append(fn.Params, v)
		}
	}
	return fn
}

func TestAVariableLivesAsLongAsItIsNeeded(t *testing.T) {
	early, late := param("early", pointer), param("late", pointer)
	block, method, frame := local("block", pointer), local("method", pointer), local("frame", pointer)
	again := &ir.Label{Want: "again"}
	fn := function(code(
		set(block), use(block, early),
		set(method), &ir.Branch{To: again}, &ir.Mark{Label: again}, use(method),
		set(frame), suspend(), use(frame, late),
	), early, late, block, method, frame)
	place.Variables(fn)
	assert.Equal(t, ir.InBlock, block.Place)
	assert.Equal(t, ir.InMoveNext, method.Place, "a label lies between its mentions")
	assert.Equal(t, ir.InFrame, frame.Place)
	assert.True(t, early.Passed, "it is needed before the first suspension only")
	assert.False(t, late.Passed)
	assert.Len(t, fn.Slots, 2)
	assert.Equal(t, []*ir.Variable{late}, fn.Slots[0].Vars)
}

func TestAParameterThatIsAssignedIsPassedAloneOrNotAtAll(t *testing.T) {
	alone := param("alone", pointer)
	alone.Mutated = true
	place.Variables(function(code(use(alone), suspend()), alone))
	assert.True(t, alone.Passed)

	changed, constant := param("changed", pointer), param("constant", pointer)
	changed.Mutated = true
	place.Variables(function(code(use(changed, constant), suspend(), set(changed), use(changed)), changed, constant))
	assert.False(t, changed.Passed, "there is no struct of several after the suspension")
	assert.True(t, constant.Passed)
}

func TestAVariableThatOthersSeeHasACellUnlessItIsInABlock(t *testing.T) {
	kept, here := local("kept", pointer), local("here", pointer)
	kept.Addressed, here.Addressed = true, true
	place.Variables(function(code(set(here), use(here), set(kept), suspend(), use(kept)), kept, here))
	assert.True(t, kept.Cell)
	assert.False(t, here.Cell, "the declaration stays where the source has it")
}

func TestVariablesShareAFieldIfNoAssignmentHitsTheOther(t *testing.T) {
	a, b, number := local("a", pointer), local("b", pointer), local("number", types.Typ[types.Int])
	vars := []*ir.Variable{a, b, number}
	one := function(code(set(a), suspend(), use(a), set(b), set(number), suspend(), use(b, number)), vars...)
	place.Variables(one)
	assert.Len(t, one.Slots, 2)
	assert.Same(t, a.Slot, b.Slot)
	assert.Equal(t, "aOrB", a.Slot.Stem())

	a, b = local("a", pointer), local("b", pointer)
	place.Variables(function(code(set(a), set(b), suspend(), use(a), suspend(), use(b)), a, b))
	assert.NotSame(t, a.Slot, b.Slot, "both are needed at once")

	// An assignment whose value is never read still overwrites the field.
	a, b = local("a", pointer), local("b", pointer)
	place.Variables(function(code(set(b), suspend(), use(b), set(a), set(b), suspend(), use(a)), a, b))
	assert.NotSame(t, a.Slot, b.Slot)
}

func TestLocalsOfOneNameAndTypeAreOneVariable(t *testing.T) {
	// Each is assigned in one stretch and read in the next, but needed across no suspension.
	passed := func(list ...*ir.Variable) []ir.Instr {
		next := &ir.Label{Want: "next"}
		assign := &ir.Assign{Src: ir.Rope{ir.Text("0")}}
		for _, v := range list {
			assign.Dst = append(assign.Dst, ir.Dest{V: v})
		}
		return []ir.Instr{assign, &ir.Branch{To: next}, &ir.Mark{Label: next}, use(list...)}
	}
	for _, debug := range []bool{false, true} {
		first, second, other, number := local("err", pointer), local("err", pointer), local("other", pointer), local("err", types.Typ[types.Int])
		fn := function(code(passed(first), suspend(), passed(second, other), suspend(), passed(number)), first, second, other, number)
		fn.Debug = debug
		place.Variables(fn)
		assert.Equal(t, !debug, first.Slot == second.Slot)
		assert.NotSame(t, second.Slot, other.Slot, "two names")
		assert.NotSame(t, first.Slot, number.Slot, "two types")
		assert.Empty(t, fn.Slots, "the frame keeps none")
	}

	outer, inner := local("err", pointer), local("err", pointer)
	fn := function(code(passed(outer), passed(inner), use(outer)), outer, inner)
	place.Variables(fn)
	assert.Len(t, fn.Locals, 2, "one is assigned while the other is needed")
}

func TestASuspendedMachineEmptiesWhatItNoLongerNeeds(t *testing.T) {
	for _, debug := range []bool{false, true} {
		big, number := local("big", pointer), local("number", types.Typ[types.Int])
		list := code(set(big), set(number), suspend(), use(big, number), suspend())
		fn := function(list, big, number)
		fn.Debug = debug
		place.Variables(fn)
		points := ir.Points(list)
		assert.Empty(t, points[0].Stale, "both are needed after it")
		if debug {
			assert.Empty(t, points[1].Stale)
		} else {
			assert.Equal(t, []*ir.Slot{big.Slot}, points[1].Stale, "a number keeps nothing alive")
		}
	}
}

func TestAFieldThatASuspendedCalleeHasZeroedIsNotEmptied(t *testing.T) {
	held, got := local("held", pointer), local("got", pointer)
	held.Place = ir.InFrame
	point := &ir.Point{Held: held, Resume: &ir.Label{Want: "resume"}, Resumed: &ir.Label{Want: "resumed"}}
	enter := &ir.Assign{Dst: []ir.Dest{{V: held}, {V: got, Declares: true}}, Src: ir.Rope{ir.Text("enter()")}}
	place.Variables(function(code(
		enter, &ir.Park{Point: point}, &ir.Mark{Label: point.Resume}, set(got), &ir.Mark{Label: point.Resumed}, suspend(), use(got),
	), held, got))
	assert.Equal(t, ir.InFrame, got.Place)
	assert.Empty(t, point.Stale, "an entry that suspends returns zero values")
}

// await returns an await of a job: a local variable until the machine suspends, and then a field.
func await(awaited, held *ir.Variable) (list []ir.Instr, point *ir.Point) {
	held.Place = ir.InFrame
	point = &ir.Point{Awaited: awaited, Held: held, Resume: &ir.Label{Want: "resume"}, Resumed: &ir.Label{Want: "resumed"}}
	assign := func(v *ir.Variable, src ...ir.Piece) *ir.Assign {
		return &ir.Assign{Dst: []ir.Dest{{V: v}}, Src: src}
	}
	forget := assign(held, ir.NilName)
	forget.Forgets = true
	return []ir.Instr{
		assign(awaited, ir.Text("j")),
		&ir.Park{Point: point}, &ir.Mark{Label: point.Resume}, assign(awaited, ir.Use(held)), forget, &ir.Mark{Label: point.Resumed},
		use(awaited),
	}, point
}

func TestAnAwaitedJobHasAFieldOnlyWhileTheMachineIsSuspended(t *testing.T) {
	awaited, held := local("awaited", pointer), local("held", pointer)
	later, keptLater := local("later", pointer), local("keptLater", pointer)
	kept := local("kept", pointer)
	first, _ := await(awaited, held)
	second, point := await(later, keptLater)
	place.Variables(function(code(set(kept), first, use(kept), second), awaited, held, later, keptLater, kept))
	assert.Equal(t, ir.InMoveNext, awaited.Place)
	assert.NotSame(t, kept.Slot, held.Slot, "the suspension would overwrite it")
	assert.Same(t, held.Slot, keptLater.Slot, "one job is awaited at a time")
	assert.Equal(t, []*ir.Slot{kept.Slot}, point.Stale, "nothing but kept may be in the frame there")
}

func TestAFieldIsNotClearedForAJobThatWasNeverKept(t *testing.T) {
	awaited, held := local("awaited", pointer), local("held", pointer)
	first, _ := await(awaited, held)
	next := suspend()
	place.Variables(function(code(first, next), awaited, held))
	assert.Empty(t, next[0].(*ir.Park).Point.Stale, "it was forgotten, or not kept")
}

func TestAResultIsPassedBackOnlyIfNothingReadsItBeforeTheEnd(t *testing.T) {
	for name, change := range map[string]func(*place.Function){
		"a named result of a function with deferred calls": func(fn *place.Function) { fn.Defers = true },
		"deferred calls that suspend":                      func(fn *place.Function) { fn.Epilogue = &ir.Label{} },
		"a stream":                                         func(fn *place.Function) { fn.Source.Stream = &source.Stream{} },
		"for debugging":                                    func(fn *place.Function) { fn.Debug = true },
		"":                                                 func(*place.Function) {},
	} {
		result := local("result", pointer)
		result.Result, result.Place = true, ir.InFrame
		fn := function(ir.Prune(append(suspend(), set(result), &ir.Finish{Results: []*ir.Variable{result}})), result)
		fn.Results = []*ir.Variable{result}
		change(fn)
		place.Variables(fn)
		assert.Equal(t, name == "", len(place.PassedVariables(fn.Results)) == 1, name)
	}
}

func TestLivenessFollowsTheJumps(t *testing.T) {
	v := local("v", pointer)
	skip := &ir.Label{Want: "skip"}
	list := code(set(v), suspend(), &ir.Branch{To: skip}, use(v), &ir.Mark{Label: skip})
	live := place.Variables(function(list, v))
	assert.ElementsMatch(t, []int{4, 5}, live.Next(3))
	assert.True(t, live.Holds(v.Slot, 3))
	assert.False(t, live.Holds(v.Slot, 5))
	assert.Equal(t, []*ir.Variable{v}, slices.Collect(live.Across()))
}
