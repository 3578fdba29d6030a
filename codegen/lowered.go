package codegen

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/emit"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/naming"
	"github.com/movenext/movenext/codegen/internal/place"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// What the phases after the lowering get of a unit.

// place decides where the variables live, and then how they are called.
func (u *unit) place() {
	if u.records {
		u.names.NameSteps()
	}
	spelling := u.spelling()
	spell := func(v *ir.Variable) (string, error) {
		text, found, err := spelling.TypeOf(v)
		for _, d := range found {
			u.refuse(d)
		}
		return text, err
	}
	u.unnamed = u.root().ways.Find(u.all, spell)
	u.keepForDebugging()
	u.layout = place.Variables(&place.Function{
		Code: u.code, Vars: u.all, Lifted: u.lifted, Given: u.given(), Results: u.results,
		Sizes: u.Sizes, Spell: spell,
		Debug: u.debug, Stream: u.Streams(), Defers: u.Defers, Resumes: u.epilogue != nil || u.loops,
	})
	u.refuseUnsafe()
	u.names.Choose(naming.Placed{
		Points: u.parks(), Slots: u.layout.Slots, Vars: u.all, Results: u.results, Returned: place.Passed(u.results), Hides: u.hides,
	})
}

// keepForDebugging moves all variables of the source to the frame of the debug form whose
// types can be named there.
func (u *unit) keepForDebugging() {
	if !u.debug {
		return
	}
	for _, v := range u.all {
		if v.Obj == nil {
			continue
		}
		if _, err := u.Imports.TypeString(v.Type); err == nil {
			v.Place = ir.InFrame
		}
	}
}

// hides reports whether a statement that stays declares the name of a result: a return
// statement in it still assigns the result. Lowered variables have another name anyway.
func (u *unit) hides(result *ir.Variable) bool {
	hidden := false
	ast.Inspect(u.Node, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			return node == u.Node // others have results of their own
		case *ast.Ident:
			if obj, declares := u.Info.Defs[node]; declares && node.Name == result.Name {
				hidden = hidden || obj == nil || u.vars[obj] == nil
			}
		}
		return !hidden
	})
	return hidden
}

// input is what the printer gets.
func (u *unit) input() *emit.Input {
	in := &emit.Input{
		Spelling: u.spelling(), Debug: u.debug, Records: u.records,
		Ways: u.ways, Root: u.output(), Types: u.types,
	}
	for _, l := range u.Literals.Order {
		in.Literals = append(in.Literals, u.units[l].output())
	}
	return in
}

// output is what the printer gets of one function.
func (u *unit) output() *emit.Function {
	fn := &emit.Function{
		Node: u.Node, Signature: u.Signature, RuntimeName: u.runtimeName(), Declared: u.Declared, Names: u.names,
		Receiver: u.recv, Captured: u.captured(), Params: u.params, Results: u.results, Vars: u.all, Unnamed: u.unnamed,
		Code: u.code, Lifted: u.lifted, Defers: u.Defers, Loops: u.loops, Epilogue: u.epilogue, Whole: u.whole,
	}
	if u.layout != nil {
		fn.Slots = u.layout.Slots
	}
	if u.Literal != nil {
		fn.Literal = &emit.Literal{Entered: u.isEntered, Started: u.Literal.Started}
	}
	if len(u.tail) > 0 {
		fn.Tail = &emit.Tail{Text: u.scan(u.Body), Frame: u.tail[0].point.Frame, Return: u.tail[0].stmt.Pos()}
	}
	return fn
}

// spelling writes types of variables, of the literals' too.
func (u *unit) spelling() emit.Spelling {
	frames := map[*ast.FuncLit]string{}
	for lit, l := range u.Literals.Machines {
		frames[lit] = l.Names.Frame + u.typeArgs()
	}
	return emit.Spelling{Source: u.Source, Imports: u.Imports, Frames: frames}
}

// captured are the variables that a literal gets of the functions around it. Before them is
// what it asks for a panic, if it is deferred and does.
func (u *unit) captured() []*ir.Variable {
	if u.Literal == nil {
		return nil
	}
	var list []*ir.Variable
	if u.recovery != nil {
		list = append(list, u.recovery)
	}
	for _, obj := range u.captures {
		list = append(list, u.vars[obj])
	}
	return list
}

// given are the receiver and the parameters, and what a literal captures.
func (u *unit) given() []*ir.Variable {
	var list []*ir.Variable
	if u.recv != nil {
		list = append(list, u.recv)
	}
	return slices.Concat(list, u.captured(), u.params)
}

// runtimeName is the function as the Go runtime names it; a literal has the number
// that its declarations carry.
func (u *unit) runtimeName() string {
	if u.Literal == nil {
		return u.Source.RuntimeName()
	}
	for i, l := range u.Literals.Order {
		if l == u.Literal {
			return u.Source.RuntimeName() + ".func" + strconv.Itoa(i+1)
		}
	}
	return u.Source.RuntimeName()
}

// refuseUnsafe refuses pointers that are needed after a suspension.
func (u *unit) refuseUnsafe() {
	asked := map[*ir.Variable]bool{}
	for _, p := range u.parks() {
		for v := range u.layout.Live.Before(p.Resume.At) {
			if v.Type == nil || asked[v] || !typeset.IsBasic(v.Type, types.UnsafePointer) {
				continue
			}
			asked[v] = true
			if u.MayBeOwn(v) {
				u.refuse(heldUnsafe(u.Source.ExtentOf(v.Obj), v.Name))
			}
		}
	}
}
