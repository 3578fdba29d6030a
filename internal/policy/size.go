package policy

import (
	"fmt"
	"go/ast"
)

// maxFuncLines is the maximum length of a function: one screen. Files have no limit. A
// file is one idea, and a limit would cut ideas into fragments.
const maxFuncLines = 70

// sizes checks the lengths of functions. Generated code is as long as its source requires.
func sizes(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Go {
		if !f.Generated {
			found = append(found, longFuncs(f)...)
		}
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
