package durable

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// checkPoints checks that points have unique names, and that the values they need can be saved.
func (lo *lowering) checkPoints() {
	seen := map[string]*point{"begin": nil, "return": nil}
	for _, p := range lo.points {
		if other, taken := seen[p.name]; taken {
			d := repeatedPointName(lo.fn.Extent(p.call), p.name)
			if other != nil {
				d = d.Also("another one is", lo.fn.Package.Position(other.call.Pos()))
			}
			lo.refuse(d)
		}
		seen[p.name] = p
	}
	clean := len(lo.findings) == 0 // otherwise the statement below may be one that was refused
	for _, d := range lo.pointNames {
		if clean && !d.used {
			lo.refuse(unusedPointName(lo.fn.Extent(d.comment), d.name))
		}
	}
	asked := map[*variable]bool{}
	for _, p := range lo.points {
		lo.checkNames(p)
		for _, v := range p.live {
			if !asked[v] {
				asked[v] = true
				lo.checkSavable(v.typ, p.call, fmt.Sprintf("%s (type %s) is needed after the call of %s and", v.name, lo.typeName(v.typ), lo.calleeName(p.call)))
			}
		}
	}
	if v := lo.request; v != nil && !asked[v] {
		lo.checkSavable(v.typ, lo.fn.Decl.Name, fmt.Sprintf("the request %s (type %s)", v.name, lo.typeName(v.typ)))
	}
	for _, v := range lo.results() {
		lo.checkSavable(v.typ, lo.fn.Decl.Name, fmt.Sprintf("the result %s (type %s)", v.name, lo.typeName(v.typ)))
	}
}

// checkNames checks that the values saved at a point have distinct names. Variables of one name in
// scopes around the point have different paths; but a variable that is live everywhere may belong
// to a scope elsewhere.
func (lo *lowering) checkNames(p *point) {
	seen := map[string]bool{}
	for _, v := range p.live {
		if seen[v.name] {
			lo.refuse(repeatedVariableName(lo.fn.Extent(p.call), v.name, lo.calleeName(p.call)))
		}
		seen[v.name] = true
	}
}

// typeName returns a type as the user writes it.
func (lo *lowering) typeName(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(lo.fn.Package.Types))
}

// checkSavable refuses a value that cannot be saved.
func (lo *lowering) checkSavable(t types.Type, pos ast.Node, value string) {
	if o := findObstacle(t, map[types.Type]bool{}); o != nil {
		o.path = strings.TrimPrefix(o.path, ".")
		lo.refuse(unsavableValue(lo.fn.Extent(pos), value, o))
	}
}

// findObstacle returns why a type cannot be saved, or nil if it can be. The runtime applies the
// same rules.
func findObstacle(t types.Type, seen map[types.Type]bool) *obstacle {
	if o := inexact(t); o != nil {
		return o
	}
	if seen[t] || marshals(t) {
		return nil
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return processBound(t)
	case *types.Basic:
		if u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr {
			return address()
		}
	case *types.Interface:
		switch {
		case isErrorType(t):
		case source.IsContext(t):
			return savedContext()
		default:
			return unknownContent(t)
		}
	case *types.Pointer:
		return findObstacle(u.Elem(), seen)
	case *types.Slice:
		return findObstacle(u.Elem(), seen).in("[]")
	case *types.Array:
		return findObstacle(u.Elem(), seen).in("[]")
	case *types.Map:
		if o := findObstacle(u.Key(), seen); o != nil {
			return o.in("[key]")
		}
		return findObstacle(u.Elem(), seen).in("[]")
	case *types.Struct:
		return findInFields(u, seen)
	}
	return nil
}

// inexact refuses types whose own methods lose something that the runtime cannot save in another
// way.
func inexact(t types.Type) *obstacle {
	if named, ok := types.Unalias(t).(*types.Named); ok && source.IsObject(named.Obj(), "math/big", "Float") {
		return lostPrecision()
	}
	return nil
}

func findInFields(s *types.Struct, seen map[types.Type]bool) *obstacle {
	for f := range s.Fields() {
		if f.Name() == "_" {
			continue
		}
		if !f.Exported() {
			return unexportedField().in("." + f.Name())
		}
		if o := findObstacle(f.Type(), seen); o != nil {
			return o.in("." + f.Name())
		}
	}
	return nil
}

// marshals reports whether a type encodes and decodes itself.
func marshals(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Pointer:
		return false
	}
	set := types.NewMethodSet(types.NewPointer(t))
	has := func(name string) bool { return set.Lookup(nil, name) != nil }
	json, text := has("MarshalJSON") && has("UnmarshalJSON"), has("MarshalText") && has("UnmarshalText")
	if !json && !text {
		return false
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return true
	}
	embeds, exported := false, true
	for f := range s.Fields() {
		embeds = embeds || f.Embedded() && marshals(f.Type())
		exported = exported && f.Exported()
	}
	return !embeds || !exported
}
