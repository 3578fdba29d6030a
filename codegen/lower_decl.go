package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
)

// declaration lowers a declaration inside the function.
func (u *unit) declaration(s *ast.DeclStmt) {
	decl := s.Decl.(*ast.GenDecl)
	switch decl.Tok {
	case token.VAR:
		for _, spec := range decl.Specs {
			u.varSpec(spec.(*ast.ValueSpec))
		}
	case token.CONST:
		u.liftConstants(decl)
	case token.TYPE:
		for _, spec := range decl.Specs {
			u.liftType(spec.(*ast.TypeSpec))
		}
	}
}

func (u *unit) varSpec(spec *ast.ValueSpec) {
	if len(spec.Values) == 0 {
		u.varsWithoutValues(spec)
		return
	}
	var ops []operandOf
	for i, e := range spec.Values {
		o := operandOf{expr: e}
		if len(spec.Values) == len(spec.Names) && spec.Names[i].Name != "_" {
			o.to = u.info.Defs[spec.Names[i]].Type()
		}
		ops = append(ops, o)
	}
	suspends := u.suspends(spec)
	if call := u.onlyPoint(spec.Values); call != nil {
		u.suspendInto(call, u.specTargets(spec))
		return
	}
	if suspends {
		u.spillAll(ops, false)
	}
	i := &assign{dst: u.specTargets(spec), src: u.join(spec.Values), typed: spec.Type != nil}
	i.whole = u.scan(spec)
	u.add(i)
}

func (u *unit) specTargets(spec *ast.ValueSpec) []dest {
	var dst []dest
	for _, id := range spec.Names {
		if id.Name == "_" {
			dst = append(dst, dest{})
			continue
		}
		dst = append(dst, dest{v: u.declare(u.info.Defs[id]), declares: true})
	}
	return dst
}

func (u *unit) varsWithoutValues(spec *ast.ValueSpec) {
	z := &zero{}
	for _, id := range spec.Names {
		if id.Name != "_" {
			z.vars = append(z.vars, u.declare(u.info.Defs[id]))
		}
	}
	if len(z.vars) > 0 {
		z.whole = u.scan(spec)
		u.add(z)
	}
}

// lift is a declaration of a constant or a type that stands in front of its
// uses whatever jumps lie between.
type lift struct {
	whole *span
	names []*types.Const
}

// liftConstants moves constants in front of the first label. They have no effect,
// so nobody notices.
func (u *unit) liftConstants(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			if obj := u.info.Defs[id]; obj != nil && id.Name != "_" {
				u.moveName(obj)
			}
		}
	}
	u.lifted = append(u.lifted, lift{whole: u.scan(decl)})
}

// moveName makes mentions of obj use the name under which it will be declared.
func (u *unit) moveName(obj types.Object) {
	u.moved[obj] = late(func(*printer) string { return u.names.object(obj) })
}

func (u *unit) liftType(spec *ast.TypeSpec) {
	u.refuse(localType(u.at(spec)))
}
