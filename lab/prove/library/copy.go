package library

import (
	"errors"
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/lab/prove/annotated"
)

// home is a module that contains copies of packages. Its functions are numbered across all
// packages, and so are its suspension points.
type home struct {
	path  string                     // the prefix of its packages' import paths
	root  string                     // its folder
	every int                        // a suspension point before every nth statement
	files map[string]*annotated.File // by path
	sites int                        // the number of suspension points
	quick bool                       // binaries are built without optimising
	names []string                   // the functions that can enter their machine, one line each

	// moved means that the binary also contains the original: code that links to functions by
	// name must choose between them.
	moved bool
}

// clone is the copy of a package.
type clone struct {
	*source
	*home
	dir string
	out string // the folder of the binary and its output

	plain int64 // the size of the binary without machines

	assembly string // the text of all its assembly

	instead map[string]string // import paths of copies, by those of the originals
	entered []string          // the names of the annotated functions' entries
}

// pointName is the name under which the package of the suspension points is imported; no package
// has it.
const pointName = "movenextpoint"

// copySources copies the package, except for its tests.
func (c *clone) copySources() error {
	return errors.Join(c.copyOthers(), c.copyAssembly(), c.annotateSources())
}

// annotateSources writes the files of the package, except for its tests, with annotations and
// suspension points.
func (c *clone) annotateSources() error {
	var errs []error
	for _, name := range c.GoFiles {
		f, err := c.annotate(name)
		if err != nil {
			return err
		}
		c.files[f.Path] = f
		errs = append(errs, f.Write())
	}
	return errors.Join(append(errs, c.askForEntries())...)
}

// askForEntries writes a file that mentions the entries of all functions and that no build
// includes. Otherwise a function that no machine calls would have no entry, and tests call such
// functions.
func (c *clone) askForEntries() error {
	text := "//go:build movenextentries\n\npackage " + c.Name + "\n\nvar _ = []any{" + strings.Join(c.entered, ", ") + "}\n"
	return os.WriteFile(filepath.Join(c.dir, "movenext_entries.go"), []byte(text), 0o600)
}

func (c *clone) copyAssembly() error {
	var errs []error
	for _, name := range slices.Concat(c.SFiles, c.HFiles) {
		data, err := os.ReadFile(filepath.Join(c.Dir, name))
		c.assembly += string(data)
		errs = append(errs, err, os.WriteFile(filepath.Join(c.dir, name), data, 0o600))
	}
	return errors.Join(errs...)
}

// copyOthers copies everything but source files: test data, embedded files.
func (c *clone) copyOthers() error {
	return filepath.WalkDir(c.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == c.Dir {
			return err
		}
		rel, err := filepath.Rel(c.Dir, path)
		if err != nil {
			return err
		}
		inPackage := filepath.Base(rel) == rel
		switch {
		case e.IsDir() && inPackage && rel != "testdata" && hasPackages(path):
			return fs.SkipDir
		case e.IsDir() || inPackage && slices.Contains([]string{".go", ".s", ".h", ".syso"}, filepath.Ext(rel)):
			return nil
		}
		return copyFile(path, filepath.Join(c.dir, rel))
	})
}

// hasPackages reports whether there are source files in dir or one level below.
func hasPackages(dir string) bool {
	for _, pattern := range []string{"*.go", filepath.Join("*", "*.go")} {
		if list, err := filepath.Glob(filepath.Join(dir, pattern)); err == nil && len(list) > 0 {
			return true
		}
	}
	return false
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, 0o600))
}

// annotate creates a file of the copy.
func (c *clone) annotate(name string) (*annotated.File, error) {
	text, fset, file, err := c.read(name)
	if err != nil {
		return nil, err
	}
	e := &editor{clone: c, Edits: annotated.Edits{Fset: fset}, text: text}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		switch {
		case !ok:
		case fn.Body == nil && c.moved:
			e.link(fn)
		case c.wanted(fn):
			e.points(fn)
			c.entered = append(c.entered, fn.Name.Name+"Enter")
		}
	}
	if e.pointed {
		e.Insert(file.Name.End(), c.pointImport())
	}
	return annotated.New(filepath.Join(c.dir, name), text, fset, file, e.List, c.wanted), nil
}

// pointImport returns an import of the package of the suspension points, on the line of the
// package clause.
func (c *clone) pointImport() string {
	return "; import " + pointName + " " + strconv.Quote(c.path+"/"+pointName)
}

// wanted reports whether fn is annotated.
func (c *clone) wanted(fn *ast.FuncDecl) bool {
	entry := c.Name == "main" && fn.Name.Name == "main" && fn.Recv == nil
	return fn.Body != nil && annotated.CanSuspend(fn) && !entry
}

// copyTests copies the tests. They import the copy instead of the original, and query the copy's
// count of allocations.
func (c *clone) copyTests() error {
	var errs []error
	for _, name := range slices.Concat(c.TestGoFiles, c.XTestGoFiles) {
		text, fset, file, err := c.read(name)
		if err != nil {
			return err
		}
		e := &editor{clone: c, Edits: annotated.Edits{Fset: fset}, text: text}
		e.redirect(file)
		if e.countAllocations(file) {
			e.Insert(file.Name.End(), c.pointImport())
			e.Insert(file.FileEnd, "\nvar _ testing.TB\n")
		}
		errs = append(errs, annotated.New(filepath.Join(c.dir, name), text, fset, file, e.List, func(*ast.FuncDecl) bool { return false }).Write())
	}
	return errors.Join(errs...)
}

// relative returns the folder of the package in the module, "" for its root.
func (c *clone) relative() string {
	return strings.Trim(strings.TrimPrefix(c.ImportPath, c.path), "/")
}
