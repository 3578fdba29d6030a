package codegen

import "go/ast"

// returnStatement assigns the returned values to the result variables, and the machine
// ends.
func (u *unit) returnStatement(s *ast.ReturnStmt) {
	if !u.suspends(s) {
		u.add(u.returning(s)...)
		return
	}
	if call := u.onlyPoint(s.Results); call != nil {
		u.suspendInto(call, u.resultTargets())
		u.add(u.ending())
		return
	}
	var ops []operandOf
	for i, e := range s.Results {
		o := operandOf{expr: e}
		if len(s.Results) == len(u.results) {
			o.to = u.results[i].typ
		}
		ops = append(ops, o)
	}
	if u.forced[s] && len(s.Results) > 1 {
		u.spillAll(ops, true)
		u.tuple(nil, s.Results, func(i int) dest { return dest{v: u.results[i]} })
		u.add(u.ending())
		return
	}
	u.spillAll(ops, false)
	u.add(u.returning(s)...)
}

// ending is what follows when the results have been assigned: loops over functions are
// stopped, and deferred calls are made.
func (u *unit) ending() instr {
	if to := u.out(u.epilogue, 0); to != nil {
		return &jump{to}
	}
	return &finish{u.results}
}

func (u *unit) resultTargets() []dest {
	var dst []dest
	for _, r := range u.results {
		dst = append(dst, dest{v: r})
	}
	return dst
}

// returning are the instructions of a return statement whose suspension points, if
// any, have been evaluated.
func (u *unit) returning(s *ast.ReturnStmt) []instr {
	if len(s.Results) == 0 {
		return []instr{u.ending()}
	}
	dst := u.resultTargets()
	if len(s.Results) != len(dst) {
		return []instr{&assign{dst: dst, src: u.join(s.Results)}, u.ending()}
	}
	var left []dest
	var right []ast.Expr
	for i, e := range s.Results {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok && u.variableOf(id) == dst[i].v {
			continue // x = x
		}
		left, right = append(left, dst[i]), append(right, e)
	}
	if len(left) == 0 {
		return []instr{u.ending()}
	}
	return []instr{&assign{dst: left, src: u.join(right)}, u.ending()}
}
