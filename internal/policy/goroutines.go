package policy

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
)

// starters are the functions that call another function on a goroutine of its own, by the name of
// the method or function. A method Go that is declared here is a starter, too.
var starters = map[string]bool{"Go": true, "AfterFunc": true, "AfterContext": true, "AddCleanup": true, "SetFinalizer": true}

// goroutines checks that each function of the library that starts a goroutine is in the list of
// goroutineTests, with a test that exists or a reason.
//
// A panic on a goroutine ends the process, and a runtime.Goexit loses what the goroutine would
// have done next. A line that starts a goroutine does not show whether users' code runs on it: a
// context, an error, a handler of records and a listener are users' code, too.
func goroutines(t *Tree) []Finding {
	tests := map[string]bool{}
	for _, f := range t.Go {
		for _, d := range f.Syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.Test && fn.Recv == nil {
				tests[fn.Name.Name] = true
			}
		}
	}
	listed := map[string]bool{}
	var found []Finding
	for _, f := range t.Go {
		if f.Test || f.Generated || !inPrograms(f.Dir) {
			continue
		}
		for _, d := range f.Syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !startsGoroutine(fn) {
				continue
			}
			place := f.Path + ":" + funcName(fn)
			row, ok := goroutineTests[place]
			listed[place] = true
			switch {
			case !ok:
				found = append(found, Finding{
					Path: f.Path, Line: f.Line(fn.Pos()), Name: funcName(fn),
					What: funcName(fn) + " starts a goroutine that is not listed",
					Mend: "list it in goroutineTests, with the test in which users' code on it panics and calls runtime.Goexit, or why it runs none",
				})
			case row.test != "" && !tests[row.test]:
				found = append(found, Finding{
					Path: f.Path, Line: f.Line(fn.Pos()), Name: funcName(fn),
					What: fmt.Sprintf("%s is listed with the test %s, which does not exist", funcName(fn), row.test),
					Mend: "name the test that takes its place",
				})
			}
		}
	}
	return append(found, unusedRows(t, listed)...)
}

// unusedRows finds the rows of functions that start nothing, if t is the tree of this repository.
func unusedRows(t *Tree, listed map[string]bool) []Finding {
	const list = "internal/policy/goroutinetests.go"
	if !slices.ContainsFunc(t.Go, func(f *GoFile) bool { return f.Path == list }) {
		return nil
	}
	var found []Finding
	for place := range goroutineTests {
		if !listed[place] {
			found = append(found, Finding{Path: list, Name: place, What: place + " starts no goroutine", Mend: "delete its row"})
		}
	}
	return found
}

// inPrograms reports whether the packages of a folder become part of users' programs or tests.
func inPrograms(dir string) bool {
	for part := dir; part != "."; part = path.Dir(part) {
		if slices.Contains([]string{
			"benchmarks", "codegen", "docs", "examples", "lab", "tools",
			"durable/durabletest", "durable/natsstore/natstest", "durable/pgstore/pgtest", "inspect/browser",
			"internal/everyscheduler", "internal/interleave", "internal/linear", "internal/policy", "schedulers/schedulertest",
		}, part) {
			return false
		}
	}
	return true
}

func startsGoroutine(fn *ast.FuncDecl) (starts bool) {
	if fn.Body == nil {
		return false
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && starters[s.Sel.Name] && !isIdent(s.X, "job") {
				starts = true // but for job.Go: a job contains its function
			}
		}
		return !starts
	})
	return starts
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
