package codegen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Generated code that does not compile is worse than a refusal: the user can neither build
// nor see why. So all output is first type-checked together with its package, where it
// replaces the stubs. An error found here is a defect of the generator, and is reported as one.

// outputImports lists the imports of the generated files.
func (r *run) outputImports() []string {
	all := map[string]bool{}
	for _, t := range r.targets {
		if t.recalled {
			continue
		}
		for _, out := range t.outputs {
			out.syntax, out.err = parser.ParseFile(r.ws.Fset, out.path, out.data, parser.SkipObjectResolution)
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
	if t.recalled || !r.clean(t.Dir) || len(t.outputs) == 0 {
		return
	}
	byPath := map[string]*output{}
	var files []*ast.File
	var replaced []string
	for _, out := range t.outputs {
		if out.err != nil {
			r.report(t.Dir, invalidOutput(out.source.Path, out.err.Error()))
			return
		}
		byPath[out.path] = out
		files, replaced = append(files, out.syntax), append(replaced, out.source.Path)
	}
	for _, e := range r.checker.CheckWith(t.Variant, files, replaced) {
		pos := e.Fset.PositionFor(e.Pos, false)
		out := byPath[pos.Filename]
		if out == nil {
			continue
		}
		what := fmt.Sprintf("%s:%d: %s", filepath.Base(out.path), pos.Line, e.Msg)
		if fn := out.functionAt(e.Pos); fn != nil {
			r.report(t.Dir, invalidMachine(fn, what))
		} else {
			r.report(t.Dir, invalidOutput(out.source.Path, what))
		}
	}
}

// functionAt returns the function for which the declaration at pos was generated, or nil.
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
			for _, typ := range []string{fn.Names.Frame, fn.Names.Locals, fn.Names.Args, fn.Names.Machine} {
				own = own || recv == typ || name == typ
			}
			if own {
				return fn
			}
		}
	}
	return nil
}
