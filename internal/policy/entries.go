package policy

import (
	"go/ast"
	"slices"
	"strings"
)

// asPrograms are packages of the runtime that are written as programs are, to show what programs
// can write. So documentation shows their generated names, too.
var asPrograms = []string{"coord/retry"}

// entries checks that the documentation of the runtime lists no entry for machines:
// programs do not call them. The documentation lists a method by the name of its
// receiver, as it is written. A function that calls what it is given cannot hide its entry, which
// has companions. Package statemachine is for generated code alone.
func entries(t *Tree) []Finding {
	var found []Finding
	for _, f := range t.Go {
		if f.Test || f.Dir == "statemachine" || !matches(runtimePackages, f.Dir) || matches(asPrograms, f.Dir) {
			continue
		}
		for _, d := range f.Syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !exportedFunc(fn) || !strings.HasSuffix(fn.Name.Name, "Enter") || fn.Recv == nil && !f.Generated && hasCompanion(fn) {
				continue
			}
			found = append(found, Finding{
				Path: f.Path, Line: f.Line(fn.Pos()), Name: funcName(fn),
				What: "users see the entry " + funcName(fn),
				Mend: "declare it by an unexported name of the receiver, as coord/entered.go says; " +
					"a generated one by annotating an unexported function, which the exported forms call",
			})
		}
	}
	return found
}

// hasCompanion reports whether an entry has a companion of a parameter.
func hasCompanion(entry *ast.FuncDecl) bool {
	return slices.ContainsFunc(entry.Type.Params.List, func(param *ast.Field) bool {
		return len(param.Names) == 1 && strings.HasSuffix(param.Names[0].Name, "Enter")
	})
}
