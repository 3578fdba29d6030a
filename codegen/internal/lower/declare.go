package lower

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// declaration lowers a declaration inside the function.
func (lo *lowering) declaration(s *ast.DeclStmt) {
	decl := s.Decl.(*ast.GenDecl)
	switch decl.Tok {
	case token.VAR:
		for _, spec := range decl.Specs {
			lo.varSpec(spec.(*ast.ValueSpec))
		}
	case token.CONST:
		lo.liftConstants(decl)
	case token.TYPE:
		for _, spec := range decl.Specs {
			lo.liftType(spec.(*ast.TypeSpec))
		}
	}
}

func (lo *lowering) varSpec(spec *ast.ValueSpec) {
	var names []ast.Expr
	for _, id := range spec.Names {
		names = append(names, id)
	}
	lo.bindAssigned(names, spec.Values)
	if !lo.onlyCalled(names) {
		lo.specValues(spec)
	}
	lo.companions(names, spec.Values, true)
}

func (lo *lowering) specValues(spec *ast.ValueSpec) {
	if len(spec.Values) == 0 {
		lo.varsWithoutValues(spec)
		return
	}
	var ops []analyse.Operand
	for i, e := range spec.Values {
		o := analyse.Operand{Expr: e}
		if len(spec.Values) == len(spec.Names) && spec.Names[i].Name != "_" {
			o.To = lo.Info.Defs[spec.Names[i]].Type()
		}
		ops = append(ops, o)
	}
	suspends := lo.Suspends(spec)
	if call := lo.onlyPoint(spec.Values); call != nil {
		lo.suspendInto(call, lo.specTargets(spec))
		return
	}
	if suspends {
		lo.spillAll(ops, false)
	}
	i := lo.assigning(lo.specTargets(spec), spec.Values, spec)
	i.Typed = spec.Type != nil
	lo.add(i)
}

func (lo *lowering) specTargets(spec *ast.ValueSpec) []ir.Dest {
	var dst []ir.Dest
	for _, id := range spec.Names {
		if id.Name == "_" {
			dst = append(dst, ir.Dest{})
			continue
		}
		dst = append(dst, ir.Dest{V: lo.declare(lo.Info.Defs[id]), Declares: true})
	}
	return dst
}

func (lo *lowering) varsWithoutValues(spec *ast.ValueSpec) {
	z := &ir.Zero{}
	for _, id := range spec.Names {
		if id.Name != "_" {
			z.Vars = append(z.Vars, lo.declare(lo.Info.Defs[id]))
		}
	}
	if len(z.Vars) > 0 {
		z.Whole = lo.scan(spec)
		lo.add(z)
	}
}

// liftConstants moves constants before the first label. They have no effects, so the move is
// unobservable.
func (lo *lowering) liftConstants(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			if obj := lo.Info.Defs[id]; obj != nil && id.Name != "_" {
				lo.moveName(obj)
			}
		}
	}
	whole := lo.scan(decl)
	lo.spellRepeated(decl, whole)
	lo.lifted = append(lo.lifted, whole)
}

// moveName makes mentions of obj use the name under which obj will be declared.
func (lo *lowering) moveName(obj types.Object) {
	lo.moved[obj] = ir.OpenPiece(ir.ConstantName{Obj: obj})
}

// movedName returns the spelling of obj, a constant or a type that has moved. A literal that has
// become a machine has left the scope of the functions around it: it sees the types, which are
// declared outside of the function, and gets copies of the constants.
func (lo *lowering) movedName(obj types.Object) (ir.Piece, bool) {
	if with, ok := lo.moved[obj]; ok || lo.parent == nil {
		return with, ok
	}
	if _, isConst := obj.(*types.Const); !isConst {
		return lo.parent.movedName(obj)
	}
	if !analyse.Within(lo.Source.Decl, obj.Pos()) || analyse.Within(lo.Node, obj.Pos()) {
		return ir.Piece{}, false
	}
	lo.liftConstants(lo.declarationOf(obj))
	with, ok := lo.moved[obj]
	return with, ok
}

// declarationOf finds the declaration of a constant in the function.
func (lo *lowering) declarationOf(obj types.Object) *ast.GenDecl {
	var found *ast.GenDecl
	ast.Inspect(lo.Source.Decl, func(n ast.Node) bool {
		if decl, ok := n.(*ast.GenDecl); ok && analyse.Within(decl, obj.Pos()) {
			found = decl
		}
		return found == nil
	})
	return found
}

// liftType declares a type of the function's body outside of the function, since the frame may
// have to name it. Only reflection reveals the changed name.
func (lo *lowering) liftType(spec *ast.TypeSpec) {
	obj := lo.Info.Defs[spec.Name].(*types.TypeName)
	if spec.Name.Name == "_" {
		return
	}
	if obj.IsAlias() {
		// One with type parameters is a type only with arguments: see [mentionScan.replaceAlias].
		lo.moved[obj] = ir.TypeText(types.Unalias(obj.Type()), spec)
		return
	}
	if lo.hidesTypeParam(spec) {
		lo.refuse(localGenericType(lo.Source.Extent(spec.Name), spec.Name.Name))
		return
	}
	taken := map[string]bool{}
	r := lo.root()
	for _, t := range r.types {
		taken[t.Name] = true
	}
	for name := range lo.Source.Package.Names {
		taken[name] = true
	}
	name := typetext.Free(typetext.SetFirst(r.Declared.Frame, false)+typetext.SetFirst(spec.Name.Name, true), taken, lo.Source.Package.Nearer)
	r.types = append(r.types, ir.Type{Name: name, Object: obj, Spec: spec})
	lo.Imports.Lift(obj, name+lo.typeArgs())
	lo.moved[obj] = ir.Text(name + lo.typeArgs())
	if spec.TypeParams != nil {
		lo.moved[obj] = ir.Text(name) // its arguments follow: see [mentionScan.arguments]
	}
}

// hidesTypeParam reports whether a type parameter of a type has the same name as one of the
// function. When the type is declared outside of the function, both would be in one list.
func (lo *lowering) hidesTypeParam(spec *ast.TypeSpec) bool {
	if spec.TypeParams == nil {
		return false
	}
	for _, field := range spec.TypeParams.List {
		for _, id := range field.Names {
			for _, list := range []*types.TypeParamList{lo.Source.Signature().TypeParams(), lo.Source.Signature().RecvTypeParams()} {
				for p := range list.TypeParams() {
					if p.Obj().Name() == id.Name {
						return true
					}
				}
			}
		}
	}
	return false
}

// fieldName returns the name of a field. An embedded field is named after its type, and a type
// of the function may be declared under another name.
func (lo *lowering) fieldName(field *types.Var) string {
	if !field.Embedded() {
		return field.Name()
	}
	t := field.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if alias, ok := t.(*types.Alias); ok {
		if _, moved := lo.movedName(alias.Obj()); !moved {
			return field.Name()
		}
		t = types.Unalias(t)
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
	}
	switch t := t.(type) {
	case *types.Basic:
		return t.Name()
	case *types.Named:
		lifted, _ := lo.Imports.LiftedName(t.Obj())
		name, _, _ := strings.Cut(cmp.Or(lifted, t.Obj().Name()), "[")
		return name
	}
	return field.Name()
}

// Constants that repeat an expression whose meaning differs from line to line.
//
//	const (
//		A    = iota
//		iota = iota
//		B           // = iota: the constant above
//	)
//
// The repeated part is text: its names are looked up again in each line. Moved constants may have
// new names, but the text would keep its old meaning; and type information contains only the last
// meaning of each name. So such expressions are written as values. (Other expressions stay, since
// users want to recognise their iota.)

// spellRepeated replaces the repeated text of a declaration with its values.
func (lo *lowering) spellRepeated(decl *ast.GenDecl, whole *ir.Span) {
	for _, spec := range repeatsOwnNames(decl) {
		from, to := spec.Names[len(spec.Names)-1].End(), spec.End()
		whole.Edit = slices.DeleteFunc(whole.Edit, func(e ir.Edit) bool { return from <= e.Pos && e.End <= to })
		var values []ir.Rope
		for _, id := range spec.Names {
			values = append(values, ir.Rope{ir.OpenPiece(ir.ConstantValue{Of: lo.Info.Defs[id].(*types.Const), At: spec})})
		}
		whole.Edit = append(whole.Edit, ir.Edit{Pos: from, End: to, With: append(ir.Rope{ir.Text(" = ")}, join(values)...)})
	}
	slices.SortStableFunc(whole.Edit, func(a, b ir.Edit) int { return int(a.Pos - b.Pos) })
}

// repeatsOwnNames returns the lines whose expression is repeated, or a repetition, and mentions a
// name that the declaration itself declares.
func repeatsOwnNames(decl *ast.GenDecl) []*ast.ValueSpec {
	declared := map[string]bool{}
	for _, spec := range decl.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			declared[id.Name] = true
		}
	}
	var found, group []*ast.ValueSpec
	end := func() {
		if len(group) > 1 && slices.ContainsFunc(group[0].Values, func(e ast.Expr) bool { return mentionsAny(e, declared) }) {
			found = append(found, group...)
		}
	}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) > 0 {
			end()
			group = nil
		}
		group = append(group, spec)
	}
	end()
	return found
}

func mentionsAny(e ast.Expr, names map[string]bool) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && names[id.Name]
		return !found
	})
	return found
}
