package library

import (
	"slices"
	"strings"

	"github.com/movenext/movenext/lab/prove/batch"
)

// source is the go command's description of a package.
type source struct {
	ImportPath   string
	Dir          string
	Name         string
	GoFiles      []string
	SFiles       []string
	HFiles       []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	TestImports  []string
	XTestImports []string
	ImportMap    map[string]string
	Error        *struct{ Err string }
	DepsErrors   []struct{ Err string }
}

// list lists the packages that match patterns, without cgo. If dependencies are requested, they
// precede their importers.
func list(patterns ...string) ([]*source, error) {
	return batch.List[*source](append([]string{fields}, patterns...)...)
}

// listIn is like list, in a given folder and environment.
func listIn(dir string, env []string, patterns ...string) ([]*source, error) {
	return batch.ListIn[*source](dir, env, append([]string{fields}, patterns...)...)
}

const fields = "-json=ImportPath,Dir,Name,GoFiles,SFiles,HFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,ImportMap,Error,DepsErrors"

// hasTests reports whether p has any.
func (p *source) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// compileError returns why p does not compile, or "".
func (p *source) compileError() string {
	switch {
	case p.Error != nil:
		return "the go command says: " + p.Error.Err
	case len(p.DepsErrors) > 0:
		return "the go command says: " + p.DepsErrors[0].Err
	}
	return ""
}

// importsOwnInternal reports whether p imports packages that only it and the packages below it
// may import.
func (p *source) importsOwnInternal() bool {
	return slices.ContainsFunc(p.Imports, func(path string) bool {
		return strings.HasPrefix(path, p.ImportPath+"/internal/") || path == p.ImportPath+"/internal"
	})
}

// copyPath returns the import path of the copy.
func (p *source) copyPath() string { return "example.com/std/" + p.ImportPath }
