package source

import (
	"go/ast"
	"go/types"
	"strings"
)

// Annotated interfaces. An interface that declares only plain methods
//
//	//movenext:async
//	type Store interface {
//		Get(ctx context.Context, key string) (string, error)
//	}
//
// gets its pair, and a function that makes one of any implementation:
//
//	type StorePair interface {
//		Store
//		GetAsync(ctx context.Context, key string) *job.Job[string]
//	}
//
//	func StoreOf(impl Store) StorePair
//
// The rule of twins does the rest: a call of Get of a StorePair suspends. StoreOf asks the
// implementation for each twin when it is called, since it may have some of them only. Where it
// has none, the call is plain, and blocks.
//
// The methods that have a twin in the pair are those that the interface itself declares with a
// context as their first parameter. They are found by syntax, since source names the pair before
// it exists.

// PairSuffix is added to the name of an annotated interface for its pair.
const PairSuffix = "Pair"

// Interface returns the interface that the type is, or nil.
func (t *AnnotatedType) Interface() *types.Interface {
	i, _ := t.Object.Type().Underlying().(*types.Interface)
	return i
}

// PairedMethods returns the methods of an interface that have a twin in its pair.
func PairedMethods(t *ast.InterfaceType) []*ast.Field {
	var list []*ast.Field
	for _, m := range t.Methods.List {
		fn, ok := m.Type.(*ast.FuncType)
		if ok && len(m.Names) == 1 && !strings.HasSuffix(m.Names[0].Name, "Async") && len(fn.Params.List) > 0 && namesContext(fn.Params.List[0].Type) {
			list = append(list, m)
		}
	}
	return list
}

// namesContext reports whether a type is written as that of a context, under whatever name its
// package is imported.
func namesContext(e ast.Expr) bool {
	id := BaseIdent(e)
	_, pointer := e.(*ast.StarExpr)
	return id != nil && !pointer && id.Name == "Context"
}

// Syntax returns the syntax of an interface.
func (t *AnnotatedType) Syntax() *ast.InterfaceType {
	return ast.Unparen(t.Spec.Type).(*ast.InterfaceType)
}
