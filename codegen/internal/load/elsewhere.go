package load

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Packages that no pattern of a run matches, although packages that match import them. The run
// knows the twins of their annotated functions and does not generate them.

// Elsewhere returns the packages with annotated functions that v imports, directly or not, and
// that no pattern matches.
func (f *Finder) Elsewhere(v *Variant) []*packages.Package {
	if f.unmatched == nil {
		f.unmatched = f.findUnmatched()
	}
	var list []*packages.Package
	if len(f.unmatched) == 0 {
		return list // as with ./..., and the imports of a large module are many
	}
	f.ws.Visit(v.Meta, func(p *packages.Package) {
		if Local(p) && p.ForTest == "" && f.unmatched[p.PkgPath] {
			list = append(list, p)
		}
	})
	slices.SortFunc(list, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	return list
}

// findUnmatched returns the paths of packages with annotated functions that no pattern matches.
func (f *Finder) findUnmatched() map[string]bool {
	matched := map[string]bool{}
	for _, p := range f.ws.Roots {
		matched[p.PkgPath] = true
	}
	unmatched := map[string]bool{}
	for path, sc := range f.scopes {
		if sc.count > 0 && !matched[path] {
			unmatched[path] = true
		}
	}
	return unmatched
}

// Absent is an annotated function for which no generated file has the twin that its source asks
// for.
type Absent struct {
	Receiver, Name string // Receiver is empty for a function
	source.Names
}

// Absent returns such functions of p. The types are compared as text, since those of p itself are
// checked twice.
func (c *Checker) Absent(p *packages.Package) []Absent {
	var generated []*ast.File
	var replaced []string
	for _, path := range p.GoFiles {
		if !c.sources.Get(path).Annotates() {
			continue
		}
		replaced = append(replaced, path)
		if out := c.sources.Get(source.FileTwin(path)); out.Generated && out.Syntax != nil {
			generated = append(generated, out.Syntax)
		}
	}
	real, _ := c.checkWith(p, c.generatedImporter(p), generated, replaced)
	stubs := c.check(p).types
	var list []Absent
	for _, path := range replaced {
		for _, fn := range c.sources.Get(path).Functions {
			recv := source.ReceiverName(fn.decl)
			if !sameTwin(typeOf(real, recv, fn.names.Async), typeOf(stubs, recv, fn.names.Async)) {
				list = append(list, Absent{recv, fn.decl.Name.Name, fn.names})
			}
		}
	}
	return list
}

// typeOf returns the signature of a function or a method of pkg as text, or "" for none.
func typeOf(pkg *types.Package, recv, name string) string {
	fn := lookup(pkg, recv, name)
	if fn == nil {
		return ""
	}
	// The names of parameters are no part of the type, and those of results differ.
	sig := fn.Signature()
	return types.TypeString(types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), unnamed(sig.Results()), sig.Variadic()), (*types.Package).Path)
}

func unnamed(list *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range list.Variables() {
		vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), "", v.Type()))
	}
	return types.NewTuple(vars...)
}

// sameTwin compares two signatures. A type that cannot be resolved here, since only the generated
// file imports its package, is no difference.
func sameTwin(generated, wanted string) bool {
	return generated == wanted || strings.Contains(generated+wanted, "invalid type")
}
