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

// Derivation is an expression for a nil pointer to a type. It is one of the types below.
type Derivation interface{ isDerivation() }

type (
	// Nil is a nil pointer to a type that can be named: (*T)(nil).
	Nil struct{ Type string }

	// Address is the address of a variable of a package: &other.V.
	Address struct{ Object types.Object }

	// Value is a function or a constant of a package; a function has the type arguments that
	// can be named: other.New[int]. It never ends a derivation, it is only an argument in one.
	Value struct {
		Object types.Object
		Args   string
	}

	// Witness is a nil pointer to the type of a value: gentypes.Like(x).
	Witness struct{ X Derivation }

	// Field goes from a struct to the type of a field: &gentypes.New(x).Name.
	Field struct {
		X    Derivation
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
		Args     []Derivation
	}
)

func (Nil) isDerivation()      {}
func (Address) isDerivation()  {}
func (Value) isDerivation()    {}
func (Witness) isDerivation()  {}
func (Field) isDerivation()    {}
func (Inferred) isDerivation() {}

// Derivations are those of one annotated function. The search runs when the first one is
// requested, since most functions need none.
type Derivations struct {
	fn      *source.Function
	imports *typetext.Imports

	searched  bool
	known     typeutil.Map // types to derivations
	queue     []types.Type
	mentioned map[string]bool // names in the function
	calls     []*ast.Ident    // generic functions whose type arguments cannot be named
}

// New returns the derivations of fn, written for the file with these imports.
func New(fn *source.Function, imports *typetext.Imports) *Derivations {
	return &Derivations{fn: fn, imports: imports, mentioned: map[string]bool{source.GetAwaiterName: true, source.AwaitName: true}}
}

// Find marks the variables whose types cannot be named, and returns the derivations of these
// types, as far as there are any. spell writes the type of a variable for the generated file,
// like typetext: with holes if they are requested.
func (ds *Derivations) Find(vars []*ir.Variable, spell func(*ir.Variable) (string, error)) map[*ir.Variable]Derivation {
	found := map[*ir.Variable]Derivation{}
	for _, v := range vars {
		o, err := ds.imports.Open(func() (string, error) { return spell(v) })
		v.Unnamed = len(o.Holes) > 0
		if !v.Unnamed || err != nil {
			continue
		}
		var d Derivation
		var ok bool
		if v.Type != nil {
			d, ok = ds.To(v.Type)
		} else {
			d, ok = ds.compose(o)
		}
		if ok {
			found[v] = d
		}
	}
	return found
}

// To returns the derivation of a type, which may also be one that has a name, and reports whether
// there is one.
func (ds *Derivations) To(t types.Type) (Derivation, bool) {
	if d, ok := ds.searchResult(t); ok {
		return d, true
	}
	o, err := ds.imports.Open(func() (string, error) { return ds.imports.TypeString(t) })
	if err != nil {
		return nil, false
	}
	if len(o.Holes) == 0 {
		return Nil{o.Text}, true
	}
	return ds.compose(o)
}

// searchResult returns the derivation that the search has found of a type as a whole.
func (ds *Derivations) searchResult(t types.Type) (Derivation, bool) {
	if !ds.searched {
		ds.searched = true
		ds.search()
	}
	d, ok := ds.known.At(t).(Derivation)
	return d, ok
}

// compose derives a type from the derivations of all of its holes.
func (ds *Derivations) compose(o typetext.Open) (Derivation, bool) {
	var params, pointers []string
	var args []Derivation
	for _, h := range o.Holes {
		d, found := ds.searchResult(h.Type)
		if !found && !ds.imports.IsHole(h.Type) { // a hole that consists of several parts
			d, found = ds.To(h.Type)
		}
		if !found {
			return nil, false
		}
		if o.Text == h.Name {
			return d, true
		}
		params = append(params, h.Name+" "+h.Constraint(ds.imports))
		pointers = append(pointers, "*"+h.Name)
		args = append(args, d)
	}
	sig, err := ds.imports.Signature(ds.fn)
	if err != nil {
		return nil, false
	}
	if sig.FrameParams != "" {
		params = append([]string{strings.Trim(sig.FrameParams, "[]")}, params...)
	}
	return Inferred{strings.Join(params, ", "), strings.Join(pointers, ", "), o.Text, sig.FrameArgs, args}, true
}
