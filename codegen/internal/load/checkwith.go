package load

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// CheckWith type-checks the package of v with generated files instead of the stubs for the
// functions of the files at replaced. It returns the errors.
func (c *Checker) CheckWith(v *Variant, generated []*ast.File, replaced []string) []types.Error {
	_, errs := c.checkWith(v.Meta, c.generatedImporter(v.Meta), generated, replaced)
	return errs
}

func (c *Checker) checkWith(p *packages.Package, imports importer, generated []*ast.File, replaced []string) (*types.Package, []types.Error) {
	files, withoutC := c.sources.withoutBodies(p, replaced)
	var errs []types.Error
	config := &types.Config{
		Importer: imports,
		Sizes:    p.TypesSizes,

		FakeImportC: withoutC,
		Error: func(err error) {
			e, ok := err.(types.Error)
			// A tab begins the second position of an error that has already been reported.
			if ok && !strings.HasPrefix(e.Msg, "\t") {
				errs = append(errs, e)
			}
		},
	}
	if p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	pkg := types.NewPackage(p.PkgPath, p.Name)
	_ = types.NewChecker(config, c.ws.Fset, pkg, nil).Files(append(files, generated...))
	return pkg, errs
}

// withoutBodies returns the files of p without function bodies, and without the stubs for the
// functions of the files at without. Resulting errors in them (unused imports, missing bodies)
// are ignored.
func (s *Sources) withoutBodies(p *packages.Package, without []string) (files []*ast.File, withoutC bool) {
	replaced := map[*File]bool{}
	for _, path := range without {
		replaced[s.Get(path)] = true
	}
	paths, withoutC := s.compiledFiles(p)
	for _, path := range paths {
		src := s.Get(path)
		if src.Syntax == nil || src.Generated {
			continue
		}
		file := *src.withStubs(replaced)
		file.Decls = slices.Clone(file.Decls)
		for i, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				head := *fn
				head.Body = nil
				file.Decls[i] = &head
			}
		}
		files = append(files, &file)
	}
	return files, withoutC
}

// generatedImporter resolves imports of generated code in p: the package that p itself imports, or
// else any package of the list, preferring the variant made for the same test.
func (c *Checker) generatedImporter(p *packages.Package) importer {
	return func(path string) (*types.Package, error) {
		imports := c.ws.Imports(p)
		if imports[path] == nil {
			dep := c.ws.Metas[path+" ["+p.ForTest+".test]"]
			if dep == nil || p.ForTest == "" {
				dep = c.ws.Metas[path]
			}
			if dep != nil {
				imports[path] = dep
			}
		}
		return c.importPackage(imports, path)
	}
}
