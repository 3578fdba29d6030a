package codegen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Generated code that does not compile is worse than a refusal: the user can neither
// build nor see why. So all output is first type-checked together with its package,
// where it replaces the stubs. Errors found here are defects of the generator, and are
// reported as such.

// outputImports lists what the generated files import.
func (r *run) outputImports() []string {
	all := map[string]bool{}
	for _, t := range r.targets {
		if t.recalled {
			continue
		}
		for _, out := range t.outputs {
			out.syntax, out.err = parser.ParseFile(r.ws.fset, out.path, out.data, parser.SkipObjectResolution)
			if out.err != nil {
				continue
			}
			for _, spec := range out.syntax.Imports {
				if path, err := strconv.Unquote(spec.Path.Value); err == nil && path != "unsafe" {
					all[path] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// verify type-checks the outputs of t with its package.
func (r *run) verify(t *target) {
	if t.recalled || !r.clean(t.dir) || len(t.outputs) == 0 {
		return
	}
	files, withoutC := r.withoutBodies(t)
	byPath := map[string]*output{}
	for _, out := range t.outputs {
		if out.err != nil {
			r.report(t.dir, invalidOutput(out.source.Path, out.err.Error()))
			return
		}
		byPath[out.path] = out
		files = append(files, out.syntax)
	}
	config := &types.Config{
		Importer: importer(func(path string) (*types.Package, error) { return r.verifyImport(t.meta, path) }),
		Sizes:    t.meta.TypesSizes,

		FakeImportC: withoutC,
		Error: func(err error) {
			e, ok := err.(types.Error)
			if !ok || strings.HasPrefix(e.Msg, "\t") {
				return // The second place of an error that has been reported.
			}
			pos := e.Fset.PositionFor(e.Pos, false)
			if out := byPath[pos.Filename]; out != nil {
				what := fmt.Sprintf("%s:%d: %s", filepath.Base(out.path), pos.Line, e.Msg)
				if fn := out.functionAt(e.Pos); fn != nil {
					r.report(t.dir, invalidMachine(fn, what))
				} else {
					r.report(t.dir, invalidOutput(out.source.Path, what))
				}
			}
		},
	}
	if t.meta.Module.GoVersion != "" {
		config.GoVersion = "go" + t.meta.Module.GoVersion
	}
	_ = types.NewChecker(config, r.ws.fset, types.NewPackage(t.meta.PkgPath, t.meta.Name), nil).Files(files)
}

// functionAt is the function for which the declaration at pos was generated, or nil.
func (out *output) functionAt(pos token.Pos) *source.Function {
	for _, decl := range out.syntax.Decls {
		if pos < decl.Pos() || pos >= decl.End() {
			continue
		}
		recv, name := "", ""
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			recv, name = source.ReceiverName(decl), decl.Name.Name
		case *ast.GenDecl:
			if spec, ok := decl.Specs[0].(*ast.TypeSpec); ok {
				name = spec.Name.Name
			}
		}
		for _, fn := range out.source.Functions {
			own := source.ReceiverName(fn.Decl) == recv && (name == fn.Names.Async || name == fn.Names.Enter)
			for _, typ := range []string{fn.Names.Frame, fn.Names.Locals, fn.Names.Machine} {
				own = own || recv == typ || name == typ
			}
			if own {
				return fn
			}
		}
	}
	return nil
}

// withoutBodies are the files of t's package as declarations only, and without the
// stubs that its outputs replace. Errors that this causes in them (unused imports,
// missing bodies) are ignored.
func (r *run) withoutBodies(t *target) (files []*ast.File, withoutC bool) {
	replaced := map[*goFile]bool{}
	for _, out := range t.outputs {
		replaced[r.sources.get(out.source.Path)] = true
	}
	paths, withoutC := r.sources.compiled(t.meta)
	for _, path := range paths {
		src := r.sources.get(path)
		if src.syntax == nil || src.generated {
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

// verifyImport finds what generated code of p imports: what p itself does, or
// else any package of the list, the variant made for the same test first.
func (r *run) verifyImport(p *packages.Package, path string) (*types.Package, error) {
	imports := r.ws.imports(p)
	if imports[path] == nil {
		dep := r.ws.metas[path+" ["+p.ForTest+".test]"]
		if dep == nil || p.ForTest == "" {
			dep = r.ws.metas[path]
		}
		if dep != nil {
			imports[path] = dep
		}
	}
	return r.checker.imported(imports, path)
}
