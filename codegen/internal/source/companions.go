package source

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Companions: an entry has one more parameter for each parameter of function type. For
//
//	//movenext:async
//	func retry(ctx context.Context, n int, op func(context.Context) (page, error)) (page, error)
//
// the entry is
//
//	func retryEnter(
//		r *statemachine.Run,
//		opEnter func(*statemachine.Run, context.Context) (
//			interface{ Results(*statemachine.Run) (page, error) }, page, error),
//		ctx context.Context, n int, op func(context.Context) (page, error),
//	) (*retryFrame, page, error)
//
// The companion enters what the parameter holds, and returns the suspended machine or the results.
// It is nil if the parameter holds a function that cannot suspend, or none. The companion of a
// variadic parameter is a slice, nil or with an element for each of the parameter's.
//
// Types alone decide which parameters have companions. It is tempting to look into the body, since
// a parameter that is only stored needs none. But then a change of the body would change the
// signature of an exported entry.
//
// The stub of an entry has no companions: whether the type called Handler is that of functions is
// not known before types are. So the rule is applied to functions with stubs, and the companions
// of all others are in the types of their entries. Entries written by hand may have none.

// Companion is a parameter that has a companion in the entry.
type Companion struct {
	Param    *types.Var
	Index    int
	Func     *types.Signature // of the function, or of each of a variadic parameter's
	Variadic bool
}

// CompanionsIn returns the parameters with companions of a function of package pkg. A type that
// the package cannot write has none.
func CompanionsIn(pkg *types.Package, sig *types.Signature) []Companion {
	var list []Companion
	for i := range sig.Params().Len() {
		c := Companion{Param: sig.Params().At(i), Index: i, Variadic: sig.Variadic() && i == sig.Params().Len()-1}
		typ := c.Param.Type()
		if c.Variadic {
			slice, ok := types.Unalias(typ).(*types.Slice)
			if !ok {
				continue // append of a string: no function declares that
			}
			typ = slice.Elem()
		}
		fn, ok := typ.Underlying().(*types.Signature)
		if ok && pkg != nil && typeset.Nameable(pkg, fn) {
			c.Func = fn
			list = append(list, c)
		}
	}
	return list
}

// Companions returns the parameters of the function that have companions in its entry.
func (f *Function) Companions() []Companion {
	if f.Stream != nil {
		return nil // it has no entry
	}
	return CompanionsIn(f.Object.Pkg(), f.Signature())
}

// companionsOf returns the parameters with companions of a function with an entry.
func (t *Twins) companionsOf(fn, enter *types.Func) []Companion {
	_, generated := t.names[KeyOf(fn)]
	if !generated && enter.Signature().Params().Len() == fn.Signature().Params().Len()+1 {
		return nil
	}
	return CompanionsIn(fn.Pkg(), fn.Signature())
}

// companionType returns the type of a companion, where run is the type *statemachine.Run.
func (c *Companion) companionType(run types.Type) types.Type {
	named := func(typ types.Type) *types.Var { return types.NewParam(token.NoPos, nil, "", typ) }
	results := types.NewSignatureType(nil, nil, nil, types.NewTuple(named(run)), c.Func.Results(), false)
	callee := types.NewInterfaceType([]*types.Func{types.NewFunc(token.NoPos, nil, "Results", results)}, nil).Complete()
	var typ types.Type = types.NewSignatureType(nil, nil, nil, before(named(run), c.Func.Params()), before(named(callee), c.Func.Results()), c.Func.Variadic())
	if c.Variadic {
		typ = types.NewSlice(typ)
	}
	return typ
}

func before(v *types.Var, list *types.Tuple) *types.Tuple {
	vars := []*types.Var{v}
	for other := range list.Variables() {
		vars = append(vars, other)
	}
	return types.NewTuple(vars...)
}

// hasCompanions reports whether the parameters of an entry from the second on are the companions
// of fn's parameters, n of them.
func hasCompanions(fn *types.Func, enter *types.Signature, n int) bool {
	list := CompanionsIn(fn.Pkg(), fn.Signature())
	if len(list) != n {
		return false
	}
	run := enter.Params().At(0).Type()
	for i, c := range list {
		if !types.Identical(c.companionType(run), enter.Params().At(1+i).Type()) {
			return false
		}
	}
	return true
}

// Given is what a call passes to a parameter with a companion: one value, or any number of them to
// a variadic parameter.
type Given struct {
	Companion
	Values []ast.Expr
	Spread bool // the value is the slice itself: f(list...)
}

// Given returns what a call passes to the parameters with companions, in their order. A call
// f(g()) passes nothing that is known.
func (s *Suspension) Given(call *ast.CallExpr, info *types.Info) []Given {
	args := call.Args
	if len(args) == 1 {
		if _, several := info.TypeOf(args[0]).(*types.Tuple); several {
			args = nil
		}
	}
	if len(args) > 0 && s.Method != nil && s.Method.Kind() == types.MethodExpr {
		args = args[1:]
	}
	var list []Given
	for _, c := range s.Companions {
		g := Given{Companion: c}
		switch {
		case c.Index >= len(args):
		case c.Variadic && call.Ellipsis.IsValid():
			g.Values, g.Spread = args[c.Index:], true
		case c.Variadic:
			g.Values = args[c.Index:]
		default:
			g.Values = args[c.Index : c.Index+1]
		}
		list = append(list, g)
	}
	return list
}
