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
			d := lo.refusal(p.call, "there are several points called "+p.name, "an instance that was saved at one of them would have to know which",
				"write "+source.DirectivePoint+" NAME above the statement")
			if other != nil {
				d = d.Also("another one is", lo.fn.Package.Position(other.call.Pos()))
			}
			lo.found = append(lo.found, d)
		}
		seen[p.name] = p
	}
	clean := len(lo.found) == 0 // otherwise the statement below may be one that was refused
	for _, d := range lo.named {
		if clean && !d.used {
			lo.refuse(d.comment, source.DirectivePoint+" "+d.name+" is above no point", "it names the step, Receive or Sleep on the next line", "move or remove it")
		}
	}
	asked := map[*variable]bool{}
	for _, p := range lo.points {
		lo.checkNames(p)
		for _, v := range p.live {
			if !asked[v] {
				asked[v] = true
				var at ast.Node = p.call
				lo.savable(v.typ, at, fmt.Sprintf("%s (type %s) is needed after the call of %s and", v.name, lo.spelled(v.typ), lo.calledName(p.call)))
			}
		}
	}
	if v := lo.request; v != nil && !asked[v] {
		lo.savable(v.typ, lo.fn.Decl.Name, fmt.Sprintf("the request %s (type %s)", v.name, lo.spelled(v.typ)))
	}
	for _, v := range lo.results() {
		lo.savable(v.typ, lo.fn.Decl.Name, fmt.Sprintf("the result %s (type %s)", v.name, lo.spelled(v.typ)))
	}
}

// checkNames checks that the values saved at a point have distinct names. Variables of one name in
// scopes around the point have different paths; but a variable that is live everywhere may belong
// to a scope elsewhere.
func (lo *lowering) checkNames(p *point) {
	seen := map[string]bool{}
	for _, v := range p.live {
		if seen[v.name] {
			lo.refuse(p.call, "two variables "+v.name+" are needed after the call of "+lo.calledName(p.call), "they are saved by name", "rename one of them")
		}
		seen[v.name] = true
	}
}

// spelled returns a type as the user writes it.
func (lo *lowering) spelled(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(lo.fn.Package.Types))
}

// savable refuses a value that cannot be saved.
func (lo *lowering) savable(t types.Type, at ast.Node, what string) {
	path, why, do := unsavable(t, "", map[types.Type]bool{})
	if why == "" {
		return
	}
	if path != "" {
		why = "its part " + strings.TrimPrefix(path, ".") + " " + why
	} else {
		why = "it " + why
	}
	lo.refuse(at, what+" cannot be saved", why, do)
}

// unsavable returns why a type cannot be saved, and what to do; empty if it can be. The runtime
// applies the same rules.
func unsavable(t types.Type, path string, seen map[types.Type]bool) (at, why, do string) {
	if seen[t] || marshals(t) {
		return "", "", ""
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return path, "is a " + t.String() + ", which means nothing in another process", "end its use before the point, or make it in a step"
	case *types.Basic:
		if u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr {
			return path, "is an address, which means nothing in another process", "end its use before the point"
		}
	case *types.Interface:
		switch {
		case isErrorType(t):
		case isContext(t):
			return path, "is a context, which cannot be saved", "derive contexts inside of steps"
		default:
			return path, "is an interface (" + t.String() + "), and what it holds is not known when it is loaded", "use a type of its own"
		}
	case *types.Pointer:
		return unsavable(u.Elem(), path, seen)
	case *types.Slice:
		return unsavable(u.Elem(), path+"[]", seen)
	case *types.Array:
		return unsavable(u.Elem(), path+"[]", seen)
	case *types.Map:
		if at, why, do := unsavable(u.Key(), path+"[key]", seen); why != "" {
			return at, why, do
		}
		return unsavable(u.Elem(), path+"[]", seen)
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == "_" {
				continue
			}
			if !f.Exported() {
				return path + "." + f.Name(), "is a field that is not exported, of a type that does not marshal itself", "export it, or give the type MarshalJSON and UnmarshalJSON"
			}
			if at, why, do := unsavable(f.Type(), path+"."+f.Name(), seen); why != "" {
				return at, why, do
			}
		}
	}
	return "", "", ""
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
