package codegen

import (
	"go/ast"
	"go/types"
	"slices"
)

// ofC reports whether e involves C: it names C, or its type is unknown because of C.
func (u *unit) ofC(e ast.Expr) bool {
	tv, typed := u.info.Types[e]
	switch e := e.(type) {
	case *ast.Ident:
		switch obj := u.info.ObjectOf(e).(type) {
		case *types.PkgName:
			return obj.Imported().Path() == "C"
		case *types.Var:
			return fromC(obj.Type())
		}
	case *ast.CallExpr, *ast.SelectorExpr, *ast.BinaryExpr, *ast.UnaryExpr, *ast.IndexExpr, *ast.StarExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
		return !typed || fromC(tv.Type)
	}
	return typed && !tv.IsBuiltin() && fromC(tv.Type)
}

// fromC reports whether values of t come from C or hold values that do, so that their
// sizes are unknown.
func fromC(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Pointer:
		return isInvalid(t.Elem())
	case *types.Slice:
		return isInvalid(t.Elem())
	case *types.Chan:
		return isInvalid(t.Elem())
	case *types.Map:
		return fromC(t.Key()) || isInvalid(t.Elem())
	case *types.Signature:
		return fromC(t.Params()) || fromC(t.Results())
	case *types.Tuple:
		return slices.ContainsFunc(slices.Collect(t.Variables()), func(v *types.Var) bool { return fromC(v.Type()) })
	case *types.Named:
		if _, ok := t.Underlying().(*types.Signature); ok {
			return false
		}
		_, behind := t.Underlying().(interface{ Elem() types.Type })
		_, array := t.Underlying().(*types.Array)
		return (!behind || array) && fromC(t.Underlying())
	case *types.Array:
		return fromC(t.Elem())
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(t.Fields()), func(f *types.Var) bool { return fromC(f.Type()) })
	}
	return false
}

func isInvalid(t types.Type) bool {
	if _, named := types.Unalias(t).(*types.Named); named {
		return false // its name is all that matters
	}
	return fromC(t)
}
