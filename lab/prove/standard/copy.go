package standard

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/lab/prove/annotated"
	"github.com/movenext/movenext/lab/prove/batch"
)

// modulePath is the path of the module that contains the copies.
const modulePath = "example.com/std"

// listed is the go command's description of a package.
type listed struct {
	ImportPath string
	Dir        string
	Standard   bool
	GoFiles    []string
	EmbedFiles []string
	Imports    []string
	ImportMap  map[string]string
}

// list lists the packages that match patterns, without cgo, and the internal packages that they
// import. It omits packages that the compiler knows by name.
func list(patterns []string) ([]listed, error) {
	packages, err := batch.List[struct {
		listed
		DepOnly bool
	}](append([]string{"-deps", "-json=ImportPath,Dir,Standard,GoFiles,EmbedFiles,Imports,ImportMap,DepOnly"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, p := range packages {
		wanted[p.ImportPath] = !p.DepOnly
	}
	var kept []listed
	for _, p := range slices.Backward(packages) { // importers precede the packages they import
		if !p.Standard || ofTheCompiler(p.ImportPath) || !wanted[p.ImportPath] {
			continue
		}
		kept = append(kept, p.listed)
		for _, path := range p.Imports {
			if hidden(path) {
				wanted[path] = true
			}
		}
	}
	return kept, nil
}

// ofTheCompiler reports whether the meaning of a package is not in its source.
func ofTheCompiler(path string) bool {
	return path == "unsafe" || path == "builtin" || path == "runtime" || strings.HasPrefix(path, "internal/runtime/")
}

// hidden reports whether a copy cannot import the original.
func hidden(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "internal") || strings.HasPrefix(path, "vendor/")
}

// copyPath returns the import path of a copy.
func copyPath(path string) string {
	return modulePath + "/" + strings.Replace(path, "vendor/", "vendored/", 1)
}

// copyPackage copies the files of p to dir, annotated.
func copyPackage(p listed, dir string) ([]*annotated.File, error) {
	to := filepath.Join(dir, strings.TrimPrefix(copyPath(p.ImportPath), modulePath))
	var errs []error
	for _, name := range p.EmbedFiles {
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		errs = append(errs, err, os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755), os.WriteFile(filepath.Join(to, name), data, 0o644))
	}
	var files []*annotated.File
	for _, name := range p.GoFiles {
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		src, err := annotate(p, filepath.Join(to, name), string(data))
		if err != nil {
			return nil, err
		}
		errs = append(errs, os.MkdirAll(to, 0o755), src.Write())
		files = append(files, src)
	}
	return files, errors.Join(errs...)
}

// annotate creates a file of a copy.
func annotate(p listed, path, text string) (*annotated.File, error) {
	text = strings.ReplaceAll(text, "\n//go:linkname ", "\n// linked: ")
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	edits := annotated.Edits{Fset: fset}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body == nil {
			edits.Insert(fn.End(), " { panic(\"no body\") }")
		}
	}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if mapped, ok := p.ImportMap[path]; ok {
			path = mapped
		}
		if hidden(path) && !ofTheCompiler(path) {
			edits.Replace(spec.Path, strconv.Quote(copyPath(path)))
		}
	}
	return annotated.New(path, text, fset, file, edits.List, annotated.CanSuspend), nil
}
