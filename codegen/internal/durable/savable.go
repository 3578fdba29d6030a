package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// checkPoints checks that points have names of their own, and that what they need can be saved.
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
	clean := len(lo.found) == 0 // else the statement below may be one that was refused
	for _, d := range lo.named {
		if clean && !d.used {
			lo.refuse(d.comment, source.DirectivePoint+" "+d.name+" is above no point", "it names the step, Receive or Sleep on the next line", "move or remove it")
		}
	}
	asked := map[*variable]bool{}
	for _, p := range lo.points {
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

// spelled is a type as the user writes it.
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

// unsavable says why a type cannot be saved, and what to do; empty: it can. The runtime has the
// same rules.
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

// marshals reports whether a type writes and reads itself.
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

// layout is a hash of all that a checkpoint may contain: the points, and the names and whole
// types of what is saved at each.
func (lo *lowering) layout() string {
	var b strings.Builder
	write := func(list []*variable) {
		for _, v := range list {
			fmt.Fprintf(&b, "\t%s ", v.name)
			describe(&b, v.typ, map[types.Type]bool{})
			b.WriteString("\n")
		}
	}
	if lo.request != nil {
		write([]*variable{lo.request})
	}
	write(lo.results())
	for _, p := range lo.points {
		fmt.Fprintf(&b, "%s %s\n", p.name, p.step)
		write(p.live)
	}
	for n, u := range lo.undos {
		fmt.Fprintf(&b, "undo %d %s", n+1, u.step)
		for _, t := range u.params {
			b.WriteString(" ")
			describe(&b, t, map[types.Type]bool{})
		}
		b.WriteString("\n")
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}

// describe writes a type with the types that it is made of.
func describe(b *strings.Builder, t types.Type, seen map[types.Type]bool) {
	fmt.Fprintf(b, "%s", types.TypeString(t, nil))
	if seen[t] || marshals(t) {
		return
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		describe(b, u.Elem(), seen)
	case *types.Slice:
		describe(b, u.Elem(), seen)
	case *types.Array:
		describe(b, u.Elem(), seen)
	case *types.Map:
		describe(b, u.Key(), seen)
		describe(b, u.Elem(), seen)
	case *types.Struct:
		b.WriteString("{")
		for f := range u.Fields() {
			b.WriteString(f.Name() + " ")
			describe(b, f.Type(), seen)
			b.WriteString(";")
		}
		b.WriteString("}")
	case *types.Basic:
		b.WriteString(u.Name())
	}
}
