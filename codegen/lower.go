package codegen

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/emit"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/naming"
	"github.com/movenext/movenext/codegen/internal/place"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
	"github.com/movenext/movenext/codegen/internal/unnamed"
)

// unit is one function, or a function literal that becomes a machine, on its way from the
// facts about it to its instructions. The phases after that are called in lowered.go.
type unit struct {
	*analyse.Facts
	form
	// parent is the unit of the function around a literal; nil: this is the annotated
	// function.
	parent *unit
	units  map[*analyse.Literal]*unit // of the annotated function: those of its literals
	diags  []source.Diagnostic        // likewise

	whole     bool         // its plain form is called
	isEntered bool         // a literal: by machines
	flat      bool         // it has been flattened
	captures  []*types.Var // of a literal
	recovery  *ir.Variable // of a deferred literal: what it asks for a panic
	epilogue  *ir.Label    // where the deferred calls that suspend are made; nil: there are none
	loops     bool         // ranges over functions that it pulls
	names     *naming.Names

	tail []tailCall // of a function that needs no frame

	// Grown while flattening.
	code      []ir.Instr
	vars      map[types.Object]*ir.Variable
	all       []*ir.Variable
	evaluated map[ast.Expr][]*ir.Variable   // expressions that have their value already
	renamed   map[*ast.CallExpr][]ir.Edit   // calls that go to an entry instead
	between   map[ast.Expr]ir.Rope          // what follows the first of the values of such
	idents    map[*ast.Ident]string         // the names of those
	exits     map[*ast.BranchStmt]*ir.Label // where branches out of kept statements go
	moved     map[types.Object]ir.Piece     // constants and types that have moved
	unnamed   map[*ir.Variable]unnamed.Way  // to the types of those that cannot be named

	ways    *unnamed.Ways              // of the annotated function
	types   []emit.Type                // likewise: declared outside
	lifted  []*ir.Span                 // declarations that precede the code
	around  []jumpTarget               // enclosing statements that were flattened
	gotos   map[types.Object]*ir.Label // labels of the source
	results []*ir.Variable
	params  []*ir.Variable
	recv    *ir.Variable

	layout  *place.Layout // where they live
	printed emit.Output   // of the annotated function
}

// lower turns an annotated function into the text of its generated declarations. It
// returns findings instead if it cannot lower all of it; it never leaves anything out.
func lower(fn *source.Function, imports *typetext.Imports) ([]byte, []source.Diagnostic) {
	return newUnit(fn, imports, release).lower()
}

// lowerForDebugging is lower in the form of -mode=debug.
func lowerForDebugging(fn *source.Function, imports *typetext.Imports) ([]byte, []source.Diagnostic) {
	return newUnit(fn, imports, form{debug: true}).lower()
}

func (u *unit) lower() ([]byte, []source.Diagnostic) {
	if len(u.Facts.Findings) > 0 {
		return nil, u.Facts.Findings
	}
	u.begin()
	if u.tail = u.passesOn(); u.tail == nil {
		u.flatten()
		u.code = place.Prune(u.code)
		if len(u.parks()) == 0 && !u.Streams() && !u.runs() && !u.givesLabels() {
			u.keepWhole()
		}
		u.place()
		for _, l := range u.Literals.Order {
			u.units[l].place()
		}
	}
	u.printed = emit.Declarations(u.input())
	if found := slices.Concat(u.diags, u.printed.Findings); len(found) > 0 {
		return nil, found
	}
	return u.printed.Text, nil
}

// parks are the suspension points that are left.
func (u *unit) parks() []*ir.Point { return place.Points(u.code) }

// form says which form of the machine is made.
type form struct {
	debug   bool // to step through
	records bool // likewise, telling each step
}

var release = form{}

func newUnit(fn *source.Function, imports *typetext.Imports, as form) *unit {
	return unitOf(analyse.Function(fn, imports), as)
}

// begin makes the units of the literals, when all facts are known.
func (u *unit) begin() {
	u.units = map[*analyse.Literal]*unit{}
	for _, l := range u.Literals.Order {
		c := unitOf(l.Facts, u.form)
		c.isEntered, c.parent = l.Entered, u
		if outer := l.Facts.Outer.Literal; outer != nil {
			c.parent = u.units[outer]
		}
		u.units[l] = c
	}
	for _, c := range append(slices.Collect(maps.Values(u.units)), u) {
		if len(c.Deferred) > 0 {
			c.epilogue = c.label("epilogue")
		}
	}
}

func unitOf(f *analyse.Facts, as form) *unit {
	return &unit{
		Facts: f, form: as,
		names:     naming.New(f.Source, f.Node, f.Declared, f.Imports),
		ways:      unnamed.New(f.Source, f.Imports),
		vars:      map[types.Object]*ir.Variable{},
		evaluated: map[ast.Expr][]*ir.Variable{},
		renamed:   map[*ast.CallExpr][]ir.Edit{},
		between:   map[ast.Expr]ir.Rope{},
		idents:    map[*ast.Ident]string{},
		exits:     map[*ast.BranchStmt]*ir.Label{},
		moved:     map[types.Object]ir.Piece{},
		gotos:     map[types.Object]*ir.Label{},
	}
}

func (u *unit) refuse(d source.Diagnostic) {
	r := u.root()
	r.diags = append(r.diags, d)
}

func (u *unit) add(list ...ir.Instr) { u.code = append(u.code, list...) }

// keepWhole prepares variables for a function that is called as it was written:
// all parameters are passed on, and nothing is shared with it.
func (u *unit) keepWhole() {
	u.whole = true
	u.code = nil
	u.lifted = nil
	u.all = nil
	for i, v := range append(u.given(), u.results...) {
		v.Usage = ir.Usage{} // what the source does with it, it does to its own variable
		v.Cell, v.Place, v.Reads = false, ir.InFrame, 1
		if v.Name == "" || v.Name == "_" {
			v.Name = "arg" + strconv.Itoa(i)
		}
		u.all = append(u.all, v)
	}
}

// unsupported is the finding for a statement of a kind that check should have
// refused.
func (u *unit) unsupported(n ast.Node) source.Diagnostic {
	return analyse.UnknownSyntax(u.Source.Extent(n), n)
}
