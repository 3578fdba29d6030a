// Package naming chooses the names in the generated code of one function: of the method
// that runs the machine, of fields, variables, labels and constants.
//
// It is used twice. Lowering requests names that it writes immediately. The printer requests all
// others, after [Names.Choose] has named what has been placed. Nothing here is safe for
// concurrent use: one goroutine lowers a function.
package naming

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Names chooses and remembers names. It prefers those of the source. A name must neither hide
// another name that generated code mentions, nor be hidden itself.
type Names struct {
	fn      *source.Function
	imports *typetext.Imports

	Recv, Run, Renewed string // in MoveNext: the receiver, the run, a loop variable's copy
	Args               string // in the method that MoveNext calls: the start's parameters
	Steps              string // in the frame: the recorder of its steps
	Defers, Raise      string // in the frame: deferred calls; in those: what raises a panic
	Finished, Again    string // in MoveNext and its steps: their results
	State              string // in MoveNext: the point from which it continues
	Returned           string // in MoveNext: whether the last step has returned
	MoveNext, Step     string // methods that MoveNext calls: with parameters to pass; for a step
	Panicking, Callee  string // in an entry of a deferred call
	Loops              string // in the frame: ranges over functions

	used     map[string]bool // locals of MoveNext
	fields   map[string]bool // of the frame
	Mentions map[string]bool // every identifier of the function
	outer    map[string]bool // those that mean something outside of the function
	foreign  map[string]bool // those, and the function's own constants and types
	hidden   map[string]bool // predeclared names that the function declares
	params   map[string]bool // type parameters of the annotated function
	kept     map[string]bool // labels that stay in kept statements
	labels   map[*ir.Label]string
	taken    map[string]bool // labels

	// The first number to try for a stem, by the kind of name. Without them, a function of
	// n suspensions would try n² names.
	nextFresh, nextField, nextLocal, nextObject, nextLabel map[string]int
	objects                                                map[types.Object]string
}

// reservedFields are the names that the frame has through the embedded type, as methods, and as
// the field of the frame with results.
var reservedFields = []string{"Frame", "State", "MoveNext", "Results", "Location", "Producer", "Emit", "Wanted", "kept"}

// New chooses the names that generated code always needs. node is the function fn or a literal in
// it.
func New(fn *source.Function, node ast.Node, imports *typetext.Imports) *Names {
	n := &Names{
		fn: fn, imports: imports, used: map[string]bool{}, fields: map[string]bool{}, Mentions: map[string]bool{},
		outer: map[string]bool{}, foreign: map[string]bool{}, hidden: map[string]bool{}, kept: map[string]bool{},
		labels: map[*ir.Label]string{}, taken: map[string]bool{}, objects: map[types.Object]string{},
		nextFresh: map[string]int{}, nextField: map[string]int{}, nextLocal: map[string]int{}, nextObject: map[string]int{}, nextLabel: map[string]int{},
	}
	for _, name := range reservedFields {
		n.fields[name] = true
	}
	ast.Inspect(node, n.note)
	n.noteTypeParams()
	n.Recv = n.First("f", "frame")
	n.Run = n.First("r", "run")
	n.Args = n.First("args", "given")
	n.Renewed = n.First("next", "copied")
	n.Raise = n.First("raise", "goOn")
	n.Finished = n.First("hasEnded")
	n.State = n.First("resumeAt")
	n.Defers = n.First("defers", "deferredCalls")
	n.Again = n.First("again", "repeat")
	n.Returned = n.First("returned", "hasReturned")
	n.MoveNext = n.First("moveNext", "moveOn")
	n.Step = n.First("step", "runStep")
	n.Panicking = n.First("p", "panicking")
	n.Callee = n.First("m", "machine")
	n.Loops = n.First("loops", "openLoops")
	n.fields[n.Defers], n.fields[n.MoveNext], n.fields[n.Step], n.fields[n.Loops] = true, true, true, true
	return n
}

func (n *Names) note(node ast.Node) bool {
	id, ok := node.(*ast.Ident)
	if !ok {
		return true
	}
	n.Mentions[id.Name] = true
	if obj := n.fn.Package.Info.Uses[id]; obj != nil && !n.own(obj) {
		n.foreign[id.Name] = true
		if !n.declares(obj) {
			n.outer[id.Name] = true
		}
	}
	if obj := n.fn.Package.Info.Defs[id]; obj != nil && types.Universe.Lookup(id.Name) != nil {
		n.hidden[id.Name] = true
	}
	return true
}

// noteTypeParams records the type parameters of the annotated function. They are also in scope in
// its literals, and the types of the frames mention them, whether the source does or not.
func (n *Names) noteTypeParams() {
	n.params = typetext.TypeParamNames(n.fn.Decl)
	for name := range n.params {
		n.Mentions[name], n.foreign[name], n.outer[name] = true, true, true
		if types.Universe.Lookup(name) != nil {
			n.hidden[name] = true
		}
	}
}

// own reports whether obj is a variable, field or label of the function itself.
func (n *Names) own(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.IsField() || n.declares(obj)
	case *types.Func:
		return obj.Signature().Recv() != nil
	case *types.Label:
		return true
	}
	return false
}

// declares reports whether the annotated function declares obj.
func (n *Names) declares(obj types.Object) bool {
	return n.fn.Decl.Pos() <= obj.Pos() && obj.Pos() < n.fn.Decl.End()
}

// Hides reports whether the function redeclares the predeclared name.
func (n *Names) Hides(predeclared string) bool { return n.hidden[predeclared] }

// IsTypeParam reports whether the annotated function has a type parameter with that name. Unlike
// a declaration in the body, it means the same anywhere in generated code.
func (n *Names) IsTypeParam(name string) bool { return n.params[name] }

// KeepLabel marks a label of the source that stays, and keeps its name.
func (n *Names) KeepLabel(name string) { n.kept[name] = true }

// NameSteps names the frame's field that records its steps.
func (n *Names) NameSteps() {
	n.Steps = n.First("steps", "recorded")
	n.fields[n.Steps] = true
}

// First returns the first free name, or the last one with a number.
func (n *Names) First(names ...string) string {
	for _, name := range names {
		if n.isFree(name) && n.Safe(name) {
			n.used[name] = true
			return name
		}
	}
	return n.Fresh(names[len(names)-1])
}

// Safe reports whether a local may have the name without hiding a declaration of the package, an
// import, or a predeclared name.
func (n *Names) Safe(name string) bool {
	if n.fn.Package.Names[name] || types.Universe.Lookup(name) != nil {
		return false
	}
	// Names of locals are never given to imports; requesting a name reserves it.
	return n.imports.Safe(name)
}

func (n *Names) isFree(name string) bool { return !n.used[name] && !n.Mentions[name] }

// Fresh returns stem with the first number that makes it unique.
func (n *Names) Fresh(stem string) string {
	return numbered(stem, 1, n.nextFresh, n.claim)
}

// numbered returns stem with the first number, from least on, for which claims holds. next
// remembers the numbers for which it did not hold, and never will.
func numbered(stem string, least int, next map[string]int, claims func(string) bool) string {
	for i := max(least, next[stem]); ; i++ {
		next[stem] = i
		if name := stem + strconv.Itoa(i); claims(name) {
			return name
		}
	}
}

// claim takes the name for a local and its field, if it is free and hides nothing.
func (n *Names) claim(name string) bool {
	if !n.isFree(name) || n.fields[name] || !n.Safe(name) {
		return false
	}
	n.used[name], n.fields[name] = true, true
	return true
}

// temporary returns the name of a temporary. Several points may use a temporary that MoveNext
// declares, so it has a number only if it is the second of its name.
func (n *Names) temporary(v *ir.Variable) string {
	if v.Place != ir.InMoveNext {
		return n.Fresh(v.Name)
	}
	if n.claim(v.Name) {
		return v.Name
	}
	return numbered(v.Name, 2, n.nextFresh, n.claim)
}

// numberedName returns stem with the number of a point, if a field may have that name.
func (n *Names) numberedName(stem string, number int) string {
	name := stem + strconv.Itoa(number)
	if n.fields[name] || n.Mentions[name] {
		return n.Fresh(stem)
	}
	n.fields[name], n.used[name] = true, true
	return name
}

// Label returns the name of a label. Labels of the source keep their names; the others are
// numbered as they are printed.
func (n *Names) Label(l *ir.Label) string {
	if name, ok := n.labels[l]; ok {
		return name
	}
	return n.labelAs(l, n.freeLabel(l.Want))
}

func (n *Names) labelAs(l *ir.Label, name string) string {
	n.labels[l] = name
	n.taken[name] = true
	return name
}

func (n *Names) freeLabel(want string) string {
	if want == "" {
		want = "label"
	}
	if !n.taken[want] && !n.kept[want] && !generatedLabels[want] {
		return want
	}
	return numbered(want, 1, n.nextLabel, func(name string) bool { return !n.taken[name] && !n.kept[name] })
}

// generatedLabels are the stems of labels that always have a number.
var generatedLabels = map[string]bool{
	"for": true, "range": true, "next": true, "endFor": true, "endRange": true, "endIf": true,
	"else": true, "case": true, "endSwitch": true, "cond": true, "move": true, "leave": true, "done": true,
}

// Object returns the name of a constant that has moved.
func (n *Names) Object(obj types.Object) string {
	if name, ok := n.objects[obj]; ok {
		return name
	}
	taken := func(s string) bool { return n.used[s] || n.outer[s] || !n.Safe(s) }
	name := obj.Name()
	if taken(name) {
		name = n.another(name, n.nextObject, taken, n.used)
	}
	n.used[name] = true
	n.objects[obj] = name
	return name
}
