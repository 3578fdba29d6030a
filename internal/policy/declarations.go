package policy

import "go/ast"

// funcName returns "F" or, for a method, "T.F".
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	return receiver(fn.Recv.List[0].Type) + "." + fn.Name.Name
}

// receiver returns the name of a receiver's type without pointer and type parameters.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// exportedFunc reports whether users see fn: methods of unexported types are invisible
// to them.
func exportedFunc(fn *ast.FuncDecl) bool {
	if fn.Recv != nil && len(fn.Recv.List) > 0 && !ast.IsExported(receiver(fn.Recv.List[0].Type)) {
		return false
	}
	return fn.Name.IsExported()
}
