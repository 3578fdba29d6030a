package codegen

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// openType is a type with holes: those parts of it that cannot be named are written as type parameters.
//
//	map[string][]other.t        map[string][]T1
type openType struct {
	text  string
	holes []hole
}

// hole is a type that cannot be named.
type hole struct {
	typ         types.Type
	name        string   // of the type parameter
	constraints []string // beside any, or comparable if the type is
}

// openType writes what spell spells, but with holes for the types that cannot be named.
func (im *Imports) openType(spell func() (string, error)) (openType, error) {
	im.open = &openType{}
	text, err := spell()
	o := *im.open
	im.open, o.text = nil, text
	return o, err
}

// isOpen reports whether t has parts that cannot be named outside of their package.
func (im *Imports) isOpen(t types.Type) bool {
	o, _ := im.openType(func() (string, error) { return im.TypeString(t) })
	return len(o.holes) > 0
}

// leavesOpen writes t as a hole if it is one.
func (w *typeWriter) leavesOpen(t types.Type) bool {
	if w.im.open == nil || !w.im.isHole(t) {
		return false
	}
	w.hole(t)
	return true
}

// hole writes t as a hole.
func (w *typeWriter) hole(t types.Type) *hole {
	o := w.im.open
	at := slices.IndexFunc(o.holes, func(h hole) bool { return types.Identical(h.typ, t) })
	if at < 0 {
		at = len(o.holes)
		o.holes = append(o.holes, hole{typ: t, name: w.im.Fresh("T" + strconv.Itoa(at+1))})
	}
	w.WriteString(o.holes[at].name)
	return &o.holes[at]
}

// isHole reports whether t itself cannot be named, whatever it is made of. Types that this package declares in
// functions can be: see liftType.
func (im *Imports) isHole(t types.Type) bool {
	foreign := func(obj types.Object) bool {
		return !obj.Exported() && obj.Pkg() != nil && obj.Pkg().Path() != im.self.Path()
	}
	switch t := t.(type) {
	case *types.Named:
		obj := t.Obj()
		return obj.Pkg() != nil && obj.Pkg().Path() != im.self.Path() && im.unreachable(obj) != ""
	case *types.Struct:
		for f := range t.Fields() {
			if foreign(f) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if foreign(m) {
				return true
			}
		}
		for e := range t.EmbeddedTypes() {
			if im.isHole(e) {
				return true
			}
		}
	}
	return false
}

// arguments writes the type arguments of generic.
func (w *typeWriter) arguments(generic types.Type, args *types.TypeList) {
	for i := range args.Len() {
		w.WriteString(map[bool]string{true: "[", false: ", "}[i == 0])
		w.argument(generic, args.At(i), i)
	}
	if args.Len() > 0 {
		w.WriteString("]")
	}
}

// argument writes type argument i of generic. Where the type parameter asks for something, an argument that cannot be named
// is one hole, of which the same is asked.
func (w *typeWriter) argument(generic types.Type, arg types.Type, i int) {
	named, ok := generic.(*types.Named)
	if w.im.open == nil || !ok || !w.hasHole(arg) {
		w.write(arg)
		return
	}
	constraint := named.Origin().TypeParams().At(i).Constraint()
	bound := constraint.Underlying().(*types.Interface)
	if bound.Empty() || bound.IsComparable() && bound.NumMethods() == 0 && bound.NumEmbeddeds() == 0 {
		w.write(arg)
		return
	}
	sub := &typeWriter{im: w.im, closed: true}
	sub.write(constraint)
	if sub.err != nil {
		w.fail(generic, "its constraint %s cannot be repeated for a type without a name", constraint)
		return
	}
	h := w.hole(arg)
	h.constraints = append(h.constraints, sub.String())
}

// hasHole reports whether t is a hole or is made of one.
func (w *typeWriter) hasHole(t types.Type) bool {
	outer := w.im.open
	defer func() { w.im.open = outer }()
	return w.im.isOpen(t)
}

// constraint is the constraint of the type parameter that stands for the hole. What can be compared has to say so, for
// it may be the key of a map.
func (h hole) constraint(im *Imports) string {
	list := h.constraints
	if types.Comparable(h.typ) {
		list = append([]string{"comparable"}, list...)
	}
	switch len(list) {
	case 0:
		return im.anything()
	case 1:
		return list[0]
	}
	return "interface{ " + strings.Join(list, "; ") + " }"
}

// anything is the type that has values of all types.
func (im *Imports) anything() string {
	if im.hidden["any"] {
		return "interface{}"
	}
	return "any"
}
