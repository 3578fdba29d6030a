package typetext

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Open is a type with holes: the parts of it that cannot be named are written as type parameters.
//
//	map[string][]other.t        map[string][]T1
type Open struct {
	Text  string
	Holes []Hole
}

// Hole is a type that cannot be named.
type Hole struct {
	Type        types.Type
	Name        string   // of the type parameter
	constraints []string // besides any, or comparable if the type is
}

// Open writes the output of spell, but with holes for the types that cannot be named.
func (im *Imports) Open(spell func() (string, error)) (Open, error) {
	im.open = &Open{}
	text, err := spell()
	o := *im.open
	im.open, o.Text = nil, text
	return o, err
}

// leavesOpen writes t as a hole if it is one.
func (w *typeWriter) leavesOpen(t types.Type) bool {
	if w.im.open == nil || !w.im.IsHole(t) {
		return false
	}
	w.hole(t)
	return true
}

// hole writes t as a hole.
func (w *typeWriter) hole(t types.Type) *Hole {
	o := w.im.open
	at := slices.IndexFunc(o.Holes, func(h Hole) bool { return types.Identical(h.Type, t) })
	if at < 0 {
		at = len(o.Holes)
		o.Holes = append(o.Holes, Hole{Type: t, Name: w.im.Fresh("T" + strconv.Itoa(at+1))})
	}
	w.WriteString(o.Holes[at].Name)
	return &o.Holes[at]
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

// argument writes type argument i of generic. If the type parameter has a constraint, an argument
// that cannot be named becomes a single hole with the same constraint.
func (w *typeWriter) argument(generic types.Type, arg types.Type, i int) {
	named, ok := generic.(*types.Named)
	if w.im.open == nil || !ok || !w.im.IsOpen(arg) {
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

// Constraint returns the constraint of the type parameter that stands for the hole. A comparable
// hole needs comparable, since it may be the key of a map.
func (h Hole) Constraint(im *Imports) string {
	list := h.constraints
	if types.Comparable(h.Type) {
		list = append([]string{"comparable"}, list...)
	}
	switch len(list) {
	case 0:
		return im.Anything()
	case 1:
		return list[0]
	}
	return "interface{ " + strings.Join(list, "; ") + " }"
}

// Anything returns the type any, or its spelling where the source hides it.
func (im *Imports) Anything() string {
	if im.hidden["any"] {
		return "interface{}"
	}
	return "any"
}
