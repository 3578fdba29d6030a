package typetext

import (
	"fmt"
	"github.com/movenext/movenext/codegen/internal/typeset"
	"go/types"
	"strconv"
	"strings"
)

// types.TypeString with a qualifier would be wrong here: it prints an alias under its name even
// if that name is out of reach, a predeclared type under its name even if the package hides it,
// and a local type as if it were global. Each of those compiles to something else or not at all.

// unnameable is the error that a type cannot be written in the generated file.
type unnameable struct {
	typ    types.Type
	reason string
}

func (e *unnameable) Error() string {
	return fmt.Sprintf("type %s cannot be named here: %s", e.typ, e.reason)
}

// TypeString writes t for the generated file, importing what it needs. It fails if t cannot be
// written there: a type of a function's body, an unexported type of another package (see package
// unnamed), or a type of a package that may not be imported.
func (im *Imports) TypeString(t types.Type) (string, error) {
	w := &typeWriter{im: im}
	w.write(t)
	if w.err != nil {
		return "", w.err
	}
	return w.String(), nil
}

type typeWriter struct {
	strings.Builder
	im     *Imports
	err    error
	closed bool // there are no type parameters
}

func (w *typeWriter) fail(t types.Type, format string, args ...any) {
	if w.err == nil {
		w.err = &unnameable{t, fmt.Sprintf(format, args...)}
	}
}

func (w *typeWriter) write(t types.Type) {
	if w.err != nil || w.leavesOpen(t) {
		return
	}
	switch t := t.(type) {
	case *types.Basic:
		w.basic(t)
	case *types.Named:
		w.writeNamed(t, t.Obj(), t.TypeArgs())
	case *types.Alias:
		w.alias(t)
	case *types.TypeParam:
		if w.closed {
			w.fail(t, "it is a type parameter")
			return
		}
		w.WriteString(w.im.typeParamName(t))
	case *types.Pointer:
		w.WriteString("*")
		w.write(t.Elem())
	case *types.Slice:
		w.WriteString("[]")
		w.write(t.Elem())
	case *types.Array:
		fmt.Fprintf(w, "[%d]", t.Len())
		w.write(t.Elem())
	case *types.Map:
		w.WriteString("map[")
		w.write(t.Key())
		w.WriteString("]")
		w.write(t.Elem())
	case *types.Chan:
		w.channel(t)
	case *types.Signature:
		w.WriteString("func")
		w.signature(t)
	case *types.Struct:
		w.structure(t)
	case *types.Interface:
		w.iface(t)
	case *types.Union:
		w.union(t)
	default:
		w.fail(t, "it is of kind %T", t)
	}
}

func (w *typeWriter) basic(t *types.Basic) {
	if t.Kind() == types.UnsafePointer {
		w.WriteString(w.im.Path("unsafe", "unsafe") + ".Pointer")
		return
	}
	if t.Info()&types.IsUntyped != 0 || t.Kind() == types.Invalid {
		w.fail(t, "it has no type of its own")
		return
	}
	name := t.Name()
	if other := map[string]string{"byte": "uint8", "rune": "int32"}[name]; other != "" && w.im.hidden[name] {
		name = other
	}
	w.writePredeclared(t, name)
}

// writePredeclared writes a predeclared name unless the source redeclares it.
func (w *typeWriter) writePredeclared(t types.Type, name string) {
	spelled, ok := w.im.PredeclaredName(name)
	if !ok {
		w.fail(t, "the source declares something else under that predeclared name")
	}
	w.WriteString(spelled)
}

func (w *typeWriter) writeNamed(t types.Type, obj *types.TypeName, args *types.TypeList) {
	if obj.Pkg() == nil {
		w.writePredeclared(t, obj.Name())
		return
	}
	if name, ok := w.im.lifted[obj]; ok {
		own := &typeWriter{im: w.im, closed: w.closed}
		own.arguments(t, args)
		w.WriteString(WithOwn(name, own.String()))
		w.err = own.err
		return
	}
	if reason := w.im.unreachable(obj); reason != "" {
		w.fail(t, "%s", reason)
		return
	}
	if q := w.im.Name(obj.Pkg()); q != "" {
		w.WriteString(q + ".")
	}
	w.WriteString(obj.Name())
	w.arguments(t, args)
}

// alias prefers the user's name for the type, and falls back to the aliased type.
func (w *typeWriter) alias(t *types.Alias) {
	obj := t.Obj()
	if obj.Pkg() == nil && !w.im.hidden[obj.Name()] || obj.Pkg() != nil && w.im.unreachable(obj) == "" {
		w.writeNamed(t, obj, t.TypeArgs())
		return
	}
	w.write(t.Rhs())
}

// unreachable returns why obj, a type or an alias, cannot be named in the file.
func (im *Imports) unreachable(obj *types.TypeName) string {
	own := obj.Pkg().Path() == im.self.Path()
	switch {
	case typeset.IsLocal(obj):
		return "it is declared inside a function"
	case own:
		return ""
	case !obj.Exported():
		return "package " + obj.Pkg().Path() + " does not export it"
	case !typeset.Importable(im.self, obj.Pkg()):
		return "package " + obj.Pkg().Path() + " cannot be imported here"
	}
	return ""
}

func (w *typeWriter) channel(t *types.Chan) {
	prefix, elem := "chan ", t.Elem()
	switch t.Dir() {
	case types.SendOnly:
		prefix = "chan<- "
	case types.RecvOnly:
		prefix = "<-chan "
	}
	w.WriteString(prefix)
	if inner, ok := elem.(*types.Chan); ok && inner.Dir() == types.RecvOnly && t.Dir() != types.RecvOnly {
		w.WriteString("(")
		w.write(elem)
		w.WriteString(")")
		return
	}
	w.write(elem)
}

// signature writes parameters and results without names, since names are not part of the type.
func (w *typeWriter) signature(t *types.Signature) {
	w.WriteString("(")
	n := t.Params().Len()
	for i := range n {
		if i > 0 {
			w.WriteString(", ")
		}
		typ := t.Params().At(i).Type()
		if slice, ok := typ.(*types.Slice); ok && t.Variadic() && i == n-1 {
			w.WriteString("...")
			typ = slice.Elem()
		}
		w.write(typ)
	}
	w.WriteString(")")
	switch t.Results().Len() {
	case 0:
	case 1:
		w.WriteString(" ")
		w.write(t.Results().At(0).Type())
	default:
		w.WriteString(" (")
		for i := range t.Results().Len() {
			if i > 0 {
				w.WriteString(", ")
			}
			w.write(t.Results().At(i).Type())
		}
		w.WriteString(")")
	}
}

func (w *typeWriter) structure(t *types.Struct) {
	w.WriteString("struct{")
	for i := range t.NumFields() {
		if i > 0 {
			w.WriteString("; ")
		} else {
			w.WriteString(" ")
		}
		field := t.Field(i)
		if !field.Exported() && field.Pkg() != nil && field.Pkg().Path() != w.im.self.Path() {
			w.fail(t, "field %s belongs to package %s", field.Name(), field.Pkg().Path())
			return
		}
		switch {
		case !field.Embedded():
			w.WriteString(field.Name() + " ")
		case w.im.hidden[field.Name()] && types.Universe.Lookup(field.Name()) != nil:
			w.fail(t, "the source declares something else under the name of its field %s", field.Name())
			return
		}
		w.write(field.Type())
		if tag := t.Tag(i); tag != "" {
			w.WriteString(" " + strconv.Quote(tag))
		}
	}
	if t.NumFields() > 0 {
		w.WriteString(" ")
	}
	w.WriteString("}")
}

func (w *typeWriter) iface(t *types.Interface) {
	if t.IsImplicit() && t.NumExplicitMethods() == 0 && t.NumEmbeddeds() == 1 {
		w.write(t.EmbeddedType(0))
		return
	}
	var parts int
	sep := func() {
		if parts++; parts > 1 {
			w.WriteString("; ")
		}
	}
	w.WriteString("interface{")
	for m := range t.ExplicitMethods() {
		if !m.Exported() && m.Pkg() != nil && m.Pkg().Path() != w.im.self.Path() {
			w.fail(t, "method %s belongs to package %s", m.Name(), m.Pkg().Path())
			return
		}
		sep()
		w.WriteString(m.Name())
		w.signature(m.Signature())
	}
	for typ := range t.EmbeddedTypes() {
		sep()
		w.write(typ)
	}
	w.WriteString("}")
}

func (w *typeWriter) union(t *types.Union) {
	for i := range t.Len() {
		if i > 0 {
			w.WriteString(" | ")
		}
		if t.Term(i).Tilde() {
			w.WriteString("~")
		}
		w.write(t.Term(i).Type())
	}
}
