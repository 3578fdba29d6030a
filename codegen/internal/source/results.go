package source

import (
	"go/ast"
	"go/types"
)

// MaxValues is the number of values that a job can have besides its error: package job has tuples
// up to this size.
const MaxValues = 16

// Results are the results of a function as its job returns them: values, and an error if the last
// result has exactly the type error. A last result of another type that implements error is an
// ordinary value, since a nil pointer in it would become a non-nil error.
type Results struct {
	Values []*types.Var
	Err    *types.Var // nil: the function has no error result
}

// ResultsOf returns the results of functions with this signature.
func ResultsOf(sig *types.Signature) Results {
	var r Results
	n := sig.Results().Len()
	for i := range n {
		v := sig.Results().At(i)
		if i == n-1 && types.Identical(v.Type(), types.Universe.Lookup("error").Type()) {
			r.Err = v
			break
		}
		r.Values = append(r.Values, v)
	}
	return r
}

// Results returns the results of the function as its job returns them.
func (f *Function) Results() Results { return ResultsOf(f.Signature()) }

// ResultTypes lists the types of the results, one for each, and reports whether the last one is
// written "error".
func ResultTypes(fn *ast.FuncType) (list []ast.Expr, isError bool) {
	if fn.Results == nil {
		return nil, false
	}
	for _, field := range fn.Results.List {
		for range max(1, len(field.Names)) {
			list = append(list, field.Type)
		}
	}
	if len(list) == 0 {
		return nil, false
	}
	id, ok := list[len(list)-1].(*ast.Ident)
	return list, ok && id.Name == "error"
}
