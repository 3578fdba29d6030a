package codegen

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
)

// What happens to a suspension point's results once they exist.

// retyped reports whether a variable that call gives its first value has another
// type than the value.
func (u *unit) retyped(call *ast.CallExpr, dst []ir.Dest) bool {
	tuple, several := u.TypeOf(call).(*types.Tuple)
	for i, t := range dst {
		if !t.Declares {
			continue
		}
		result := u.TypeOf(call)
		if several {
			result = tuple.At(i).Type()
		}
		if !types.Identical(t.V.Type, result) {
			return true
		}
	}
	return false
}

// values is how many results call has.
func (u *unit) values(call *ast.CallExpr) int {
	switch t := u.TypeOf(call).(type) {
	case *types.Tuple:
		return t.Len()
	default:
		if tv := u.Info.Types[call]; tv.IsVoid() {
			return 0
		}
		return 1
	}
}

// dropBlanks turns _, _ = f() into f().
func dropBlanks(dst []ir.Dest) []ir.Dest {
	for _, t := range dst {
		if t.V != nil || t.Place != nil {
			return dst
		}
	}
	return nil
}

func forget(v *ir.Variable) ir.Instr {
	return &ir.Assign{Dst: []ir.Dest{{V: v}}, Src: ir.Rope{ir.Text("nil")}, Forgets: true}
}

// unpack takes a function's results from those of its job: value and error.
func (u *unit) unpack(call *ast.CallExpr, src ir.Rope, s *source.Suspension, dst []ir.Dest) {
	r := source.ResultsOf(s.Callee.Signature())
	typed := u.retyped(call, dst)
	var fail ir.Dest
	if r.Err != nil {
		dst, fail = dst[:len(dst)-1], dst[len(dst)-1]
	}
	switch len(r.Values) {
	case 0:
		u.add(&ir.Assign{Dst: dropBlanks([]ir.Dest{{}, fail}), Src: src, Typed: typed})
	case 1:
		u.add(&ir.Assign{Dst: dropBlanks([]ir.Dest{dst[0], fail}), Src: src, Typed: typed})
	default:
		tuple := u.temp("tuple", s.Result)
		u.add(&ir.Assign{Dst: []ir.Dest{{V: tuple, Declares: true}, fail}, Src: src, Typed: typed})
		var fields ir.Rope
		for i := range dst {
			if i > 0 {
				fields = append(fields, ir.Text(", "))
			}
			fields = append(fields, ir.Use(tuple), ir.Text(".V"+strconv.Itoa(i+1)))
		}
		u.add(&ir.Assign{Dst: dst, Src: fields, Typed: typed})
	}
}

func (u *unit) resultOf(function string, p *ir.Point) ir.Rope {
	return ir.Rope{ir.StatemachineName, ir.Text("." + function + "("), ir.TaskName, ir.Text(", "), ir.Use(p.Held), ir.Text(")")}
}

// jobType is the type of a job that has a result of type t.
func jobType(t types.Type) ir.Rope {
	return ir.Rope{ir.Text("*"), ir.JobName, ir.Text(".Job["), ir.TypeText(t, nil), ir.Text("]")}
}
