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

// typeWitness is a nil pointer, from which the compiler infers a type that cannot be named. It is
// a variable that MoveNext declares for the variables of one type.
type typeWitness struct {
	name string
	expr string
}

// declareWitnesses declares in MoveNext the witnesses that have been used.
func (p *printer) declareWitnesses() {
	for _, l := range p.fn.witnesses {
		p.line("%s := %s", l.name, l.expr)
	}
}

// witness returns the name of the witness of v's type.
func (p *printer) witness(v *ir.Variable) string {
	d := p.fn.Unnamed[v]
	if d == nil {
		p.typeOf(v) // reports the refusal
		return ""
	}
	return p.declaredWitness(p.derivation(d))
}

// declaredWitness returns the name of the witness that is declared as expr.
func (p *printer) declaredWitness(expr string) string {
	for _, l := range p.fn.witnesses {
		if l.expr == expr {
			return l.name
		}
	}
	l := typeWitness{p.fn.Names.Fresh("like"), expr}
	p.fn.witnesses = append(p.fn.witnesses, l)
	return l.name
}

// witnessOf returns the name of a witness of t, if t cannot be named and there is one.
func (p *printer) witnessOf(t types.Type) (name string, ok bool) {
	if !p.fn.Imports.IsOpen(t) {
		return "", false
	}
	d, ok := p.fn.Derivations.To(t)
	if !ok {
		return "", false
	}
	return p.declaredWitness(p.derivation(d)), true
}

// location returns where v itself is: where its value is, or the pointer to its cell.
func (p *printer) location(v *ir.Variable) string {
	switch {
	case v.Place == ir.InFrame:
		return p.fn.Names.Recv + "." + v.Field
	case v.Passed && !v.Result && p.fn.passesTogether():
		return p.fn.Names.Args + "." + v.Local
	}
	return v.Local
}

// locationType returns the type of v's location.
func (p *printer) locationType(v *ir.Variable) string {
	switch {
	case v.Unnamed && p.fn.Unnamed[v] != nil:
		return p.fn.Imports.Anything()
	case v.Cell:
		return "*" + p.typeOf(v)
	}
	return p.typeOf(v)
}

// newCell returns an expression for a new cell for v.
func (p *printer) newCell(v *ir.Variable) string {
	if v.Unnamed {
		return p.gentype("New") + "(" + p.witness(v) + ")"
	}
	return p.newValue(p.typeOf(v))
}

// framePointer returns the pointer to v, whose type cannot be named and which is in the frame.
func (p *printer) framePointer(v *ir.Variable) string {
	return p.gentype("Kept") + "(&" + p.location(v) + ", " + p.witness(v) + ")"
}

// declare declares v in a block.
func (p *printer) declare(v *ir.Variable) {
	if v.Unnamed {
		p.line("%s := *%s", v.Local, p.newCell(v))
		return
	}
	p.line("var %s %s", v.Local, p.typeOf(v))
}

// derivation returns the expression of a derivation. The functions that it uses are declared in
// the order in which their names are needed.
func (p *printer) derivation(d unnamed.Derivation) string {
	switch d := d.(type) {
	case unnamed.Nil:
		return "(*" + d.Type + ")(" + p.predeclaredName("nil") + ")"
	case unnamed.Address:
		return "&" + p.object(d.Object)
	case unnamed.Value:
		return p.object(d.Object) + d.Args
	case unnamed.Witness:
		return p.gentype("Like") + "(" + p.derivation(d.X) + ")"
	case unnamed.Field:
		return "&" + p.gentype("New") + "(" + p.derivation(d.X) + ")." + d.Name
	case unnamed.Inferred:
		name := p.fn.inferenceFunction("[" + d.TypeParams + "](" + d.Params + ") (_ *" + d.Result + ") { return }")
		var args []string
		for _, arg := range d.Args {
			args = append(args, p.derivation(arg))
		}
		return name + d.TypeArgs + "(" + strings.Join(args, ", ") + ")"
	}
	panic(fmt.Sprintf("emit: unknown derivation %T", d))
}

// object returns the name of something that a package declares.
func (p *printer) object(obj types.Object) string {
	if q := p.fn.Imports.Name(obj.Pkg()); q != "" {
		return q + "." + obj.Name()
	}
	return obj.Name()
}

// inferenceFunction returns the name of a function that infers one type from others. All
// functions of an input share those with the same declaration.
func (o *output) inferenceFunction(declaration string) string {
	if name, ok := o.inferenceNames[declaration]; ok {
		return name
	}
	stem := o.Source.Names.Stem + "Like" + strconv.Itoa(len(o.inferenceNames)+1)
	name := typetext.Free(stem, o.Source.Package.Names, o.Source.Package.Nearer, o.Root.Names.Mentions)
	o.inferenceNames[declaration] = name
	o.inferences = append(o.inferences, name+declaration)
	return name
}

// inferenceFunctions prints those functions.
func (fn *function) inferenceFunctions() []byte {
	p := &printer{fn: fn}
	for _, text := range fn.inferences {
		name, _, _ := strings.Cut(text, "[")
		p.line("")
		p.comment("%s leads from one type in %s to another, which has no name here.", name, fn.title())
		p.line("func %s", text)
	}
	return []byte(p.String())
}
