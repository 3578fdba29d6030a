package library

import (
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/prove/batch"
)

// source is what the go command says about a package.
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
}

// list lists the packages that patterns match, without cgo. Dependencies come before what depends on them, if they are asked for.
func list(patterns ...string) ([]*source, error) {
	return batch.List[*source](append([]string{"-json=ImportPath,Dir,Name,GoFiles,SFiles,HFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,ImportMap"}, patterns...)...)
}

// importsOwnInternal reports whether p imports packages that only it and those below it may import.
func (p *source) importsOwnInternal() bool {
	return slices.ContainsFunc(p.Imports, func(path string) bool {
		return strings.HasPrefix(path, p.ImportPath+"/internal/") || path == p.ImportPath+"/internal"
	})
}

// copied is the import path of the copy.
func (p *source) copied() string { return "example.com/std/" + p.ImportPath }
