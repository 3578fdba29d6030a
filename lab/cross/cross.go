package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

// findings returns the mistakes that the packages in dir that match the pattern have on
// a system, as lines "GOOS/GOARCH: file:line:col: message", sorted.
func findings(dir, target, pattern string) ([]string, error) {
	roots, err := load(dir, target, pattern)
	if err != nil {
		return nil, fmt.Errorf("cross: %s: %w", target, err)
	}
	var found []string
	add := func(position, message string) { found = append(found, target+": "+position+": "+message) }
	packages.Visit(roots, nil, func(p *packages.Package) {
		// Without function bodies, a foreign package does not use all of its imports. That is an
		// error, and makes all packages that import it ill-typed.
		p.IllTyped = false
		if !own(p) {
			return
		}
		for _, e := range p.Errors {
			add(e.Pos, e.Msg)
		}
		for _, position := range bodiless(p) {
			add(position, "the function has no body")
		}
	})
	if len(found) == 0 { // analyzers expect packages without errors
		if err := analyse(roots, add); err != nil {
			return nil, fmt.Errorf("cross: %s: %w", target, err)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil // a package occurs twice, with its tests and without
}

// load lists, parses and type-checks. The functions of other modules and of the
// standard library lose their bodies, which are nine tenths of the work.
func load(dir, target, pattern string) ([]*packages.Package, error) {
	goos, goarch, ok := strings.Cut(target, "/")
	if !ok {
		return nil, errors.New("a target is GOOS/GOARCH")
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root += string(filepath.Separator)
	roots, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule,
		Dir:   dir,
		Env:   append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch),
		Tests: true,
		ParseFile: func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, root) {
				dropBodies(file)
			}
			return file, err
		},
	}, pattern)
	if err == nil && len(roots) == 0 {
		err = errors.New("there are no packages")
	}
	return roots, err
}

func dropBodies(file *ast.File) {
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
}

// own reports whether p belongs to the module and is written by hand: the go command writes the
// main packages of tests.
func own(p *packages.Package) bool {
	return p.Module != nil && p.Module.Main && !strings.HasSuffix(p.PkgPath, ".test")
}

func bodiless(p *packages.Package) []string {
	var places []string
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil {
				places = append(places, p.Fset.Position(fn.Pos()).String())
			}
		}
	}
	return places
}

// analyse runs the analyzers of go vet over our packages; a package that has
// tests is analysed with them.
func analyse(roots []*packages.Package, add func(position, message string)) error {
	tested := map[string]bool{}
	for _, p := range roots {
		if p.ID != p.PkgPath {
			tested[p.PkgPath] = true
		}
	}
	once := slices.DeleteFunc(slices.Clone(roots), func(p *packages.Package) bool {
		return !own(p) || p.ID == p.PkgPath && tested[p.PkgPath]
	})
	graph, err := checker.Analyze(vet.Suite, once, nil)
	if err != nil {
		return err
	}
	for action := range graph.All() {
		if action.Err != nil {
			err = cmp.Or(err, fmt.Errorf("%s: %w", action, action.Err))
		}
		if action.IsRoot {
			report(action.Package, action.Diagnostics, add)
		}
	}
	return err
}

func report(p *packages.Package, list []analysis.Diagnostic, add func(position, message string)) {
	for _, d := range list {
		add(p.Fset.Position(d.Pos).String(), d.Message)
	}
}
