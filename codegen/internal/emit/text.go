package emit

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math/big"
	"strings"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// printer writes the declarations of one function. It does not care about layout, since the file
// is formatted as a whole.
type printer struct {
	strings.Builder
	fn  *function
	pos int // the source line being printed

	inside  bool       // the instructions replace a part of a kept statement
	obtains *ir.Assign // gets the job that is awaited, in the if that asks whether it has ended
	between bool       // the position is between a callee's suspension and the code after its call
	more    int        // the lines of the source's text that follow the one being printed
	begun   string     // the statements that begin at the next directive: a colon and an offset each
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// comment prints a comment.
func (p *printer) comment(format string, args ...any) {
	p.WriteString(source.Comment(format, args...))
}

func (p *printer) path(path, preferred string) string { return p.fn.Imports.Path(path, preferred) }

func (p *printer) runtime(name string) string {
	return p.path(source.StatemachinePath, "statemachine") + "." + name
}

// gentype returns the name of something without which generated code could not write a type.
func (p *printer) gentype(name string) string {
	return p.path(source.GentypesPath, "gentypes") + "." + name
}

// typ spells the type of something at node.
func (p *printer) typ(t types.Type, node ast.Node) string {
	s, err := p.fn.Imports.TypeString(t)
	if err != nil {
		p.fn.refuse(unnameableType(p.fn.Source.Extent(node), err))
	}
	return s
}

// typeOf spells the type of a variable.
func (p *printer) typeOf(v *ir.Variable) string {
	s, found, err := p.fn.TypeOf(v)
	for _, d := range found {
		p.fn.refuse(d)
	}
	if err != nil {
		p.fn.refuse(unnameableType(p.fn.Source.ExtentOf(v.Obj), err))
	}
	return s
}

// zeroOf returns an expression for the zero value of t.
func (p *printer) zeroOf(t types.Type, spelled string) string {
	if t == nil { // a variable of the lowering
		return p.predeclaredName("nil")
	}
	if typeset.IsParam(t) {
		return "*" + p.newValue(spelled)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return p.predeclaredName("false")
		case u.Info()&types.IsNumeric != 0:
			return "0"
		case u.Info()&types.IsString != 0:
			return `""`
		}
	case *types.Struct, *types.Array:
		return spelled + "{}"
	}
	return p.predeclaredName("nil")
}

func (p *printer) rope(r ir.Rope) string {
	var b strings.Builder
	for _, part := range r {
		b.WriteString(p.piece(part))
	}
	return b.String()
}

func (p *printer) piece(part ir.Piece) string {
	switch {
	case part.Idle != nil && !part.Idle.Idle():
		return ""
	case part.V != nil:
		return p.mention(part.V, part.Form)
	case part.Span != nil:
		return p.span(part.Span)
	case part.To != nil:
		return p.fn.Names.Label(part.To)
	case part.Open != nil:
		return p.open(part.Open)
	}
	return part.Text
}

// open spells text that is determined last.
func (p *printer) open(o ir.Open) string {
	switch o := o.(type) {
	case ir.OwnName:
		return p.own(o)
	case ir.ConstantName:
		return p.fn.Names.Object(o.Obj)
	case ir.ConstantValue:
		return p.constantValue(o.Of, o.At)
	case ir.Imported:
		return p.path(o.Path, o.Preferred)
	case ir.Predeclared:
		return p.predeclaredName(string(o))
	case ir.TypeName:
		if o.At == nil {
			return p.typ(o.Type, p.fn.Source.Decl.Name)
		}
		return p.typ(o.Type, o.At)
	case ir.TypeOfVariable:
		return p.typeOf(o.V)
	case ir.Nesting:
		n := p.fn.Names
		return fmt.Sprintf("&%s.Frame, %s, %d", n.Recv, p.mention(o.Point.Held, ir.AsAddress), o.Point.Number)
	case ir.EntryName:
		if o.Point.Keeps {
			return o.Name + source.SoonSuffix
		}
		return o.Name
	case ir.FrameOf:
		return p.fn.Frames[o.Lit]
	case ir.TypeArgs:
		return p.typeArgs(o)
	case ir.IfNamed:
		if _, ok := p.witnessOf(o.Type); ok {
			return p.rope(o.Unnamed)
		}
		return p.rope(o.Named)
	case ir.WitnessOf:
		name, _ := p.witnessOf(o.Type)
		return name
	}
	panic(fmt.Sprintf("emit: unknown text %T", o))
}

func (p *printer) own(name ir.OwnName) string {
	n := p.fn.Names
	switch name {
	case ir.OwnFrame:
		return n.Recv
	case ir.OwnLoops:
		return n.Recv + "." + n.Loops
	case ir.OwnDefers:
		return n.Recv + "." + n.Defers
	case ir.OwnPanicking:
		return n.Panicking
	case ir.OwnCallee:
		return n.Callee
	}
	return n.Run
}

func (p *printer) typeArgs(o ir.TypeArgs) string {
	var args []string
	for _, t := range o.List {
		if p.fn.Imports.IsOpen(t) {
			return ""
		}
		args = append(args, p.typ(t, o.At))
	}
	return "[" + strings.Join(args, ", ") + "]"
}

// mention spells a variable.
func (p *printer) mention(v *ir.Variable, as ir.Form) string {
	name := v.Local
	if as < ir.AsBorrowed {
		name = p.location(v)
		if v.Place == ir.InFrame && v.Unnamed {
			name = p.framePointer(v)
		}
	}
	switch as {
	case ir.AsOperand, ir.AsBorrowedOperand, ir.AsPointer:
		return name
	case ir.AsAddress, ir.AsBorrowedAddress:
		if v.Cell {
			return name
		}
		return "&" + name
	}
	if v.Cell {
		return "(*" + name + ")"
	}
	return name
}

// assignee spells a variable as the left-hand side of a statement.
func (p *printer) assignee(v *ir.Variable) string {
	if v.Cell {
		return "*" + p.mention(v, ir.AsPointer)
	}
	return p.mention(v, ir.AsValue)
}

// span returns the text of a node with its edits applied.
func (p *printer) span(s *ir.Span) string {
	var b strings.Builder
	if s.Label != "" {
		b.WriteString(s.Label + ":\n")
	}
	from, drifted := s.Node.Pos(), false
	for _, e := range s.Edit {
		before := p.fn.sourceWithLines(s.Node, from, e.Pos)
		if e.Code != nil {
			before = strings.TrimRight(before, " \t")
		}
		if drifted {
			before, drifted = p.inNextLine(before, from)
		}
		b.WriteString(before)
		with := p.rope(e.With)
		b.WriteString(with)
		drifted = drifted || strings.Count(with, "\n") != strings.Count(p.fn.Source.Text(e.Pos, e.End), "\n")
		if e.Code != nil {
			b.WriteString(p.lines(e))
			b.WriteString(p.resume(e.End))
		}
		from = e.End
	}
	after := p.fn.sourceWithLines(s.Node, from, s.Node.End())
	if drifted {
		after, _ = p.inNextLine(after, from)
	}
	b.WriteString(after)
	return p.continues(b.String())
}

// inNextLine returns the text of the source from a position on, with a directive before its second
// line, since what precedes it has more or fewer lines than the source. drifted reports that there
// is no place for one: the text has one line, or the second is in a string.
func (p *printer) inNextLine(text string, from token.Pos) (directed string, drifted bool) {
	first, rest, more := strings.Cut(text, "\n")
	if !more || strings.Count(first, "`")%2 == 1 || strings.HasPrefix(strings.TrimSpace(rest), inSource) {
		return text, true
	}
	return fmt.Sprintf("%s\n%s%d\n%s", first, inSource, p.fn.Source.Line(from)+1, rest), false
}

// lines returns the instructions that replace a statement.
func (p *printer) lines(e ir.Edit) string {
	sub := &printer{fn: p.fn, pos: p.fn.Source.Line(e.Pos), inside: true}
	sub.begin(e.Pos)
	for n := 0; n < len(e.Code); {
		n += sub.next(e.Code[n:])
	}
	text := strings.TrimSpace(sub.String())
	if strings.HasPrefix(text, "//line ") && !p.fn.Source.OpensLine(e.Pos) {
		return "\n" + text
	}
	return text
}

// predeclaredName returns a predeclared name that generated code needs. If a variable of the
// function hides it, the variable has another name where it has moved; inside of kept statements,
// only true is needed, to return. Boolean values can be written without their names.
func (p *printer) predeclaredName(name string) string {
	hidden := p.fn.Source.Package.Names[name] || p.fn.Names.IsTypeParam(name)
	switch {
	case name == "true" && (hidden || p.fn.Names.Hides(name)):
		return "0 == 0"
	case name == "false" && hidden:
		return "0 != 0"
	case !hidden:
		return name
	}
	spelled, ok := p.fn.Imports.PredeclaredName(name)
	if !ok {
		p.fn.refuse(hiddenName(p.fn.Source.Extent(p.fn.Source.Decl.Name), name))
	}
	return spelled
}

// newValue returns an expression for a pointer to a new zero value of a type.
func (p *printer) newValue(spelled string) string {
	if p.fn.Source.Package.Names["new"] || p.fn.Names.Hides("new") {
		return p.gentype("NewOf") + "[" + spelled + "]()"
	}
	return "new(" + spelled + ")"
}

// constantValue returns an expression for the value of c, of the same type; untyped
// constants keep their kind.
func (p *printer) constantValue(c *types.Const, pos ast.Node) string {
	basic, ok := c.Type().(*types.Basic)
	if !ok || basic.Info()&types.IsUntyped == 0 {
		return "(" + p.typ(c.Type(), pos) + ")(" + literalOf(c.Val(), c.Type().Underlying().(*types.Basic)) + ")"
	}
	return literalOf(c.Val(), basic)
}

func literalOf(v constant.Value, basic *types.Basic) string {
	switch info := basic.Info(); {
	case info&types.IsComplex != 0:
		return "(" + fraction(constant.Real(v)) + " + " + fraction(constant.Imag(v)) + "*1i)"
	case info&types.IsFloat != 0:
		return fraction(constant.ToFloat(v))
	case basic.Kind() == types.UntypedRune:
		return "('\\x00' + " + v.ExactString() + ")"
	case info&types.IsInteger != 0:
		return constant.ToInt(v).ExactString()
	}
	return v.ExactString()
}

// fraction returns an untyped float constant with exactly the value of v.
func fraction(v constant.Value) string {
	if f, ok := constant.Val(v).(*big.Float); ok {
		return f.Text('p', 0)
	}
	return fmt.Sprintf("(%s.0/%s)", constant.Num(v).ExactString(), constant.Denom(v).ExactString())
}
