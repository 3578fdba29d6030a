package codegen

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/movenext/movenext/codegen/internal/typetext"
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
	var names []ast.Expr
	for _, id := range spec.Names {
		names = append(names, id)
	}
	if !u.onlyCalled(names) {
		u.specValues(spec)
	}
	u.companions(names, spec.Values, true)
}

func (u *unit) specValues(spec *ast.ValueSpec) {
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
	i := u.assigning(u.specTargets(spec), spec.Values, spec)
	i.typed = spec.Type != nil
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

// lift is a declaration of a constant or a type that precedes its uses whatever jumps
// lie between.
type lift struct {
	whole *span
}

// liftConstants moves constants before the first label. They have no effect, so the
// move is unobservable.
func (u *unit) liftConstants(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			if obj := u.info.Defs[id]; obj != nil && id.Name != "_" {
				u.moveName(obj)
			}
		}
	}
	whole := u.scan(decl)
	u.spellRepeated(decl, whole)
	u.lifted = append(u.lifted, lift{whole: whole})
}

// moveName makes mentions of obj use the name under which it will be declared.
func (u *unit) moveName(obj types.Object) {
	u.moved[obj] = late(func(*printer) string { return u.names.object(obj) })
}

// movedName is how obj, a constant or a type that has moved, is spelled. A literal that
// has become a machine has left the scope of those around it: it sees the types, which
// are declared outside of the function, and gets the constants anew.
func (u *unit) movedName(obj types.Object) (piece, bool) {
	if with, ok := u.moved[obj]; ok || u.outer == nil {
		return with, ok
	}
	if _, isConst := obj.(*types.Const); !isConst {
		return u.outer.movedName(obj)
	}
	if !within(u.fn.Decl, obj.Pos()) || within(u.node, obj.Pos()) {
		return piece{}, false
	}
	u.liftConstants(u.declarationOf(obj))
	with, ok := u.moved[obj]
	return with, ok
}

// declarationOf finds the declaration of a constant of the function.
func (u *unit) declarationOf(obj types.Object) *ast.GenDecl {
	var found *ast.GenDecl
	ast.Inspect(u.fn.Decl, func(n ast.Node) bool {
		if decl, ok := n.(*ast.GenDecl); ok && within(decl, obj.Pos()) {
			found = decl
		}
		return found == nil
	})
	return found
}

// liftType declares a type of the function's body outside of it, since the frame may
// have to name it. Only reflection shows the changed name.
func (u *unit) liftType(spec *ast.TypeSpec) {
	obj := u.info.Defs[spec.Name].(*types.TypeName)
	if spec.Name.Name == "_" {
		return
	}
	if u.hidesTypeParam(spec) || spec.TypeParams != nil && obj.IsAlias() {
		u.refuse(localGenericType(u.at(spec.Name), spec.Name.Name))
		return
	}
	if obj.IsAlias() {
		u.moved[obj] = late(func(p *printer) string { return p.typ(types.Unalias(obj.Type()), spec) })
		return
	}
	taken := map[string]bool{}
	r := u.root()
	for _, t := range r.types {
		taken[t.name] = true
	}
	for name := range u.fn.Package.Names {
		taken[name] = true
	}
	name := typetext.Free(typetext.SetFirst(r.named.Frame, false)+typetext.SetFirst(spec.Name.Name, true), taken)
	r.types = append(r.types, liftedType{name: name, obj: obj, spec: spec})
	u.imports.Lift(obj, name+u.typeArgs())
	u.moved[obj] = text(name + u.typeArgs())
	if spec.TypeParams != nil {
		u.moved[obj] = text(name) // the arguments are after it: see [mentionScan.arguments]
	}
}

// hidesTypeParam reports whether a type parameter of a type is called like one of the
// function. Where the type is declared outside of it, the two would be in one list.
func (u *unit) hidesTypeParam(spec *ast.TypeSpec) bool {
	if spec.TypeParams == nil {
		return false
	}
	for _, field := range spec.TypeParams.List {
		for _, id := range field.Names {
			for _, list := range []*types.TypeParamList{u.fn.Signature().TypeParams(), u.fn.Signature().RecvTypeParams()} {
				for p := range list.TypeParams() {
					if id.Name == "_" || p.Obj().Name() == id.Name {
						return true
					}
				}
			}
		}
	}
	return false
}

// fieldName is the name of a field. An embedded one is named after its type, and a type
// of the function may have another name where it is declared.
func (u *unit) fieldName(field *types.Var) string {
	if !field.Embedded() {
		return field.Name()
	}
	t := field.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if alias, ok := t.(*types.Alias); ok {
		if _, moved := u.movedName(alias.Obj()); !moved {
			return field.Name()
		}
		t = types.Unalias(t)
	}
	switch t := t.(type) {
	case *types.Basic:
		return t.Name()
	case *types.Named:
		lifted, _ := u.imports.LiftedName(t.Obj())
		name, _, _ := strings.Cut(cmp.Or(lifted, t.Obj().Name()), "[")
		return name
	}
	return field.Name()
}

// liftedType is a type of the body that is declared outside.
type liftedType struct {
	name string
	obj  *types.TypeName
	spec *ast.TypeSpec
}

// typeArgs are the function's type parameters as arguments: "[K, V]" or empty.
func (u *unit) typeArgs() string {
	sig, err := u.imports.Signature(u.fn)
	if err != nil {
		return ""
	}
	return sig.FrameArgs
}
