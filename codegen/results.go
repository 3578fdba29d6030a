package codegen

import (
	"fmt"
	"go/types"
	"strings"
)

// maxValues is how many values a job can carry besides its error: package job has
// tuples up to this size.
const maxValues = 16

// Results are the results of a function as a job sees them: values, and the
// error if the last result is of type error exactly. A last result of another
// type that implements error is a value like any other, since a nil pointer in
// it would turn into a non-nil error.
type Results struct {
	Values []*types.Var
	Err    *types.Var // nil: the function has no error result
}

func resultsOf(sig *types.Signature) Results {
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
func (f *Function) Results() Results { return resultsOf(f.Signature()) }

// JobArgument is T of the *job.Job[T] that carries results, as written in the
// generated file.
func (im *Imports) JobArgument(results Results) (string, error) {
	if len(results.Values) == 0 {
		return im.Path(jobPath, "job") + ".Void", nil
	}
	var list []string
	for _, v := range results.Values {
		text, err := im.TypeString(v.Type())
		if err != nil {
			return "", err
		}
		list = append(list, text)
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return fmt.Sprintf("%s.Tuple%d[%s]", im.Path(jobPath, "job"), len(list), strings.Join(list, ", ")), nil
}
