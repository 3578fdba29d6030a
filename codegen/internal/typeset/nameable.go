package typeset

import (
	"go/types"
	"path"
	"strings"
)

// Importable reports whether package from may import package p: generated code may contain types
// of packages that it imports only indirectly.
func Importable(from *types.Package, p *types.Package) bool {
	fromPath := from.Path()
	if p.Name() == "main" && fromPath != p.Path()+"_test" {
		return false
	}
	if strings.HasPrefix(p.Path(), "vendor/") {
		return false
	}
	elems := strings.Split(p.Path(), "/")
	i := len(elems) - 1
	for i >= 0 && elems[i] != "internal" {
		i--
	}
	if i < 0 {
		return true
	}
	parent := path.Join(elems[:i]...)
	fromPath = strings.TrimSuffix(fromPath, "_test")
	// At the root only the standard library has one, and no code is generated there.
	return i > 0 && (fromPath == parent || strings.HasPrefix(fromPath, parent+"/"))
}

// Nameable reports whether package from can write the type t.
func Nameable(from *types.Package, t types.Type) bool {
	each := func(list *types.TypeList) bool {
		for arg := range list.Types() {
			if !Nameable(from, arg) {
				return false
			}
		}
		return true
	}
	switch t := t.(type) {
	case *types.Basic, *types.TypeParam:
		return true
	case *types.Named:
		return reaches(from, t.Obj()) && each(t.TypeArgs())
	case *types.Alias:
		return reaches(from, t.Obj()) && each(t.TypeArgs()) || Nameable(from, t.Rhs())
	case *types.Map:
		return Nameable(from, t.Key()) && Nameable(from, t.Elem())
	case *types.Signature:
		return nameableVars(from, t.Params()) && nameableVars(from, t.Results())
	case *types.Struct:
		for field := range t.Fields() {
			if !reaches(from, field) || !Nameable(from, field.Type()) {
				return false
			}
		}
		return true
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			if !reaches(from, method) || !Nameable(from, method.Type()) {
				return false
			}
		}
		for embedded := range t.EmbeddedTypes() {
			if !Nameable(from, embedded) {
				return false
			}
		}
		return true
	case *types.Union:
		for term := range t.Terms() {
			if !Nameable(from, term.Type()) {
				return false
			}
		}
		return true
	case interface{ Elem() types.Type }:
		return Nameable(from, t.Elem())
	}
	return false
}

func nameableVars(from *types.Package, list *types.Tuple) bool {
	for v := range list.Variables() {
		if !Nameable(from, v.Type()) {
			return false
		}
	}
	return true
}

// reaches reports whether package from can name obj: a type, a field or a method.
func reaches(from *types.Package, obj types.Object) bool {
	if obj.Pkg() == nil || obj.Pkg().Path() == from.Path() {
		return !isLocalType(obj)
	}
	_, isType := obj.(*types.TypeName)
	return obj.Exported() && (!isType || !isLocalType(obj) && Importable(from, obj.Pkg()))
}

func isLocalType(obj types.Object) bool {
	name, ok := obj.(*types.TypeName)
	return ok && IsLocal(name)
}
