package analyse

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// AppendToPlace splits m[k] = append(m[k], …) into its parts; all are nil for anything else.
func (fs *Facts) AppendToPlace(lhs, rhs ast.Expr) (place, from *ast.IndexExpr, call *ast.CallExpr) {
	place, ok := ast.Unparen(lhs).(*ast.IndexExpr)
	if !ok || typeset.MapType(fs.TypeOf(place.X)) == nil {
		return nil, nil, nil
	}
	call, ok = ast.Unparen(rhs).(*ast.CallExpr)
	if !ok {
		return nil, nil, nil
	}
	if name, _ := fs.Builtin(call.Fun); name != "append" {
		return nil, nil, nil
	}
	from, ok = ast.Unparen(call.Args[0]).(*ast.IndexExpr)
	if !ok || !fs.sameSafe(place, from) {
		return nil, nil, nil
	}
	return place, from, call
}

// sameSafe corresponds to gc's SameSafeExpr: a and b denote the same place, and evaluating it
// once serves for both.
func (fs *Facts) sameSafe(a, b ast.Expr) bool {
	a, b = fs.underNops(a), fs.underNops(b)
	if fs.IsConstant(a) || fs.IsConstant(b) {
		x, y := fs.Info.Types[a], fs.Info.Types[b]
		return x.Value != nil && y.Value != nil && x.Value.ExactString() == y.Value.ExactString() && types.Identical(x.Type, y.Type)
	}
	switch a := a.(type) {
	case *ast.Ident:
		b, ok := b.(*ast.Ident)
		return ok && fs.Info.ObjectOf(a) == fs.Info.ObjectOf(b)
	case *ast.SelectorExpr:
		b, ok := b.(*ast.SelectorExpr)
		return ok && fs.Info.ObjectOf(a.Sel) == fs.Info.ObjectOf(b.Sel) && (fs.Info.Selections[a] == nil || fs.sameSafe(a.X, b.X))
	case *ast.StarExpr:
		b, ok := b.(*ast.StarExpr)
		return ok && fs.sameSafe(a.X, b.X)
	case *ast.IndexExpr:
		b, ok := b.(*ast.IndexExpr)
		return ok && fs.sameSafe(a.X, b.X) && fs.sameSafe(a.Index, b.Index)
	case *ast.UnaryExpr:
		b, ok := b.(*ast.UnaryExpr)
		return ok && a.Op == b.Op && a.Op != token.AND && a.Op != token.ARROW && fs.sameSafe(a.X, b.X)
	case *ast.CallExpr:
		b, ok := b.(*ast.CallExpr)
		return ok && fs.isNumeric(a) && fs.isNumeric(b) && types.Identical(fs.TypeOf(a), fs.TypeOf(b)) && fs.sameSafe(a.Args[0], b.Args[0])
	case *ast.BinaryExpr:
		b, ok := b.(*ast.BinaryExpr)
		return ok && a.Op == b.Op && isArithmetic(a.Op) && fs.sameSafe(a.X, b.X) && fs.sameSafe(a.Y, b.Y)
	}
	return false
}

func isArithmetic(op token.Token) bool { return op >= token.ADD && op <= token.AND_NOT }

// underNops returns e without parentheses and without conversions that change no bits, which
// the compiler ignores here.
func (fs *Facts) underNops(e ast.Expr) ast.Expr {
	for {
		e = ast.Unparen(e)
		call, ok := e.(*ast.CallExpr)
		if !ok || !fs.IsConversion(call) || !fs.isNop(fs.TypeOf(call), call.Args[0]) {
			return e
		}
		e = call.Args[0]
	}
}

func (fs *Facts) isNop(to types.Type, arg ast.Expr) bool {
	if fs.Info.Types[arg].IsNil() {
		return true
	}
	from := fs.TypeOf(arg)
	if types.IdenticalIgnoreTags(from.Underlying(), to.Underlying()) {
		return !typeset.HasParam(from) && !typeset.HasParam(to)
	}
	x, ok := from.Underlying().(*types.Basic)
	y, also := to.Underlying().(*types.Basic)
	const signed = types.IsInteger | types.IsUnsigned
	return ok && also && x.Info()&y.Info()&types.IsInteger != 0 && x.Info()&signed == y.Info()&signed && fs.Sizes.Sizeof(x) == fs.Sizes.Sizeof(y)
}

// IsConversion reports whether call converts a value to a type.
func (fs *Facts) IsConversion(call *ast.CallExpr) bool {
	return fs.Info.Types[ast.Unparen(call.Fun)].IsType()
}

// isNumeric reports whether call is a conversion between numbers.
func (fs *Facts) isNumeric(call *ast.CallExpr) bool {
	if !fs.IsConversion(call) {
		return false
	}
	to, ok := fs.TypeOf(call).Underlying().(*types.Basic)
	from, also := fs.TypeOf(call.Args[0]).Underlying().(*types.Basic)
	return ok && also && to.Info()&from.Info()&types.IsNumeric != 0
}
