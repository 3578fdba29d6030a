package source

import (
	"go/ast"
	"go/types"
)

// Function types that are marked. The values of such a type are kept in fields, maps, slices,
// channels or results, and still suspend where a machine calls them:
//
//	//movenext:async
//	type Handler func(ctx context.Context, r request) (string, error)
//
// Two functions are generated next to the type (statemachine/kept.go says how they work):
//
//	func HandlerOf(
//		plain func(context.Context, request) (string, error), enter func(
//			*statemachine.Run, context.Context, request,
//		) (interface{ Results(*statemachine.Run) (string, error) }, string, error),
//	) Handler
//
//	func HandlerEnter(
//		r *statemachine.Run, value Handler, ctx context.Context, r request,
//	) (interface{ Results(*statemachine.Run) (string, error) }, string, error)
//
// In annotated functions, a function that becomes a Handler is made by the first, and a call of a
// Handler is one of the second. As with twins, types alone decide: a type is marked if TEnter is
// declared next to it. So importers see it, and a pair written by hand works, too.
//
// A parameter of a marked type has no companion, since the value brings its entry itself.

// AnnotatedType is an annotated type of functions, or an annotated interface (see interfaces.go).
type AnnotatedType struct {
	Package *Package
	File    *File
	Spec    *ast.TypeSpec
	Object  *types.TypeName
}

// TypeParamNames returns the names of the type's parameters.
func (t *AnnotatedType) TypeParamNames() map[string]bool {
	names := map[string]bool{}
	for p := range t.Object.Type().(*types.Named).TypeParams().TypeParams() {
		names[p.Obj().Name()] = true
	}
	return names
}

// EnterSuffix and OfSuffix are added to the name of a marked type for its two functions.
const (
	EnterSuffix = "Enter"
	OfSuffix    = "Of"
)

// Signature returns the signature of a function type's values.
func (t *AnnotatedType) Signature() *types.Signature {
	return t.Object.Type().Underlying().(*types.Signature)
}

// EnterOfType returns the function that enters the values of typ if typ is a marked function type,
// or nil.
func EnterOfType(typ types.Type) *types.Func {
	named, ok := types.Unalias(typ).(*types.Named)
	if !ok {
		return nil
	}
	sig, ok := named.Underlying().(*types.Signature)
	pkg := named.Obj().Pkg()
	if !ok || pkg == nil || named.Obj().Parent() != pkg.Scope() {
		return nil
	}
	enter, ok := pkg.Scope().Lookup(named.Obj().Name() + EnterSuffix).(*types.Func)
	if !ok {
		return nil
	}
	params := enter.Signature().Params()
	if params.Len() != sig.Params().Len()+2 || !isRun(params.At(0).Type()) {
		return nil
	}
	of, ok := types.Unalias(params.At(1).Type()).(*types.Named)
	if !ok || of.Obj() != named.Obj() {
		return nil
	}
	return enter
}

// IsContext reports whether typ is context.Context.
func IsContext(typ types.Type) bool {
	named, ok := types.Unalias(typ).(*types.Named)
	return ok && IsObject(named.Obj(), "context", "Context")
}

// valueCall describes a call of a value of a marked function type.
func valueCall(call *ast.CallExpr, info *types.Info) (Suspension, bool) {
	tv := info.Types[call.Fun]
	if tv.IsType() || tv.Type == nil {
		return Suspension{}, false
	}
	enter := EnterOfType(tv.Type)
	return Suspension{Kind: KindKept, Enter: enter}, enter != nil
}
