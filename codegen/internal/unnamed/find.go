package unnamed

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Way is an expression for a nil pointer to a type. It is one of the types below.
type Way interface{ isWay() }

type (
	// Nil is a nil pointer to a type that can be named: (*T)(nil).
	Nil struct{ Type string }

	// Address is the address of a variable of a package: &other.V.
	Address struct{ Of types.Object }

	// Value is a function or a constant of a package; a function has the type arguments that
	// can be named: other.New[int]. It is never the end of a way, only an argument in one.
	Value struct {
		Of   types.Object
		Args string
	}

	// Like is a nil pointer to the type of a value: statemachine.Like(x).
	Like struct{ X Way }

	// Field goes from a struct to the type of a field: &statemachine.New(x).Name.
	Field struct {
		X    Way
		Name string
	}

	// Inferred is the call of a generic function that does nothing but infer another type from
	// the types of its arguments. Its declaration is
	//
	//	func name[TypeParams](Params) (_ *Result) { return }
	//
	// and its call consists of name, TypeArgs and the arguments Args.
	Inferred struct {
		TypeParams, Params, Result string

		TypeArgs string // in brackets; the others are inferred
		Args     []Way
	}
)

func (Nil) isWay()      {}
func (Address) isWay()  {}
func (Value) isWay()    {}
func (Like) isWay()     {}
func (Field) isWay()    {}
func (Inferred) isWay() {}

// Ways are the ways of one annotated function. The search runs when the first way is requested,
// since most functions need none.
type Ways struct {
	fn      *source.Function
	imports *typetext.Imports

	searched  bool
	known     typeutil.Map // types to ways
	queue     []types.Type
	mentioned map[string]bool // names in the function
	calls     []*ast.Ident    // generic functions whose type arguments cannot be named
}

// New returns the ways of fn, written for the file with these imports.
func New(fn *source.Function, imports *typetext.Imports) *Ways {
	return &Ways{fn: fn, imports: imports, mentioned: map[string]bool{"GetAwaiter": true, "Await": true}}
}

// Find marks the variables whose types cannot be named, and returns the ways to these types, as
// far as there are any. spell writes the type of a variable for the generated file, like typetext:
// with holes if they are requested.
func (w *Ways) Find(vars []*ir.Variable, spell func(*ir.Variable) (string, error)) map[*ir.Variable]Way {
	found := map[*ir.Variable]Way{}
	for _, v := range vars {
		o, err := w.imports.Open(func() (string, error) { return spell(v) })
		v.Unnamed = len(o.Holes) > 0
		if !v.Unnamed || err != nil {
			continue
		}
		var way Way
		var ok bool
		if v.Type != nil {
			way, ok = w.To(v.Type)
		} else {
			way, ok = w.through(o)
		}
		if ok {
			found[v] = way
		}
	}
	return found
}

// To returns the way to a type, which may also be one that has a name, and reports whether there
// is one.
func (w *Ways) To(t types.Type) (Way, bool) {
	if way, ok := w.end(t); ok {
		return way, true
	}
	o, err := w.imports.Open(func() (string, error) { return w.imports.TypeString(t) })
	if err != nil {
		return nil, false
	}
	if len(o.Holes) == 0 {
		return Nil{o.Text}, true
	}
	return w.through(o)
}

// end returns the way that the search has found to a type as a whole.
func (w *Ways) end(t types.Type) (Way, bool) {
	if !w.searched {
		w.searched = true
		w.search()
	}
	way, ok := w.known.At(t).(Way)
	return way, ok
}

// through returns the way to a type through the ways to all of its holes.
func (w *Ways) through(o typetext.Open) (Way, bool) {
	var params, likes []string
	var args []Way
	for _, h := range o.Holes {
		way, found := w.end(h.Type)
		if !found && !w.imports.IsHole(h.Type) { // a hole that consists of several parts
			way, found = w.To(h.Type)
		}
		if !found {
			return nil, false
		}
		if o.Text == h.Name {
			return way, true
		}
		params = append(params, h.Name+" "+h.Constraint(w.imports))
		likes = append(likes, "*"+h.Name)
		args = append(args, way)
	}
	sig, err := w.imports.Signature(w.fn)
	if err != nil {
		return nil, false
	}
	if sig.FrameParams != "" {
		params = append([]string{strings.Trim(sig.FrameParams, "[]")}, params...)
	}
	return Inferred{strings.Join(params, ", "), strings.Join(likes, ", "), o.Text, sig.FrameArgs, args}, true
}
