package codegen

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// Files that import "C".
//
// The compiler reads such a file as cgo rewrote it, in the build cache. A package is
// checked with the rewritten files, so that all types are known, unless such a file has
// annotated functions: machines are made from the file's own text. Then the files are
// checked as they are, and nothing that comes from C has a type. So an annotated
// function that uses such values is refused (see ofC); the other functions of the file
// are unaffected. What the type checker says of such types is not the user's error.
//
// Generated code cannot call C itself. It would need a comment before import "C" that
// repeats the source's, and C would compile that comment twice: a static variable in it
// would become two variables.

// compiled are the files that p is checked with, and whether C is missing in them.
func (s *sources) compiled(p *packages.Package) (paths []string, withoutC bool) {
	if !local(p) || !slices.ContainsFunc(p.CompiledGoFiles, isMadeByCgo) {
		return p.CompiledGoFiles, false
	}
	for _, path := range p.GoFiles {
		if src := s.get(path); src.syntax != nil && importsC(src.syntax) && len(src.functions) > 0 {
			return p.GoFiles, true
		}
	}
	return p.CompiledGoFiles, false
}

func importsC(file *ast.File) bool {
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// isMadeByCgo reports whether a file lies in the build cache: such files have no
// extension.
func isMadeByCgo(path string) bool { return filepath.Ext(path) == "" }

// ofC reports whether e involves C: it names C, or its type is unknown because of C.
func (u *unit) ofC(e ast.Expr) bool {
	tv, typed := u.info.Types[e]
	switch e := e.(type) {
	case *ast.Ident:
		switch obj := u.info.ObjectOf(e).(type) {
		case *types.PkgName:
			return obj.Imported().Path() == "C"
		case *types.Var:
			return fromC(obj.Type())
		}
	case *ast.CallExpr, *ast.SelectorExpr, *ast.BinaryExpr, *ast.UnaryExpr, *ast.IndexExpr, *ast.StarExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
		return !typed || fromC(tv.Type)
	}
	return typed && !tv.IsBuiltin() && fromC(tv.Type)
}

// fromC reports whether values of t come from C or hold values that do, so that their
// sizes are unknown.
func fromC(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Pointer:
		return isInvalid(t.Elem())
	case *types.Slice:
		return isInvalid(t.Elem())
	case *types.Chan:
		return isInvalid(t.Elem())
	case *types.Map:
		return fromC(t.Key()) || isInvalid(t.Elem())
	case *types.Signature:
		return fromC(t.Params()) || fromC(t.Results())
	case *types.Tuple:
		return slices.ContainsFunc(slices.Collect(t.Variables()), func(v *types.Var) bool { return fromC(v.Type()) })
	case *types.Named:
		if _, ok := t.Underlying().(*types.Signature); ok {
			return false
		}
		_, behind := t.Underlying().(interface{ Elem() types.Type })
		_, array := t.Underlying().(*types.Array)
		return (!behind || array) && fromC(t.Underlying())
	case *types.Array:
		return fromC(t.Elem())
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(t.Fields()), func(f *types.Var) bool { return fromC(f.Type()) })
	}
	return false
}

func isInvalid(t types.Type) bool {
	if _, named := types.Unalias(t).(*types.Named); named {
		return false // its name is all that matters
	}
	return fromC(t)
}
