package codegen

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/source"
)

// What happens to a suspension point's results once they exist.

// retyped reports whether a variable that call gives its first value has another
// type than the value.
func (u *unit) retyped(call *ast.CallExpr, dst []dest) bool {
	tuple, several := u.typeOf(call).(*types.Tuple)
	for i, t := range dst {
		if !t.declares {
			continue
		}
		result := u.typeOf(call)
		if several {
			result = tuple.At(i).Type()
		}
		if !types.Identical(t.v.typ, result) {
			return true
		}
	}
	return false
}

// values is how many results call has.
func (u *unit) values(call *ast.CallExpr) int {
	switch t := u.typeOf(call).(type) {
	case *types.Tuple:
		return t.Len()
	default:
		if tv := u.info.Types[call]; tv.IsVoid() {
			return 0
		}
		return 1
	}
}

// dropBlanks turns _, _ = f() into f().
func dropBlanks(dst []dest) []dest {
	for _, t := range dst {
		if t.v != nil || t.place != nil {
			return dst
		}
	}
	return nil
}

func forget(v *variable) instr {
	return &assign{dst: []dest{{v: v}}, src: rope{text("nil")}, forgets: true}
}

// unpack takes a function's results from those of its job: value and error.
func (u *unit) unpack(call *ast.CallExpr, src rope, s *source.Suspension, dst []dest) {
	r := source.ResultsOf(s.Callee.Signature())
	typed := u.retyped(call, dst)
	var fail dest
	if r.Err != nil {
		dst, fail = dst[:len(dst)-1], dst[len(dst)-1]
	}
	switch len(r.Values) {
	case 0:
		u.add(&assign{dst: dropBlanks([]dest{{}, fail}), src: src, typed: typed})
	case 1:
		u.add(&assign{dst: dropBlanks([]dest{dst[0], fail}), src: src, typed: typed})
	default:
		tuple := u.temp("tuple", s.Result)
		u.add(&assign{dst: []dest{{v: tuple, declares: true}, fail}, src: src, typed: typed})
		var fields rope
		for i := range dst {
			if i > 0 {
				fields = append(fields, text(", "))
			}
			fields = append(fields, use(tuple), text(".V"+strconv.Itoa(i+1)))
		}
		u.add(&assign{dst: dst, src: fields, typed: typed})
	}
}

func (u *unit) resultOf(function string, p *point) rope {
	return rope{statemachineName, text("." + function + "("), taskName, text(", "), use(p.held), text(")")}
}

func (u *unit) jobType(t types.Type) func() (string, error) {
	return func() (string, error) {
		elem, err := u.imports.TypeString(t)
		return "*" + u.imports.Path(source.JobPath, "job") + ".Job[" + elem + "]", err
	}
}
