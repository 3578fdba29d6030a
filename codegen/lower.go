package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// unit is one function on its way through the phases of the lowering:
//
//	check     refuses what cannot be lowered
//	analyse   finds suspension points and what is done with each variable
//	flatten   turns the body into instructions (statements, then expressions)
//	hoist     decides where each variable lives
//	emit      prints
type unit struct {
	fn      *source.Function
	node    ast.Node // the declaration, or a function literal in it
	body    *ast.BlockStmt
	sig     *types.Signature
	named   source.Names // of its generated declarations
	info    *types.Info
	imports *typetext.Imports
	sizes   types.Sizes
	diags   []source.Diagnostic
	debug   bool // the form to step through
	records bool // likewise, telling each step

	literals *literals // of the annotated function
	whole    bool      // its plain form is called
	outer    *unit     // the function around a literal; nil: it is the annotated function
	self     *literal  // nil likewise
	inside   []*literal
	recovery *variable // of a deferred literal: what it asks for a panic

	// Found by analyse.
	points     map[*ast.CallExpr]*source.Suspension
	suspending map[ast.Node]bool // holds a suspension point
	forced     map[ast.Stmt]bool // to be taken apart although they do not suspend
	facts      map[types.Object]*facts
	defers     bool                                  // defers calls
	deferred   map[*ast.DeferStmt]*source.Suspension // the deferred calls that suspend
	epilogue   *label                                // where they are made; nil: there are none
	loops      bool                                  // ranges over functions that it pulls
	names      *namer
	pointers   *origins // of an annotated function; nil: nothing has asked

	tail []tailCall // of a function that needs no frame

	// Grown while flattening.
	code      []instr
	vars      map[types.Object]*variable
	all       []*variable
	evaluated map[ast.Expr][]*variable   // expressions that have their value already
	renamed   map[*ast.CallExpr][]edit   // calls that go to an entry instead
	between   map[ast.Expr]rope          // what follows the first of the values of such
	idents    map[*ast.Ident]string      // the names of those
	exits     map[*ast.BranchStmt]*label // where branches out of kept statements go
	moved     map[types.Object]piece     // constants and types that have moved
	likes     []like                     // of unnamable types: those that MoveNext declares

	// Of the annotated function: ways to types that cannot be named, and the
	// declarations that they take.
	ways       *ways
	inferred   map[string]string // their names
	inferences []string
	types      []liftedType            // types declared outside
	lifted     []lift                  // their declarations
	around     []jumpTarget            // enclosing statements that were flattened
	gotos      map[types.Object]*label // labels of the source
	results    []*variable
	params     []*variable
	recv       *variable

	// Found by place.
	live  *liveness
	slots []*slot // the fields of the frame
}

// lower turns an annotated function into the text of its generated declarations. It
// returns findings instead if it cannot lower all of it; it never leaves anything out.
func lower(fn *source.Function, imports *typetext.Imports) (*source.Lowered, []source.Diagnostic) {
	return newUnit(fn, imports).lower()
}

// lowerForDebugging is lower in the form of -mode=debug.
func lowerForDebugging(fn *source.Function, imports *typetext.Imports) (*source.Lowered, []source.Diagnostic) {
	u := newUnit(fn, imports)
	u.debug = true
	return u.lower()
}

func (u *unit) lower() (*source.Lowered, []source.Diagnostic) {
	u.analyse()
	u.check()
	if len(u.diags) > 0 {
		return nil, u.diags
	}
	if u.tail = u.passesOn(); u.tail != nil {
		return u.result(u.emitTail())
	}
	u.flatten()
	u.prune()
	if len(u.parks()) == 0 && !u.streams() && !u.runs() && !u.givesLabels() {
		u.keepWhole()
	}
	u.place()
	for _, l := range u.literals.order {
		l.unit.place()
	}
	text := u.emit()
	for _, l := range u.literals.order {
		text = append(text, l.unit.emitLiteral()...)
	}
	return u.result(append(text, u.inferrings()...))
}

// result is the text, or the findings made on the way.
func (u *unit) result(text []byte) (*source.Lowered, []source.Diagnostic) {
	if len(u.diags) > 0 {
		return nil, u.diags
	}
	return &source.Lowered{Text: text}, nil
}

func newUnit(fn *source.Function, imports *typetext.Imports) *unit {
	u := &unit{
		fn:         fn,
		node:       fn.Decl,
		body:       fn.Decl.Body,
		sig:        fn.Signature(),
		named:      fn.Names,
		literals:   newLiterals(),
		info:       fn.Package.Info,
		imports:    imports,
		sizes:      quick(sizesOf(source.BuildConstraint(fn.File))),
		points:     map[*ast.CallExpr]*source.Suspension{},
		suspending: map[ast.Node]bool{},
		forced:     map[ast.Stmt]bool{},
		facts:      map[types.Object]*facts{},
		vars:       map[types.Object]*variable{},
		evaluated:  map[ast.Expr][]*variable{},
		renamed:    map[*ast.CallExpr][]edit{},
		between:    map[ast.Expr]rope{},
		idents:     map[*ast.Ident]string{},
		deferred:   map[*ast.DeferStmt]*source.Suspension{},
		exits:      map[*ast.BranchStmt]*label{},
		moved:      map[types.Object]piece{},
		gotos:      map[types.Object]*label{},
		inferred:   map[string]string{},
	}
	if fn.Stream != nil {
		u.body, u.sig = fn.Stream.Literal.Body, streamSignature(u.sig)
	}
	u.names = newNamer(u)
	return u
}

// streams reports whether the unit is a stream, not a literal in one.
func (u *unit) streams() bool { return u.fn.Stream != nil && u.self == nil }

func (u *unit) refuse(d source.Diagnostic) {
	r := u.root()
	r.diags = append(r.diags, d)
}

func (u *unit) add(list ...instr) { u.code = append(u.code, list...) }
