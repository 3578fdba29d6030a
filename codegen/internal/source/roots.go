package source

import (
	"go/ast"
	"go/types"
)

// Roots: a function that is given to a parameter of one of these types becomes the root of a chain
// elsewhere, and may report its suspension by its error:
//
//	func Run[T any](ctx context.Context, fn root.Func[T], opts ...Option) *Job[T]
//
// The types are aliases, so that callers give ordinary functions. An alias of such an alias marks
// a parameter, too. Export data and source both keep them. It is tempting to mark the function by
// a directive. But export data does not keep comments, and an interface could not be marked.
//
// A parameter of the twin is marked, but not that of the function itself, if the function calls
// what it is given in its own chain, and only the twin starts a job: see job.InScope. If the
// function has an entry with companions, as coord.InTurn has, machines call that instead.

// isRoot reports whether typ marks a parameter.
func isRoot(typ types.Type) bool {
	for {
		alias, ok := typ.(*types.Alias)
		if !ok {
			return false
		}
		if marksRoot(alias.Obj()) {
			return true
		}
		typ = alias.Rhs()
	}
}

// Roots are the functions that a call gives to marked parameters.
type Roots struct {
	Functions []ast.Expr
	Waits     bool // only the twin's parameters are marked: a machine calls that, and waits
	Job       bool // the call returns a job, which may be that of the function
}

// RootsIn returns the functions that a call gives to marked parameters, which may be none.
func RootsIn(call *ast.CallExpr, info *types.Info) Roots {
	fn, _, method := Callee(call, info)
	if fn == nil || method != nil && method.Kind() != types.MethodVal {
		return Roots{}
	}
	fn = fn.Origin()
	if functions := rootsOf(fn, call); functions != nil {
		results := fn.Signature().Results()
		return Roots{Functions: functions, Job: results.Len() == 1 && jobArgument(results.At(0).Type()) != nil}
	}
	twin := TwinOf(fn)
	if twin == nil || hasCompanions(fn) {
		return Roots{}
	}
	functions := rootsOf(twin, call)
	return Roots{Functions: functions, Waits: functions != nil}
}

// rootsOf returns the arguments of call that parameters of fn mark.
func rootsOf(fn *types.Func, call *ast.CallExpr) (functions []ast.Expr) {
	params := fn.Signature().Params()
	for i, arg := range call.Args {
		last := fn.Signature().Variadic() && i >= params.Len()-1
		switch {
		case last && !call.Ellipsis.IsValid():
			if slice, ok := types.Unalias(params.At(params.Len() - 1).Type()).(*types.Slice); ok && isRoot(slice.Elem()) {
				functions = append(functions, ast.Unparen(arg))
			}
		case !last && i < params.Len() && isRoot(params.At(i).Type()):
			functions = append(functions, ast.Unparen(arg))
		}
	}
	return functions
}

// hasCompanions reports whether fn has an entry with companions.
func hasCompanions(fn *types.Func) bool {
	enter := beside(fn, fn.Name()+"Enter")
	if enter == nil {
		enter = inheritedMethod(fn, fn.Name()+"Enter")
	}
	return enter != nil && isEnter(fn, enter) && len(companionsOf(fn, enter)) > 0
}
