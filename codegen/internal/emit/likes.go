package emit

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typetext"
	"github.com/movenext/movenext/codegen/internal/unnamed"
)

// Variables whose types cannot be named: see package unnamed.

// like is a nil pointer that MoveNext declares for the variables of one type.
type like struct {
	name string
	expr string
}

// declareLikes declares in MoveNext the likes that have been used.
func (p *printer) declareLikes() {
	for _, l := range p.fn.likes {
		p.line("%s := %s", l.name, l.expr)
	}
}

// like returns the name of the like of v.
func (p *printer) like(v *ir.Variable) string {
	way := p.fn.Unnamed[v]
	if way == nil {
		p.typeOf(v) // reports the refusal
		return ""
	}
	return p.likeNamed(p.way(way))
}

// likeNamed returns the name of the like that is declared as expr.
func (p *printer) likeNamed(expr string) string {
	for _, l := range p.fn.likes {
		if l.expr == expr {
			return l.name
		}
	}
	l := like{p.fn.Names.Fresh("like"), expr}
	p.fn.likes = append(p.fn.likes, l)
	return l.name
}

// likeFor returns the name of a like of t, if t cannot be named and there is one.
func (p *printer) likeFor(t types.Type) (name string, ok bool) {
	if !p.fn.Imports.IsOpen(t) {
		return "", false
	}
	way, ok := p.fn.Ways.To(t)
	if !ok {
		return "", false
	}
	return p.likeNamed(p.way(way)), true
}

// home returns the place of v itself: where its value is, or the pointer to its cell.
func (p *printer) home(v *ir.Variable) string {
	switch {
	case v.Place == ir.InFrame:
		return p.fn.Names.Recv + "." + v.Field
	case v.Passed && !v.Result && p.fn.passesTogether():
		return p.fn.Names.Args + "." + v.Local
	}
	return v.Local
}

// homeType returns the type of v's place.
func (p *printer) homeType(v *ir.Variable) string {
	switch {
	case v.Unnamed && p.fn.Unnamed[v] != nil:
		return p.fn.Imports.Anything()
	case v.Cell:
		return "*" + p.typeOf(v)
	}
	return p.typeOf(v)
}

// newOf returns an expression for a new cell for v.
func (p *printer) newOf(v *ir.Variable) string {
	if v.Unnamed {
		return p.runtime("New") + "(" + p.like(v) + ")"
	}
	return p.newValue(p.typeOf(v))
}

// kept returns the pointer to v, whose type cannot be named and which is in the frame.
func (p *printer) kept(v *ir.Variable) string {
	return p.runtime("Kept") + "(&" + p.home(v) + ", " + p.like(v) + ")"
}

// declare declares v in a block.
func (p *printer) declare(v *ir.Variable) {
	if v.Unnamed {
		p.line("%s := *%s", v.Local, p.newOf(v))
		return
	}
	p.line("var %s %s", v.Local, p.typeOf(v))
}

// way returns the expression of a way. The functions that it uses are declared in the order in
// which their names are needed.
func (p *printer) way(w unnamed.Way) string {
	switch w := w.(type) {
	case unnamed.Nil:
		return "(*" + w.Type + ")(" + p.predeclared("nil") + ")"
	case unnamed.Address:
		return "&" + p.object(w.Of)
	case unnamed.Value:
		return p.object(w.Of) + w.Args
	case unnamed.Like:
		return p.runtime("Like") + "(" + p.way(w.X) + ")"
	case unnamed.Field:
		return "&" + p.runtime("New") + "(" + p.way(w.X) + ")." + w.Name
	case unnamed.Inferred:
		name := p.fn.inferring("[" + w.TypeParams + "](" + w.Params + ") (_ *" + w.Result + ") { return }")
		var args []string
		for _, arg := range w.Args {
			args = append(args, p.way(arg))
		}
		return name + w.TypeArgs + "(" + strings.Join(args, ", ") + ")"
	}
	panic(fmt.Sprintf("emit: unknown way %T", w))
}

// object returns the name of something that a package declares.
func (p *printer) object(obj types.Object) string {
	if q := p.fn.Imports.Name(obj.Pkg()); q != "" {
		return q + "." + obj.Name()
	}
	return obj.Name()
}

// inferring returns the name of a function that infers one type from others. All functions of an
// input share those with the same declaration.
func (o *output) inferring(declaration string) string {
	if name, ok := o.inferred[declaration]; ok {
		return name
	}
	stem := o.Source.Names.Stem + "Like" + strconv.Itoa(len(o.inferred)+1)
	name := typetext.Free(stem, o.Source.Package.Names, o.Source.Package.Nearer, o.Root.Names.Mentions)
	o.inferred[declaration] = name
	o.inferences = append(o.inferences, name+declaration)
	return name
}

// inferrings prints those functions.
func (fn *function) inferrings() []byte {
	p := &printer{fn: fn}
	for _, text := range fn.inferences {
		name, _, _ := strings.Cut(text, "[")
		p.line("\n// %s leads from one type in %s to another, which has no name here.", name, fn.title())
		p.line("func %s", text)
	}
	return []byte(p.String())
}
