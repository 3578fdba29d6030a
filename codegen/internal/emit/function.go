package emit

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/naming"
	"github.com/movenext/movenext/codegen/internal/place"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/unnamed"
)

// Input is an annotated function for which everything has been decided.
type Input struct {
	Spelling

	Debug   bool // the form for stepping through
	Records bool // a debug form that records each step
	Traces  bool // the text says where statements of the source begin, for [InsertDirectives]

	Derivations *unnamed.Derivations // how to infer types that cannot be named

	Root     *Function   // the function itself
	Literals []*Function // those in it that are machines, in the order of their declarations
	Types    []ir.Type   // the types that it declares in its body
}

// Function is the annotated function, or a function literal in it that is a machine.
type Function struct {
	*ir.Function
	Names   *naming.Names                       // inside the declarations
	Unnamed map[*ir.Variable]unnamed.Derivation // how to infer the types that cannot be named
}

// Output is the printed text.
type Output struct {
	Text     []byte
	Findings []source.Diagnostic // if there are any, the text must not be used
	Frames   []Frame             // of the function and its literals, where they have one
}

// Frame describes the struct that a function keeps while it is suspended.
type Frame struct {
	Name   string
	Head   string  // the type of the runtime that it embeds
	Fields []Field // all other fields that hold variables, in order
}

// Field is a field of a frame.
type Field struct {
	Slot *ir.Slot
	Type string
}

// Declarations prints all declarations of a function and of its literals. It changes nothing in
// its input except names: labels are numbered as they are printed.
func Declarations(in *Input) Output {
	out := &output{Input: in, inferenceNames: map[string]string{}}
	root := &function{Function: in.Root, output: out}
	if in.Root.Tail != nil {
		out.text = root.declarationsInTail()
	} else {
		out.text = root.declarations()
		for _, l := range in.Literals {
			out.text = append(out.text, (&function{Function: l, output: out}).literal()...)
		}
		out.text = append(out.text, root.inferenceFunctions()...)
	}
	return Output{Text: out.text, Findings: out.findings, Frames: out.frames}
}

// output is the state shared by the functions of an input while they are printed.
type output struct {
	*Input
	text     []byte
	findings []source.Diagnostic
	frames   []Frame

	inferenceNames map[string]string // names of functions that infer a type, by their text
	inferences     []string          // their declarations
}

func (o *output) refuse(d source.Diagnostic) { o.findings = append(o.findings, d) }

// function is a function that is being printed.
type function struct {
	*Function
	*output
	witnesses  []typeWitness            // declared in MoveNext for types that cannot be named
	shown      map[int]bool             // lines of the source that a comment shows; see shows
	openings   map[ast.Node][]token.Pos // see openingsOf
	renumbered []token.Pos              // see directives
}

// Properties that follow from the input.

// isEntered reports whether other machines call the function.
func (fn *function) isEntered() bool {
	if fn.Literal != nil {
		return fn.Literal.Entered // otherwise it only runs as a job
	}
	return !fn.Source.RootOnly
}

// onStack reports whether an awaited job may be run while the frame of the function is on the
// stack, so that its entry promotes the frame if that job calls runtime.Goexit.
func (fn *function) onStack() bool {
	return fn.mayNest() && slices.ContainsFunc(fn.Points(), func(pt *ir.Point) bool { return pt.Kind == source.KindAwaitJob || pt.Nests })
}

// mayNest is onStack for a function that awaits a job.
func (fn *function) mayNest() bool {
	if fn.Debug || fn.Whole || fn.Tail != nil {
		return false
	}
	if fn.Literal != nil {
		return fn.Literal.Hosts
	}
	return fn.Declared.Nested != ""
}

// passedOn returns the parameters that are passed to the method that runs the machine, in the
// order of the entries' parameters.
func (fn *function) passedOn() []*ir.Variable { return place.PassedVariables(fn.Inputs()) }

// passesTogether reports whether these parameters are passed as one struct.
func (fn *function) passesTogether() bool { return len(fn.passedOn()) > 1 }

// passedResults returns the results that the method that runs the machine returns.
func (fn *function) passedResults() []*ir.Variable { return place.PassedVariables(fn.Function.Results) }

// keepsAlive reports whether a machine that has finished may refer to something.
func (fn *function) keepsAlive() bool {
	return len(fn.Points()) > 0 && (fn.Defers || slices.ContainsFunc(fn.Slots, place.KeepsAlive))
}

// endsUnnoticed reports whether nothing asks whether the function runs or has finished. Then its
// state is the last one from the beginning, unless it suspends. Deferred calls, loops and the
// consumers of a stream ask.
func (fn *function) endsUnnoticed() bool { return !fn.Defers && !fn.Loops && !fn.Streams() }

// epilogueState returns the value of State that starts the epilogue.
func (fn *function) epilogueState() int { return len(fn.Points()) + 1 }

// unwindingState returns the value of State in which a panic waits for a function that is
// ranged over.
func (fn *function) unwindingState() int { return len(fn.Points()) + 2 }

// title returns the function's name for comments.
func (fn *function) title() string {
	if fn.Literal != nil {
		return "a function literal of [" + fn.Source.DocName() + "]"
	}
	return "[" + fn.Source.DocName() + "]"
}

// jobResults returns the values and the error of the function's job.
func (fn *function) jobResults() source.Results { return source.ResultsOf(fn.Signature) }

// The fields of generated roots and of frames with results. Neither embeds: each promoted method
// is a function to compile.
const (
	builderField = "builder"
	keptField    = "kept"
)

// keptName returns the name of the struct that the function keeps while it is suspended: the
// frame, or the frame without the results.
func (fn *function) keptName() string {
	if len(fn.passedResults()) > 0 {
		return fn.Declared.Locals
	}
	return fn.Declared.Frame
}
