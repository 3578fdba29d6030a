package transpose

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/movenext/movenext/lab/prove/annotated"
)

// program is one file of the test folder.
type program struct {
	path     string // relative to the test folder
	name     string // of the resulting package
	file     *annotated.File
	expected string // the expected output

	annotated int      // number of functions at first
	refused   []string // why others no longer are
}

// find lists the programs of the test folder, in order, whose paths match a pattern. It reads only
// their first line.
func find(folder string, only *regexp.Regexp) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if first, _, _ := strings.Cut(string(data), "\n"); strings.TrimSpace(first) == "// run" && only.MatchString(filepath.ToSlash(rel)) {
			paths = append(paths, filepath.ToSlash(rel))
		}
		return err
	})
	slices.Sort(paths)
	return paths, err
}

// Reasons to exclude a program before it is built.
var (
	errOtherSystem = errors.New("it is for another system, or needs cgo")
	errCompiler    = errors.New("it is about the compiler or the runtime: linkname, its stack, its memory, or where its lines are")
	errNames       = errors.New("its functions have the names that it would be run by")
	errSyntax      = errors.New("it does not parse as a package")
	errTypeNames   = errors.New("it prints the names of types that functions declare, which are others in machines")
)

// printsTypeNames are programs that print names of types. The README tells users about that
// difference.
var printsTypeNames = map[string]bool{"fixedbugs/issue26094.go": true}

// aboutTheCompiler matches programs that check how they were compiled.
var aboutTheCompiler = regexp.MustCompile(`(?m)^//go:linkname|^//line |^import "C"|"runtime/debug"|runtime\.(Callers?|Stack|FuncForPC|NumGoroutine|ReadMemStats|MemStats|SetFinalizer)\b|os\.Args|"os/exec"`)

// read reads a program and makes it a package, in the folder dir/name.
func read(folder, path, name, dir string) (*program, error) {
	full := filepath.Join(folder, filepath.FromSlash(path))
	if printsTypeNames[path] {
		return nil, errTypeNames
	}
	if ok, err := build.Default.MatchFile(filepath.Dir(full), filepath.Base(full)); !ok || err != nil {
		return nil, errOtherSystem
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return nil, err
	}
	text := string(data)
	if aboutTheCompiler.MatchString(text) {
		return nil, errCompiler
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, full, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || syntax.Name.Name != "main" {
		return nil, errSyntax
	}
	p := &program{path: path, name: name}
	if out, err := os.ReadFile(strings.TrimSuffix(full, ".go") + ".out"); err == nil {
		p.expected = string(out)
	}
	t := &transposition{annotated.Edits{Fset: fset}, syntax}
	if !t.edit(name) {
		return nil, errNames
	}
	to := filepath.Join(dir, name)
	p.file = annotated.New(filepath.Join(to, "program.go"), text, fset, syntax, t.List, annotated.CanBe)
	return p, errors.Join(os.MkdirAll(to, 0o755), p.file.Write())
}

// transposition is the change of one file.
type transposition struct {
	annotated.Edits
	file *ast.File
}

// pointPath is the package of the suspension points, and pointName the name under which it is
// imported, which no program uses.
const (
	pointPath = "example.com/proof/point"
	pointName = "movenextpoint"
	entry     = "MovenextMain"
)

// edit makes all edits except for the annotations. It reports whether it succeeded.
func (t *transposition) edit(name string) bool {
	t.Replace(t.file.Name, name)
	t.Insert(t.file.Name.End(), "; import "+pointName+" \""+pointPath+"\"; var _ = "+pointName+".Here")
	if len(t.file.Imports) > 0 {
		// Declarations follow all imports.
		t.List[len(t.List)-1].With = "; import " + pointName + " \"" + pointPath + "\""
		t.Insert(t.lastImport().End(), "; var _ = "+pointName+".Here")
	}
	found := false
	for _, decl := range t.file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if fn.Recv == nil && fn.Name.Name == "main" {
			found = true
			t.Replace(fn.Name, entry)
		}
		ast.Inspect(fn.Body, t.points)
	}
	return found && !t.mentions("main") && !t.mentions(entry)
}

func (t *transposition) lastImport() ast.Decl {
	var last ast.Decl
	for _, decl := range t.file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			last = d
		}
	}
	return last
}

// mentions reports whether an expression or another declaration of the file uses the name.
func (t *transposition) mentions(name string) bool {
	count := 0
	ast.Inspect(t.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			count++
		}
		return true
	})
	if name == "main" {
		return count > 2 // of the package and of the function
	}
	return count > 0
}

// points inserts suspension points before statements. Function literals get none, since they could
// not suspend where they are called.
func (t *transposition) points(n ast.Node) bool {
	if _, ok := n.(*ast.FuncLit); ok {
		return false
	}
	for _, s := range annotated.Statements(n) {
		t.Insert(s.Pos(), pointName+".Here(); ")
	}
	return true
}
