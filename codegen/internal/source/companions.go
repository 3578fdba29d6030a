package source

import (
	"go/ast"
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
// An entry without companions is valid, too: one written by hand, or made for contract 1.

// Companion is a parameter that has a companion in the entry.
type Companion struct {
	Param    *types.Var
	Index    int
	Func     *types.Signature // of the function, or of each of a variadic parameter's
	Variadic bool
}

// CompanionsIn returns the parameters with companions of a function of package pkg. A type that
// the package cannot write has none, nor has a parameter for the root of a job, which the function
// passes on, nor one of a marked type, whose values bring their entries.
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
		if ok && !isRoot(typ) && EnterOfType(typ) == nil && pkg != nil && typeset.Nameable(pkg, fn) {
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

// companionsOf returns the parameters of fn that have companions in its entry: all or none.
func companionsOf(fn, enter *types.Func) []Companion {
	if enter.Signature().Params().Len() == 1+fn.Signature().Params().Len() {
		return nil
	}
	return CompanionsIn(fn.Pkg(), fn.Origin().Signature())
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
