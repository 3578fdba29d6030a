package typetext

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Imports are the imports of one generated file, collected while it is written.
//
// A qualifier must denote its package wherever it is printed. So it must differ from every name
// of package scope (the compiler rejects an import under such a name), from every local of the
// file's annotated functions (which would hide it), from predeclared names and from the names
// that generated code introduces (see [Imports.Fresh]). If the source file has a name for the
// import and that name is safe, it is kept.
type Imports struct {
	self    *types.Package
	source  map[string]string // path -> name, as the source file imports it
	taken   map[string]bool   // names that must not be a qualifier
	hidden  map[string]bool   // predeclared names that the package redeclares
	fresh   map[string]string // results of Fresh
	given   map[string]bool   // the names of imports and the results of Fresh
	Names   map[string]string // path -> qualifier of the imports used so far
	aliased map[string]bool   // path -> whether the import must spell the qualifier

	// lifted are the names, with type arguments, of types that functions declare in their
	// bodies and that generated code declares again outside of them.
	lifted map[*types.TypeName]string

	// open, if not nil, is the type that is currently written with holes (see
	// [Imports.Open]).
	open *Open
}

// New returns the imports of the file generated for file, none so far.
func New(pkg *source.Package, file *source.File) *Imports {
	im := &Imports{
		self:    pkg.Types,
		source:  sourceNames(file.Syntax, pkg.Info),
		taken:   map[string]bool{},
		hidden:  map[string]bool{},
		fresh:   map[string]string{},
		given:   map[string]bool{},
		Names:   map[string]string{},
		aliased: map[string]bool{},
		lifted:  map[*types.TypeName]string{},
	}
	maps.Copy(im.taken, pkg.Names)
	for _, fn := range slices.Concat(file.Functions, file.Others) {
		takeLocals(im.taken, fn.Decl, pkg)
		im.hideTypeParams(fn.Signature())
	}
	for _, t := range file.Types {
		takeTypeNames(im, t)
	}
	for _, name := range types.Universe.Names() {
		im.hidden[name] = im.hidden[name] || pkg.Names[name]
		im.taken[name] = true
	}
	return im
}

// hideTypeParams records the type parameters of a function: they are in scope wherever its types
// are written, and may have predeclared names.
func (im *Imports) hideTypeParams(sig *types.Signature) {
	for _, list := range []*types.TypeParamList{sig.TypeParams(), sig.RecvTypeParams()} {
		for p := range list.TypeParams() {
			im.hidden[p.Obj().Name()] = true
		}
	}
}

// takeTypeNames takes the names of the parameters in an annotated type, which its functions have,
// too, and hides those of its type parameters.
func takeTypeNames(im *Imports, t *source.AnnotatedType) {
	ast.Inspect(t.Spec.Type, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			for _, id := range field.Names {
				im.taken[id.Name] = true
			}
		}
		return true
	})
	for name := range t.TypeParamNames() {
		im.taken[name], im.hidden[name] = true, true
	}
}

// sourceNames returns the names under which a file imports its packages.
func sourceNames(file *ast.File, info *types.Info) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		name := info.PkgNameOf(spec)
		if name != nil && name.Name() != "." && name.Name() != "_" {
			names[name.Imported().Path()] = name.Name()
		}
	}
	return names
}

// takeLocals adds the names that decl itself declares, since only those can hide a qualifier.
// Fields, methods and labels have separate scopes.
func takeLocals(taken map[string]bool, decl *ast.FuncDecl, pkg *source.Package) {
	ast.Inspect(decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id == decl.Name {
			return true
		}
		obj, defines := pkg.Info.Defs[id]
		if !defines {
			return true
		}
		switch obj := obj.(type) {
		case *types.Label:
			return true
		case *types.Var:
			if obj.IsField() {
				return true
			}
		}
		taken[id.Name] = true
		return true
	})
}

// Name returns the qualifier for pkg in this file, and imports it. It returns "" for the file's
// own package.
func (im *Imports) Name(pkg *types.Package) string {
	if pkg == im.self || pkg.Path() == im.self.Path() {
		return ""
	}
	name := im.Path(pkg.Path(), pkg.Name())
	im.aliased[pkg.Path()] = name != pkg.Name()
	return name
}

// Path corresponds to Name, for a package that is known by its path; preferred is the name in its
// package clause.
func (im *Imports) Path(importPath, preferred string) string {
	if name, ok := im.Names[importPath]; ok {
		return name
	}
	name := preferred
	if own, ok := im.source[importPath]; ok && !im.taken[own] {
		name = own
	}
	name = Free(name, im.taken, im.given)
	im.Names[importPath], im.given[name] = name, true
	im.aliased[importPath] = name != preferred
	return name
}

// Fresh returns name, or a variant of it that is safe to declare inside any generated function of
// this file: it hides no package-level name, none of the user's locals and no import. The same
// name always leads to the same result.
func (im *Imports) Fresh(name string) string {
	if answer, ok := im.fresh[name]; ok {
		return answer
	}
	answer := Free(name, im.taken, im.given)
	im.fresh[name], im.given[answer] = answer, true
	return answer
}

// Visible returns the names that have a meaning in a generated function of pkg with a signature
// and type parameters, and that a new local must not hide.
func (im *Imports) Visible(pkg *source.Package, typeParams map[string]bool, sig Signature) map[string]bool {
	all := maps.Clone(pkg.Names)
	for _, name := range im.Names {
		all[name] = true
	}
	maps.Copy(all, typeParams)
	maps.Copy(all, sig.Names())
	return all
}

// Prune forgets imports that body, the declarations of the file, does not use. A lowering
// requests names while it explores, and Go rejects unused imports. A selection by a qualifier's
// name is a use of it, since no local has that name.
func (im *Imports) Prune(body []byte) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+string(body), parser.SkipObjectResolution)
	if err != nil {
		return // Reported when the whole file is parsed.
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	maps.DeleteFunc(im.Names, func(_, name string) bool { return !used[name] })
}

// Spec prints the import declaration, standard library first.
func (im *Imports) Spec() string {
	if len(im.Names) == 0 {
		return ""
	}
	var std, others []string
	for _, p := range slices.Sorted(maps.Keys(im.Names)) {
		line := "\t" + strconv.Quote(p)
		if im.aliased[p] {
			line = "\t" + im.Names[p] + " " + strconv.Quote(p)
		}
		if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") {
			others = append(others, line)
		} else {
			std = append(std, line)
		}
	}
	if len(std) > 0 && len(others) > 0 {
		std = append(std, "")
	}
	return fmt.Sprintf("import (\n%s\n)\n", strings.Join(append(std, others...), "\n"))
}

// Lift sets name, with type arguments, as the spelling of obj: a type that a function declares in
// its body and that generated code declares again outside of it.
func (im *Imports) Lift(obj *types.TypeName, name string) { im.lifted[obj] = name }

// LiftedName returns the name that [Imports.Lift] gave to obj.
func (im *Imports) LiftedName(obj *types.TypeName) (name string, ok bool) {
	name, ok = im.lifted[obj]
	return name, ok
}

// Safe reports whether generated code may declare a local called name: it is one of the user's
// locals, or [Imports.Fresh] would choose it.
func (im *Imports) Safe(name string) bool { return im.taken[name] || im.Fresh(name) == name }
