package codegen

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Variables whose types cannot be named: unexported types of other packages, and types
// composed of them.
//
//	v := other.New(ctx)        // of type *other.t
//	pause(ctx)
//	v.Close()
//
// The frame needs a field for v, and Go has no way to write down its type. But the type
// can be inferred, so MoveNext has a like: a nil pointer to the type, which is never
// read. The field is of type any and holds a pointer to the variable, as if it were
// captured.
//
//	like1 := fetchLike1(statemachine.Like(other.New))
//	…
//	f.v = statemachine.New(like1)
//	*statemachine.Kept(&f.v, like1) = other.New(f.ctx)
//	…
//	(*statemachine.Kept(&f.v, like1)).Close()
//
// with a generic function that leads from one type to another:
//
//	func fetchLike1[F ~func(A1) R1, A1, R1 any](*F) (_ *R1) { return }
//
// unnamed_ways.go describes how a way is found from something that has a name. Nothing
// of the function is evaluated for it.
//
// A frame with a type parameter for each such type would be simpler, but does not work:
// MoveNext could not call a method of such a value.

// like is what MoveNext declares for the variables of one type.
type like struct {
	name string
	expr string
}

// findUnnamed finds the variables whose types cannot be named, and what their types can
// be inferred from.
func (u *unit) findUnnamed() {
	for _, v := range u.all {
		spell := v.typeText
		if spell == nil {
			spell = func() (string, error) { return u.imports.TypeString(v.typ) }
		}
		o, err := u.imports.Open(spell)
		v.unnamed = len(o.Holes) > 0
		switch {
		case !v.unnamed || err != nil:
		case v.typ != nil:
			v.like, _ = u.root().likeOfType(v.typ)
		default:
			v.like, _ = u.root().likeOf(o)
		}
	}
}

// likeOf is the way to the type, if there is one.
func (u *unit) likeOf(o typetext.Open) (way, bool) {
	var params, likes []string
	var values []way
	for _, h := range o.Holes {
		by, found := u.waysTo().find(h.Type)
		if !found && !u.imports.IsHole(h.Type) { // a hole that consists of several parts
			by, found = u.likeOfType(h.Type)
		}
		if !found {
			return nil, false
		}
		if o.Text == h.Name {
			return by, true
		}
		params = append(params, h.Name+" "+h.Constraint(u.imports))
		likes = append(likes, "*"+h.Name)
		values = append(values, by)
	}
	sig, err := u.imports.Signature(u.fn)
	if err != nil {
		return nil, false
	}
	if sig.FrameParams != "" {
		params = append([]string{strings.Trim(sig.FrameParams, "[]")}, params...)
	}
	return func() string {
		name := u.inferring(strings.Join(params, ", "), strings.Join(likes, ", "), o.Text)
		return name + sig.FrameArgs + "(" + joinedWays(values) + ")"
	}, true
}

func joinedWays(list []way) string {
	var texts []string
	for _, by := range list {
		texts = append(texts, by())
	}
	return strings.Join(texts, ", ")
}

// likeOfType is likeOf for a type that may have a name, or be as a whole the end of a
// way.
func (u *unit) likeOfType(t types.Type) (way, bool) {
	if by, ok := u.waysTo().find(t); ok {
		return by, true
	}
	o, err := u.imports.Open(func() (string, error) { return u.imports.TypeString(t) })
	if err != nil {
		return nil, false
	}
	if len(o.Holes) == 0 {
		return u.nilPointer(o.Text), true
	}
	return u.likeOf(o)
}

// nilPointer is the way to a type that can be named.
func (u *unit) nilPointer(spelled string) way {
	return func() string { return "(*" + spelled + ")(" + (&printer{u: u}).predeclared("nil") + ")" }
}

// inferring is the name of a function that leads from types to another one.
func (u *unit) inferring(typeParams, from, to string) string {
	text := "[" + typeParams + "](" + from + ") (_ *" + to + ") { return }"
	if name, ok := u.inferred[text]; ok {
		return name
	}
	name := u.freeName(u.fn.Names.Stem + "Like" + strconv.Itoa(len(u.inferred)+1))
	u.inferred[text] = name
	u.inferences = append(u.inferences, name+text)
	return name
}

// inferrings prints those functions.
func (u *unit) inferrings() []byte {
	p := &printer{u: u}
	for _, text := range u.inferences {
		name, _, _ := strings.Cut(text, "[")
		p.line("\n// %s leads from one type in %s to another, which has no name here.", name, u.title())
		p.line("func %s", text)
	}
	return []byte(p.String())
}

// likes declares, in MoveNext, the likes that have been asked for.
func (p *printer) likes() {
	for _, l := range p.u.likes {
		p.line("%s := %s", l.name, l.expr)
	}
}

// like is the name of the like of v.
func (p *printer) like(v *variable) string {
	if v.like == nil {
		p.typeOf(v) // refuses it
		return ""
	}
	return p.likeNamed(v.like())
}

func (p *printer) likeNamed(expr string) string {
	for _, l := range p.u.likes {
		if l.expr == expr {
			return l.name
		}
	}
	l := like{p.u.names.fresh("like"), expr}
	p.u.likes = append(p.u.likes, l)
	return l.name
}

// likeFor is the name of a like of t, if that cannot be named and there is one.
func (p *printer) likeFor(t types.Type) (name string, ok bool) {
	if !p.u.imports.IsOpen(t) {
		return "", false
	}
	by, ok := p.u.root().likeOfType(t)
	if !ok {
		return "", false
	}
	return p.likeNamed(by()), true
}

// home is the place of v itself: where its value is, or the pointer to its cell.
func (p *printer) home(v *variable) string {
	if v.place == inFrame {
		return p.u.names.recv + "." + v.field
	}
	return v.local
}

// homeType is the type of that place.
func (p *printer) homeType(v *variable) string {
	switch {
	case v.unnamed && v.like != nil:
		return p.u.imports.Anything()
	case v.cell:
		return "*" + p.typeOf(v)
	}
	return p.typeOf(v)
}

// newOf is an expression for a new cell for v.
func (p *printer) newOf(v *variable) string {
	if v.unnamed {
		return p.runtime("New") + "(" + p.like(v) + ")"
	}
	return p.newValue(p.typeOf(v))
}

// kept is the pointer to v, whose type cannot be named, in the frame.
func (p *printer) kept(v *variable) string {
	return p.runtime("Kept") + "(&" + p.home(v) + ", " + p.like(v) + ")"
}

// declare declares v in a block.
func (p *printer) declare(v *variable) {
	if v.unnamed {
		p.line("%s := *%s", v.local, p.newOf(v))
		return
	}
	p.line("var %s %s", v.local, p.typeOf(v))
}
