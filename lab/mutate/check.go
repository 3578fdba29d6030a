package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"
)

// check returns an error about a list of mutations of the module in the folder root if entries do
// not apply or do not compile. A mutation that does not compile would be killed by the compiler,
// which says nothing about the tests.
func check(root string, list []mutation) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return fmt.Errorf("mutate: %w", err)
	}
	byTags := map[string][]mutation{}
	for _, m := range list {
		byTags[m.tags()] = append(byTags[m.tags()], m)
	}
	loaded := map[string]*sources{}
	for tags, some := range byTags {
		if loaded[tags], err = loadPackages(root, tags, some); err != nil {
			return fmt.Errorf("mutate: %w", err)
		}
	}
	errs := make([]error, len(list))
	var working sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range list {
		free <- struct{}{}
		working.Go(func() {
			errs[i] = loaded[list[i].tags()].check(root, &list[i])
			<-free
		})
	}
	working.Wait()
	return errors.Join(errs...)
}

// sources are the packages with mutations, by the names of their files.
type sources struct {
	files  *token.FileSet
	byFile map[string]*packages.Package
}

// loadPackages lists, parses and type-checks the packages with mutations. Their imports come from
// compiled packages.
func loadPackages(root, tags string, list []mutation) (*sources, error) {
	var folders []string
	for _, m := range list {
		folders = append(folders, "./"+path.Dir(m.file))
	}
	slices.Sort(folders)
	s := &sources{files: token.NewFileSet(), byFile: map[string]*packages.Package{}}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedExportFile |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedModule,
		Dir:        root,
		Fset:       s.files,
		BuildFlags: []string{"-tags=" + tags},
	}, slices.Compact(folders)...)
	if err != nil {
		return nil, err
	}
	for _, p := range loaded {
		for _, name := range p.CompiledGoFiles {
			s.byFile[name] = p
		}
		for _, e := range p.Errors {
			err = errors.Join(err, e)
		}
	}
	return s, err
}

// check type-checks the package of m with the mutation.
func (s *sources) check(root string, m *mutation) error {
	text, err := m.mutate(root)
	if err != nil {
		return err
	}
	name := filepath.Join(root, filepath.FromSlash(m.file))
	p := s.byFile[name]
	if p == nil {
		return fmt.Errorf("mutate: %s: %s is not compiled on this system", m.name, m.file)
	}
	file, err := parser.ParseFile(s.files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("mutate: %s does not parse: %w", m.name, err)
	}
	syntax := []*ast.File{file}
	for _, other := range p.Syntax {
		if s.files.Position(other.Package).Filename != name {
			syntax = append(syntax, other)
		}
	}
	config := types.Config{Importer: imports{p}, Sizes: p.TypesSizes, GoVersion: "go" + p.Module.GoVersion}
	if _, err = config.Check(p.PkgPath, s.files, syntax, nil); err != nil {
		return fmt.Errorf("mutate: %s does not compile: %w", m.name, err)
	}
	return nil
}

// imports are the imports of a package.
type imports struct{ pkg *packages.Package }

// Import implements [types.Importer].
func (i imports) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i.pkg.Imports[name]; p != nil && p.Types != nil {
		return p.Types, nil
	}
	return nil, fmt.Errorf("%s is not imported by the original", name)
}
