package library

import (
	"errors"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/lab/prove/annotated"
)

// Tests pass values from other packages to the tested one: those of go/types pass packages from
// go/importer. So packages between the tests and the original are also copied, unchanged, and
// import the copy. Exceptions are packages that package testing needs, since no test could do
// without the originals, and packages with vendored imports or their own internal packages.

// copyCompanions copies the packages that import the package and that its tests import.
func (c *clone) copyCompanions() error {
	c.instead = map[string]string{c.ImportPath: c.copyPath()}
	imports := slices.Concat(c.TestImports, c.XTestImports)
	imports = slices.DeleteFunc(imports, func(path string) bool { return path == c.ImportPath })
	all, err := list(append([]string{"-deps"}, imports...)...)
	if err != nil || len(imports) == 0 {
		return err
	}
	kept, err := list("-deps", "testing", "internal/testenv", "github.com/movenext/movenext/statemachine")
	if err != nil {
		return err
	}
	for _, p := range all { // dependencies come first
		companion := len(p.ImportMap) == 0 && !p.importsOwnInternal() && slices.ContainsFunc(p.Imports, func(path string) bool { return c.instead[path] != "" }) &&
			!slices.ContainsFunc(kept, func(q *source) bool { return q.ImportPath == p.ImportPath })
		if !companion {
			continue
		}
		c.instead[p.ImportPath] = c.copyPath() + "/companions/" + companionPath(p)
		if err := c.copyCompanion(p); err != nil {
			return err
		}
	}
	return nil
}

// companionPath returns the path of p below the companions. Some imports of tests are allowed
// only for the originals' neighbours, so the path must not contain "internal".
func companionPath(p *source) string { return strings.ReplaceAll(p.ImportPath, "internal", "inner") }

// copyCompanion copies one companion.
func (c *clone) copyCompanion(p *source) error {
	other := &clone{source: p, home: c.home, dir: filepath.Join(c.dir, "companions", filepath.FromSlash(companionPath(p))), instead: c.instead}
	errs := []error{os.MkdirAll(other.dir, 0o755), other.copyAssembly()}
	for _, name := range p.GoFiles {
		text, fset, file, err := other.read(name)
		if err != nil {
			return err
		}
		e := &editor{clone: other, Edits: annotated.Edits{Fset: fset}, text: text}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body == nil {
				e.link(fn)
			}
		}
		e.redirect(file)
		errs = append(errs, annotated.New(filepath.Join(other.dir, name), text, fset, file, e.List, func(*ast.FuncDecl) bool { return false }).Write())
	}
	return errors.Join(errs...)
}

// redirect makes a file import the copies.
func (e *editor) redirect(file *ast.File) {
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || e.instead[path] == "" {
			continue
		}
		e.Replace(spec.Path, strconv.Quote(e.instead[path]))
	}
}
