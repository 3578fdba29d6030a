package source

import (
	"go/types"
)

// MaxValues is how many values a job can carry besides its error: package job has
// tuples up to this size.
const MaxValues = 16

// Results are the results of a function as a job sees them: values, and the
// error if the last result is of type error exactly. A last result of another
// type that implements error is a value like any other, since a nil pointer in
// it would turn into a non-nil error.
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

// Results of the function as its job sees them.
func (f *Function) Results() Results { return ResultsOf(f.Signature()) }
