package library

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/prove/annotated"
)

// clone is the copy of a package.
type clone struct {
	*source
	dir   string
	every int                        // a suspension point in front of every nth statement
	files map[string]*annotated.File // by path
	sites int                        // suspension points

	assembly string // the text of all of it

	instead map[string]string // import paths of copies, by those of the originals
}

// pointName is what the package of the suspension points is imported as, a name that no package has.
const pointName = "movenextpoint"

// copySources copies the files of the package, but for its tests: annotated and with suspension points.
func (c *clone) copySources() error {
	errs := []error{c.copyOthers(), c.copyAssembly()}
	for _, name := range c.GoFiles {
		f, err := c.annotate(name)
		if err != nil {
			return err
		}
		c.files[f.Path] = f
		errs = append(errs, f.Write())
	}
	return errors.Join(errs...)
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

// copyOthers copies what is no source: test data, embedded files.
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

// hasPackages reports whether there are sources in dir or one level below.
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

// annotate makes a file of the copy.
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
		case fn.Body == nil:
			e.link(fn)
		case wanted(fn):
			e.points(fn)
		}
	}
	if e.pointed {
		e.Insert(file.Name.End(), c.pointImport())
	}
	return annotated.New(filepath.Join(c.dir, name), text, fset, file, e.List, wanted), nil
}

// pointImport imports the package of the suspension points, on the line of the package clause.
func (c *clone) pointImport() string {
	return "; import " + pointName + " " + strconv.Quote(c.copied()+"/"+pointName)
}

// linkname is a directive.
var linkname = regexp.MustCompile(`(?m)^//go:linkname (\S+)( \S+)?.*$`)

// read reads a file of the original, and takes directives away by which others would get what is declared here: they have it from
// the original. Those by which it gets something from others, or from the runtime under its own name, stay.
func (c *clone) read(name string) (string, *token.FileSet, *ast.File, error) {
	data, err := os.ReadFile(filepath.Join(c.Dir, name))
	if err != nil {
		return "", nil, nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, nil, err
	}
	bodiless, variables := imported(file)
	text := linkname.ReplaceAllStringFunc(string(data), func(line string) string {
		m := linkname.FindStringSubmatch(line)
		switch {
		case c.inAssembly(m[1]):
		case bodiless[m[1]] && m[2] == "":
			return "//go:linkname " + m[1] + " " + c.ImportPath + "." + m[1]
		case bodiless[m[1]], variables[m[1]] && m[2] != "":
			return "//go:linkname " + m[1] + c.copiedSymbol(m[2])
		}
		return "// linked: " + m[1]
	})
	fset := token.NewFileSet()
	file, err = parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return text, fset, file, err
}

// copiedSymbol is the symbol of a copy instead of that of an original, where there is one.
func (c *clone) copiedSymbol(symbol string) string {
	symbol = strings.TrimSpace(symbol)
	if i := strings.LastIndexByte(symbol, '.'); i >= 0 && c.instead[symbol[:i]] != "" {
		symbol = c.instead[symbol[:i]] + symbol[i:]
	}
	return " " + symbol
}

// imported are the functions without a body, and the variables without a value.
func imported(file *ast.File) (bodiless, variables map[string]bool) {
	bodiless, variables = map[string]bool{}, map[string]bool{}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			bodiless[decl.Name.Name] = decl.Body == nil
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == 0 {
					variables[v.Names[0].Name] = true
				}
			}
		}
	}
	return bodiless, variables
}

func (c *clone) inAssembly(name string) bool { return strings.Contains(c.assembly, "·"+name+"(") }

// wanted reports whether fn is annotated.
func wanted(fn *ast.FuncDecl) bool { return fn.Body != nil && annotated.CanSuspend(fn) }

// copyTests copies the tests, which import the copy instead of the original, and ask it what they allocate.
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
