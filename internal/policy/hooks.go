package policy

import (
	"go/ast"
	"regexp"
)

// hookPackage is the package with the only permitted way to call users' functions; for those
// without parameters, package dispatch has it.
const hookPackage = "schedulers"

// optionType matches the names of option types.
var optionType = regexp.MustCompile(`Option$`)

// hooks checks that each option of the runtime that takes a function keeps it in
// a schedulers.Hook, so that its panics are contained and reported like all
// others.
func hooks(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Go {
		if f.Test || f.Generated || !matches(runtimePackages, f.Dir) || matches(testKits, f.Dir) {
			continue
		}
		pkg := importName(f, t.Module+"/"+hookPackage, hookPackage)
		without := importName(f, t.Module+"/internal/dispatch", "dispatch")
		for _, d := range f.Syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || !returnsOption(fn) || !takesFunc(fn) {
				continue
			}
			if !calls(fn, pkg, "NewHook") && !calls(fn, without, "NewHook0") {
				found = append(found, Finding{
					Path: f.Path, Line: f.Line(fn.Pos()), Name: fn.Name.Name,
					What: "the option " + fn.Name.Name + " takes a function and calls it unguarded",
					Mend: "keep the function in a schedulers.Hook (NewHook, dispatch.NewHook0), and give it a row in the test of all hooks",
				})
			}
		}
	}
	return found
}

func returnsOption(fn *ast.FuncDecl) bool {
	r := fn.Type.Results
	return r != nil && len(r.List) == 1 && optionType.MatchString(typeName(r.List[0].Type))
}

// typeName returns the name of a type, without package and type arguments.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return typeName(e.X)
	}
	return ""
}

func takesFunc(fn *ast.FuncDecl) bool {
	for _, p := range fn.Type.Params.List {
		if _, ok := p.Type.(*ast.FuncType); ok {
			return true
		}
	}
	return false
}
