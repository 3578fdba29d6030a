package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/naming"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Options select the form of the machine.
type Options struct {
	// Framed gives every function a frame, so that none is missing from a stack.
	Framed bool
}

// Output is the result of lowering an annotated function.
type Output struct {
	Root     *Function
	Literals []*Function // those in it that are machines, in the order of their declarations
	Types    []ir.Type   // the types that it declares in its body

	// Findings are about source that cannot be lowered. If there are any, the rest must not be
	// printed.
	Findings []source.Diagnostic
}

// Function is a lowered function, with the facts that its lowering follows from.
type Function struct {
	*ir.Function
	Facts *analyse.Facts
	Names *naming.Names // inside its declarations; temporaries already have theirs
}

// Instructions lowers an annotated function and the literals in it that are machines. The
// facts are not changed, and must have no findings.
func Instructions(facts *analyse.Facts, options Options) *Output {
	lo := newLowering(facts)
	lo.options = options
	lo.begin()
	if lo.tail = lo.passesOn(options); lo.tail == nil {
		lo.flatten()
	}
	out := &Output{Root: lo.function()}
	if lo.tail != nil {
		out.Root.Tail = lo.tailOf()
	} else if lo.mayStayWhole() && len(out.Root.Points()) == 0 {
		out.Root.keepWhole()
	}
	for _, l := range lo.Literals.Order {
		out.Literals = append(out.Literals, lo.literals[l].function())
	}
	out.Types, out.Findings = lo.types, lo.diags
	return out
}

// lowering is a function, or a function literal that becomes a machine, during its lowering.
type lowering struct {
	*analyse.Facts
	options Options

	// parent is the lowering of the function around a literal, or nil for the annotated function.
	parent *lowering

	// Of the annotated function, but also used for its literals.
	literals map[*analyse.Literal]*lowering
	diags    []source.Diagnostic
	types    []ir.Type // declared outside of the function

	isEntered bool         // a literal: machines enter it
	flat      bool         // a literal: it has been flattened
	captures  []*types.Var // of a literal
	recovery  *ir.Variable // of a deferred literal: the source of the panic for recover
	epilogue  *ir.Label    // the code that makes suspending deferred calls; nil: there are none
	loops     bool         // pulls values from functions that it ranges over
	names     *naming.Names

	tail    []tailCall // of a function that needs no frame
	nesting []string   // the names of its parameters that it passes on to a nested entry

	// Filled while flattening.
	code      []ir.Instr
	vars      map[types.Object]*ir.Variable
	all       []*ir.Variable
	evaluated map[ast.Expr][]*ir.Variable   // expressions that already have their value
	bindings  map[ast.Expr]*binding         // method values that bring their entries
	renamed   map[*ast.CallExpr][]ir.Edit   // calls that are redirected to an entry
	between   map[ast.Expr]ir.Rope          // the text after the first value of such an expression
	idents    map[*ast.Ident]ir.Piece       // new names for the functions in such calls
	exits     map[*ast.BranchStmt]*ir.Label // the targets of branches out of kept statements
	moved     map[types.Object]ir.Piece     // constants and types that have moved

	lifted  []*ir.Span                 // declarations that precede the code
	around  []jumpTarget               // enclosing statements that have been flattened
	gotos   map[types.Object]*ir.Label // replaceLabels of the source
	results []*ir.Variable
	params  []*ir.Variable
	brought []*ir.Variable // the companions of params
	recv    *ir.Variable
}

func newLowering(f *analyse.Facts) *lowering {
	return &lowering{
		Facts:     f,
		names:     naming.New(f.Source, f.Node, f.Imports),
		vars:      map[types.Object]*ir.Variable{},
		evaluated: map[ast.Expr][]*ir.Variable{},
		bindings:  map[ast.Expr]*binding{},
		renamed:   map[*ast.CallExpr][]ir.Edit{},
		between:   map[ast.Expr]ir.Rope{},
		idents:    map[*ast.Ident]ir.Piece{},
		exits:     map[*ast.BranchStmt]*ir.Label{},
		moved:     map[types.Object]ir.Piece{},
		gotos:     map[types.Object]*ir.Label{},
	}
}

// begin creates the lowerings of the literals. Each is flattened when it is first mentioned.
func (lo *lowering) begin() {
	lo.literals = map[*analyse.Literal]*lowering{}
	for _, l := range lo.Literals.Order {
		c := newLowering(l.Facts)
		c.isEntered, c.parent, c.options = l.Entered, lo, lo.options
		if outer := l.Facts.Outer.Literal; outer != nil {
			c.parent = lo.literals[outer]
		}
		lo.literals[l] = c
	}
	for _, c := range append(slices.Collect(maps.Values(lo.literals)), lo) {
		if len(c.Deferred) > 0 {
			c.epilogue = c.label("epilogue")
		}
	}
}

// function returns the lowered function. The facts are not changed.
func (lo *lowering) function() *Function {
	fn := lo.Facts.Function
	fn.RuntimeName = fn.Source.RuntimeName()
	if fn.Literal != nil {
		fn.RuntimeName += ".func" + strconv.Itoa(slices.Index(lo.Literals.Order, lo.Literal)+1)
		used := *fn.Literal
		used.Entered = lo.isEntered
		fn.Literal = &used
	}
	fn.Receiver, fn.Captured, fn.Params, fn.Companions, fn.Results, fn.Vars = lo.recv, lo.capturedVariables(), lo.params, lo.brought, lo.results, lo.all
	fn.Code, fn.Lifted, fn.Loops, fn.Epilogue = ir.Prune(lo.code), lo.lifted, lo.loops, lo.epilogue
	return &Function{Function: &fn, Facts: lo.Facts, Names: lo.names}
}

// capturedVariables returns the variables that a literal captures from the functions around it.
// In a deferred literal that recovers, the source of the panic precedes them.
func (lo *lowering) capturedVariables() []*ir.Variable {
	var list []*ir.Variable
	if lo.recovery != nil {
		list = append(list, lo.recovery)
	}
	for _, obj := range lo.captures {
		list = append(list, lo.vars[obj])
	}
	return list
}

// mayStayWhole reports whether the function may be called as written if it never suspends: a
// machine would not differ in any other way.
func (lo *lowering) mayStayWhole() bool {
	return !lo.Streams() && !lo.runs() && !lo.setsOwnLabels() && len(lo.Kept) == 0
}

// keepWhole prepares variables for a function that is called as written: all parameters are
// passed on, and nothing is shared with it.
func (fn *Function) keepWhole() {
	fn.Whole = true
	fn.Code, fn.Lifted, fn.Vars = nil, nil, fn.Companions // which nothing reads
	given := fn.Params
	if fn.Receiver != nil {
		given = append([]*ir.Variable{fn.Receiver}, given...)
	}
	for i, v := range slices.Concat(given, fn.Results) {
		v.Usage = ir.Usage{} // the source uses its own variable, not this one
		v.Cell, v.Place, v.Reads = false, ir.InFrame, 1
		if v.Name == "" || v.Name == "_" {
			v.Name = "arg" + strconv.Itoa(i)
		}
		fn.Vars = append(fn.Vars, v)
	}
}

func (lo *lowering) refuse(d source.Diagnostic) {
	r := lo.root()
	r.diags = append(r.diags, d)
}

func (lo *lowering) add(list ...ir.Instr) { lo.code = append(lo.code, list...) }

// typeArgs returns the function's type parameters as arguments: "[K, V]" or empty.
func (lo *lowering) typeArgs() string { return lo.Imports.TypeArgs(lo.Source) }

// typeArgsAt returns the type arguments for use at node. A declaration around node may hide them,
// if that declaration stays in place.
func (lo *lowering) typeArgsAt(node ast.Node) string {
	sig := lo.Source.Signature()
	for _, list := range []*types.TypeParamList{sig.TypeParams(), sig.RecvTypeParams()} {
		for p := range list.TypeParams() {
			name := p.Obj().Name()
			if obj := lo.nearest(name, node.Pos()); obj != nil && !typeset.IsParam(obj.Type()) {
				lo.refuse(hiddenTypeParam(lo.Source.Extent(node), name))
			}
		}
	}
	return lo.typeArgs()
}

// nearest returns the object that a name denotes in generated code at a position. It is the same
// as in the source, except that objects that have moved are no longer there. It returns nil if
// there is no such object.
func (lo *lowering) nearest(name string, pos token.Pos) types.Object {
	scope := lo.Source.Package.Types.Scope().Innermost(pos)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, pos)
	v, isVar := obj.(*types.Var)
	_, moved := lo.moved[obj]
	switch {
	case obj == nil || moved || isVar && lo.vars[v] != nil:
		return nil
	case analyse.Within(lo.Source.Decl, obj.Pos()) && !analyse.Within(lo.Node, obj.Pos()) && !typeset.IsParam(obj.Type()):
		return nil // of a function around this literal, which the literal has left
	}
	return obj
}

// unknownStatement returns the finding for a kind of statement that analysis should have refused.
func (lo *lowering) unknownStatement(n ast.Node) source.Diagnostic {
	return analyse.UnknownSyntax(lo.Source.Extent(n), n)
}
