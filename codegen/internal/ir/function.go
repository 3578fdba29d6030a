package ir

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Function is an annotated function, or a function literal in it that is a machine. The phases
// fill it one after another, and each may read what the earlier ones have filled.
type Function struct {
	// Package analyse: what it is.
	Source    *source.Function // the annotated function
	Node      ast.Node         // its declaration, or the literal
	Signature *types.Signature // of the machine: that of a stream returns nothing
	Declared  source.Names     // of its generated declarations
	Defers    bool             // it defers calls
	Literal   *Literal         // nil: it is the annotated function

	// Package lower: what it does.
	RuntimeName string      // as the Go runtime names it
	Receiver    *Variable   // nil: it has none
	Captured    []*Variable // by a literal; first the source of a panic, if recover needs one
	Params      []*Variable
	Companions  []*Variable // further parameters of the entries for machines; see source.Companion
	Results     []*Variable
	Vars        []*Variable // all variables, including temporaries
	Code        []Instr     // all of it is reachable
	Lifted      []*Span     // declarations that precede the code
	Loops       bool        // it pulls values from functions that it ranges over
	Epilogue    *Label      // where it makes deferred calls that suspend; nil: there are none
	Whole       bool        // it never suspends: it is called as written, and has no code
	Tail        *Tail       // it needs no frame, and has no code

	// Package place: what it keeps while it is suspended, and between two suspensions.
	Slots  []*Slot // the fields of the frame
	Locals []*Slot // the variables that MoveNext declares before its first label
}

// Literal says how a function literal is used.
type Literal struct {
	Entered bool // machines call it: through a variable, or as the lowering finds
	Started bool // the runtime calls it, as a job
	Hosts   bool // only jobs call it, with their own contexts
}

// Streams reports whether the function is a stream, and not a literal in one.
func (fn *Function) Streams() bool { return fn.Source.Stream != nil && fn.Literal == nil }

// Inputs returns the receiver, the variables that a literal captures, the parameters and their
// companions.
func (fn *Function) Inputs() []*Variable {
	var list []*Variable
	if fn.Receiver != nil {
		list = append(list, fn.Receiver)
	}
	return slices.Concat(list, fn.Captured, fn.Params, fn.Companions)
}

// Points returns the suspension points.
func (fn *Function) Points() []*Point { return Points(fn.Code) }

// Tail describes a function that suspends only in return statements that return the results of
// another function. It needs no frame, and therefore no instructions.
type Tail struct {
	Text   *Span           // of the body
	Frame  types.Type      // of the other function, a pointer
	Return token.Pos       // the first of the return statements
	Calls  []*ast.CallExpr // the calls whose results they return

	Nesting []string // the parameters that it passes on to a nested entry: frame, field, number
}

// Type is a type declared in a function's body. Generated code declares it outside of the
// function.
type Type struct {
	Name   string // in the generated declaration
	Object *types.TypeName
	Spec   *ast.TypeSpec
}
