package policy

import (
	"go/ast"
	"regexp"
	"slices"
	"strconv"
)

// testFunc are the functions that go test runs by default.
var testFunc = regexp.MustCompile(`^(Test|Example|Fuzz)([^a-z]|$)`)

// leaks checks that each package with tests uses goleak, after the last test, to check
// for leaked goroutines.
//
// It is tempting to call goleak.VerifyNone only at the end of the tests that look
// suspicious. But the leaks are in the other tests.
func leaks(t *Tree) []Finding {
	var found []Finding
	order, byFolder := folders(t.Go)
	for _, dir := range order {
		files := slices.DeleteFunc(byFolder[dir], func(f *GoFile) bool { return !f.Test })
		i := slices.IndexFunc(files, hasTests)
		if i < 0 || slices.ContainsFunc(files, verifiesLeaks) {
			continue
		}
		found = append(found, Finding{
			Path: dir,
			What: "has tests (" + files[i].Path + ") that do not look for leaked goroutines",
			Mend: "add func TestMain(m *testing.M) { goleak.VerifyTestMain(m) } to one of its test files",
		})
	}
	return found
}

func hasTests(f *GoFile) bool {
	return slices.ContainsFunc(f.Syntax.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && fn.Name.Name != "TestMain" && testFunc.MatchString(fn.Name.Name)
	})
}

// verifiesLeaks reports whether the file has a TestMain that calls
// goleak.VerifyTestMain.
func verifiesLeaks(f *GoFile) bool {
	name := importName(f, "go.uber.org/goleak", "goleak")
	if name == "" {
		return false
	}
	return slices.ContainsFunc(f.Syntax.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && fn.Name.Name == "TestMain" && calls(fn, name, "VerifyTestMain")
	})
}

// importName returns the name under which the file knows an imported package,
// or "" if it does not import it.
func importName(f *GoFile, importPath, usual string) string {
	for _, spec := range f.Syntax.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return usual
	}
	return ""
}

// calls reports whether the function contains the call pkg.name(…).
func calls(fn *ast.FuncDecl, pkg, name string) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == name {
			x, ok := s.X.(*ast.Ident)
			found = found || ok && x.Name == pkg
		}
		return !found
	})
	return found
}
