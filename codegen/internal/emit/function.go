package emit

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/naming"
	"github.com/movenext/movenext/codegen/internal/place"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/unnamed"
)

// Input is an annotated function for which everything is decided.
type Input struct {
	Spelling

	Debug   bool // the form to step through
	Records bool // a debug form that tells each step

	Ways *unnamed.Ways // to types that cannot be named

	Root     *Function   // the function itself
	Literals []*Function // in it that are machines, in the order of their declarations
	Types    []ir.Type   // that it declares in its body
}

// Function is the annotated function, or a function literal in it that is a machine.
type Function struct {
	Node      ast.Node         // its declaration, or the literal
	Signature *types.Signature // of the machine: that of a stream returns nothing
	Literal   *Literal         // nil: it is the annotated function

	RuntimeName string        // as the Go runtime names it
	Declared    source.Names  // of its declarations
	Names       *naming.Names // in them

	Receiver *ir.Variable   // nil: it has none
	Captured []*ir.Variable // by a literal; before them what it asks for a panic, if it does
	Params   []*ir.Variable
	Results  []*ir.Variable
	Vars     []*ir.Variable               // all of them, also those of the lowering
	Unnamed  map[*ir.Variable]unnamed.Way // to the types of those that cannot be named

	Code   []ir.Instr
	Lifted []*ir.Span // declarations that precede the code
	Slots  []*ir.Slot // the fields of the frame

	Defers   bool      // it defers calls
	Loops    bool      // it ranges over functions that it pulls
	Epilogue *ir.Label // where it makes deferred calls that suspend; nil: there are none

	Whole bool     // it never suspends: its machine calls the plain form
	Tail  *ir.Tail // it needs no frame
}

// Literal says what a function literal is used for.
type Literal struct {
	Entered bool // by machines
	Started bool // as a job
}

// Output is what has been printed.
type Output struct {
	Text     []byte
	Findings []source.Diagnostic // if there are any, the text is of no use
	Frames   []Frame             // of the function and of its literals; of those that have one
}

// Frame describes the type of what a function keeps while it is suspended.
type Frame struct {
	Name   string
	Head   string  // the type of the runtime that it begins with
	Fields []Field // all others that are variables, in their order
}

// Field is a field of a frame.
type Field struct {
	Slot *ir.Slot
	Type string
}

// Declarations prints all declarations of a function and of the literals in it. It changes
// nothing of its input but the names: labels are numbered as they are printed.
func Declarations(in *Input) Output {
	out := &output{Input: in, inferred: map[string]string{}}
	root := &function{Function: in.Root, output: out}
	if in.Root.Tail != nil {
		out.text = root.declarationsInTail()
	} else {
		out.text = root.declarations()
		for _, l := range in.Literals {
			out.text = append(out.text, (&function{Function: l, output: out}).literal()...)
		}
		out.text = append(out.text, root.inferrings()...)
	}
	return Output{Text: out.text, Findings: out.findings, Frames: out.frames}
}

// output is what the functions of an input have in common while they are printed.
type output struct {
	*Input
	text     []byte
	findings []source.Diagnostic
	frames   []Frame

	inferred   map[string]string // names of functions that lead from type to type, by their text
	inferences []string          // their declarations
}

func (o *output) refuse(d source.Diagnostic) { o.findings = append(o.findings, d) }

// function is a function that is being printed.
type function struct {
	*Function
	*output
	likes []like // what MoveNext declares for types that cannot be named
}

// What follows from the input.

// streams reports whether the function is a stream, not a literal in one.
func (fn *function) streams() bool { return fn.Source.Stream != nil && fn.Literal == nil }

// isEntered reports whether other machines call the function.
func (fn *function) isEntered() bool {
	if fn.Literal != nil {
		return fn.Literal.Entered // else it only runs as a job
	}
	return !fn.Source.RootOnly
}

// points returns the suspension points.
func (fn *function) points() []*ir.Point { return ir.Points(fn.Code) }

// given are the receiver, what a literal captures, and the parameters.
func (fn *function) given() []*ir.Variable {
	var list []*ir.Variable
	if fn.Receiver != nil {
		list = append(list, fn.Receiver)
	}
	return slices.Concat(list, fn.Captured, fn.Params)
}

// passedOn returns the parameters that are passed to what runs the machine, in the order in
// which the entries have them.
func (fn *function) passedOn() []*ir.Variable { return place.Passed(fn.given()) }

// passesTogether reports whether what is passed on is one struct.
func (fn *function) passesTogether() bool { return len(fn.passedOn()) > 1 }

// returned returns the results that what runs the machine returns.
func (fn *function) returned() []*ir.Variable { return place.Passed(fn.Function.Results) }

// keepsAlive reports whether a machine that has finished may refer to something.
func (fn *function) keepsAlive() bool {
	return len(fn.points()) > 0 && (fn.Defers || slices.ContainsFunc(fn.Slots, place.KeepsAlive))
}

// epilogueState returns the value of State that leads to the epilogue.
func (fn *function) epilogueState() int { return len(fn.points()) + 1 }

// unwindingState returns the value of State in which a panic waits for a function that is
// ranged over.
func (fn *function) unwindingState() int { return len(fn.points()) + 2 }

// title is what comments call the function.
func (fn *function) title() string {
	if fn.Literal != nil {
		return "a function literal of [" + fn.Source.DocName() + "]"
	}
	return "[" + fn.Source.DocName() + "]"
}

// jobResults are what the job of the function has: values and error.
func (fn *function) jobResults() source.Results { return source.ResultsOf(fn.Signature) }

// keptName returns the name of the type of what the function keeps while it is suspended: the
// frame, or the frame without the results.
func (fn *function) keptName() string {
	if len(fn.returned()) > 0 {
		return fn.Declared.Locals
	}
	return fn.Declared.Frame
}
