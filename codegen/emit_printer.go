package codegen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// printer writes the body of MoveNext. It is not particular about layout: the
// file is formatted as a whole.
type printer struct {
	strings.Builder
	u  *unit
	at int // the line of the source that is being printed

	between bool // between a callee's suspension and what follows its call
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// The names that the lowering leaves to the printer.
var (
	taskName         = late(func(p *printer) string { return p.u.names.task })
	frameName        = late(func(p *printer) string { return p.u.names.recv })
	loopsName        = late(func(p *printer) string { return p.u.names.recv + "." + p.u.names.loops })
	statemachineName = late(func(p *printer) string { return p.path(source.StatemachinePath, "statemachine") })
	jobName          = late(func(p *printer) string { return p.path(source.JobPath, "job") })
	lenName          = late(func(p *printer) string { return p.predeclared("len") })
)

func (p *printer) path(path, preferred string) string { return p.u.imports.Path(path, preferred) }

func (p *printer) runtime(name string) string {
	return p.path(source.StatemachinePath, "statemachine") + "." + name
}

// typ spells a type that something at node has.
func (p *printer) typ(t types.Type, node ast.Node) string {
	s, err := p.u.imports.TypeString(t)
	if err != nil {
		p.u.refuse(unnameableType(p.u.at(node), err))
	}
	return s
}

// typeOf spells the type of a variable.
func (p *printer) typeOf(v *variable) string {
	if v.typeText != nil {
		s, err := v.typeText()
		if err != nil {
			p.u.refuse(unnameableType(p.u.at(p.u.fn.Decl.Name), err))
		}
		return s
	}
	s, err := p.u.imports.TypeString(v.typ)
	if err != nil {
		p.u.refuse(unnameableType(p.u.atVariable(v), err))
	}
	return s
}

// zeroOf is an expression for the zero value of t.
func (p *printer) zeroOf(t types.Type, spelled string) string {
	if t == nil { // of the lowering's own
		return p.predeclared("nil")
	}
	if isTypeParam(t) {
		return "*" + p.newValue(spelled)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return p.predeclared("false")
		case u.Info()&types.IsNumeric != 0:
			return "0"
		case u.Info()&types.IsString != 0:
			return `""`
		}
	case *types.Struct, *types.Array:
		return spelled + "{}"
	}
	return p.predeclared("nil")
}

func (p *printer) rope(r rope) string {
	var b strings.Builder
	for _, part := range r {
		b.WriteString(p.piece(part))
	}
	return b.String()
}

func (p *printer) piece(part piece) string {
	switch {
	case part.v != nil:
		return p.mention(part.v, part.form)
	case part.span != nil:
		return p.span(part.span)
	case part.to != nil:
		return p.u.names.label(part.to)
	case part.late != nil:
		return part.late(p)
	}
	return part.text
}

// mention spells a variable.
func (p *printer) mention(v *variable, as form) string {
	name := v.local
	if v.place == inFrame && as < borrowed {
		name = p.home(v)
		if v.unnamed {
			name = p.kept(v)
		}
	}
	switch as {
	case operand, borrowedOperand, pointer:
		return name
	case address, borrowedAddress:
		if v.cell {
			return name
		}
		return "&" + name
	}
	if v.cell {
		return "(*" + name + ")"
	}
	return name
}

// place spells a variable as the left-hand side of a statement.
func (p *printer) left(v *variable) string {
	if v.cell {
		return "*" + p.mention(v, pointer)
	}
	return p.mention(v, value)
}

// span is the text of a node with its edits made.
func (p *printer) span(s *span) string {
	var b strings.Builder
	if s.label != "" {
		b.WriteString(s.label + ":\n")
	}
	from := s.node.Pos()
	for _, e := range s.edit {
		before := p.u.lined(s.node, from, e.pos)
		if e.code != nil {
			before = strings.TrimRight(before, " \t")
		}
		b.WriteString(before)
		b.WriteString(p.rope(e.with))
		if e.code != nil {
			b.WriteString(p.lines(e))
			b.WriteString(p.resume(e.end))
		}
		from = e.end
	}
	b.WriteString(p.u.lined(s.node, from, s.node.End()))
	return p.continues(b.String())
}

// lines are instructions in the place of a statement.
func (p *printer) lines(e edit) string {
	sub := &printer{u: p.u, at: p.u.line(e.pos)}
	for _, i := range e.code {
		sub.instr(i)
	}
	text := strings.TrimSpace(sub.String())
	if strings.HasPrefix(text, inSource) && !p.u.opensLine(e.pos) {
		return "\n" + text
	}
	return text
}

// with is s with one edit more.
func (s *span) with(e edit) *span {
	edits := append(slices.Clone(s.edit), e)
	slices.SortStableFunc(edits, func(a, b edit) int { return int(a.pos - b.pos) })
	return &span{node: s.node, edit: edits}
}

// source is the text between two positions.
func (u *unit) source(from, to token.Pos) string {
	file := u.fn.Package.Fset.File(from)
	return string(u.fn.File.Source[file.Offset(from):file.Offset(to)])
}
