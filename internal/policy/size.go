package policy

import (
	"fmt"
	"go/ast"
)

// The budget. A file is one idea, a function is one screen. Code that a
// generator wrote is as long as what it was generated from asks for.
const (
	maxFileLines     = 299
	maxTestFileLines = 400
	maxFuncLines     = 70
)

// sizes checks the budget.
func sizes(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Go {
		if f.Generated {
			continue
		}
		limit := maxFileLines
		if f.Test {
			limit = maxTestFileLines
		}
		if f.Lines > limit {
			found = append(found, Finding{
				Path: f.Path,
				What: fmt.Sprintf("has %d lines, where %d are the most", f.Lines, limit),
				Mend: "find the second idea in it and give that a file of its own",
			})
		}
		found = append(found, longFuncs(f)...)
	}
	return found
}

func longFuncs(f *GoFile) []Finding {
	var found []Finding
	for _, decl := range f.Syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		// From the keyword: a comment above costs no budget.
		if lines := f.Line(fn.End()) - f.Line(fn.Type.Func) + 1; lines > maxFuncLines {
			found = append(found, Finding{
				Path: f.Path,
				Line: f.Line(fn.Type.Func),
				Name: funcName(fn),
				What: fmt.Sprintf("%s has %d lines, where %d are the most", funcName(fn), lines, maxFuncLines),
				Mend: "name its parts; a long switch dispatches only, each case is a function",
			})
		}
	}
	return found
}

// funcName returns "F" or, for a method, "T.F".
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	return receiver(fn.Recv.List[0].Type) + "." + fn.Name.Name
}

// receiver returns the name of a receiver's type without pointer and type
// parameters.
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
