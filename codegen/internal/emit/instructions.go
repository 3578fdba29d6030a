package emit

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// print prints an instruction.
func (p *printer) print(i ir.Instr) {
	switch i := i.(type) {
	case *ir.Keep:
		p.line("%s", p.span(&i.Text))
	case *ir.Synthetic:
		p.line("%s", p.rope(i.Line))
	case *ir.Jump:
		p.line("goto %s", p.fn.Names.Label(i.To))
	case *ir.Mark:
		p.line("%s:", p.fn.Names.Label(i.Label))
	case *ir.Assign:
		p.assign(i)
	case *ir.Zero:
		p.zero(i)
	case *ir.Renew:
		p.renew(i)
	case *ir.Branch:
		p.line("if %s {\ngoto %s\n}", p.condition(i), p.fn.Names.Label(i.To))
	case *ir.Dispatch:
		p.dispatch(i)
	case *ir.Obtain:
		p.obtain(i)
	case *ir.Deferral:
		p.deferral(i)
	case *ir.Park:
		p.park(i.Point)
	case *ir.Finish:
		p.finish(i)
	case *ir.LineComment:
		p.lineComment(i.Pos)
	case *ir.Handler, *ir.SourceLine:
	default:
		panic(fmt.Sprintf("emit: unknown instruction %T", i))
	}
}

// finish ends the machine. The results have been assigned.
func (p *printer) finish(i *ir.Finish) {
	p.record("Finish")
	p.publish(i)
	p.setFinished()
	results := p.predeclaredName("true")
	for _, v := range p.fn.passedResults() {
		results += ", " + v.Local
	}
	p.line("return %s", results)
}

// setFinished prints the assignment of the last state, if the function has not had it since it
// began.
func (p *printer) setFinished() {
	if !p.fn.endsUnnoticed() {
		p.line("%s.State = %s", p.fn.Names.Recv, p.runtime("Finished"))
	}
}

// publish prints the call that submits a chain which the run may keep.
func (p *printer) publish(i *ir.Finish) {
	if i.Publishes {
		p.line("%s.Publish()", p.fn.Names.Run)
	}
}

// returnedAtOnce returns the values of a return statement, if the instructions begin with an
// assignment of all results and then end the machine. The values contain no call, so that nothing
// runs between setting the state to finished and returning.
func (p *printer) returnedAtOnce(code []ir.Instr) (values string, ok bool) {
	if len(code) < 2 || p.fn.Records || p.fn.Defers || p.fn.Loops {
		return "", false
	}
	assign, ok := code[0].(*ir.Assign)
	if _, ends := code[1].(*ir.Finish); !ok || !ends || len(assign.Dst) == 0 || len(assign.Dst) != len(p.fn.Function.Results) {
		return "", false
	}
	for n, d := range assign.Dst {
		if d.V != p.fn.Function.Results[n] || !d.V.Passed {
			return "", false
		}
	}
	values = p.rope(assign.Src)
	return values, !strings.ContainsAny(values, "(\n") && !strings.Contains(values, "<-")
}

// returnAtOnce prints the end of the machine with the values of a return statement.
func (p *printer) returnAtOnce(assign ir.Instr, end *ir.Finish, values string) {
	if node := sourceOf(assign); node != nil {
		p.pos = p.fn.Source.Line(node.Pos())
	}
	p.leaveSource()
	p.publish(end)
	p.setFinished()
	p.directive(p.pos)
	p.line("return %s, %s%s", p.predeclaredName("true"), values, p.commentBehind(assign))
}

// lineComment prints a comment that shows a line of the source.
func (p *printer) lineComment(pos token.Pos) {
	if p.fn.Debug {
		return
	}
	position := p.fn.Source.Package.Read(pos)
	head := fmt.Sprintf("// %s:%d: ", baseName(position.Filename), position.Line)
	// Indented, since go/format would take a comment in the first column for documentation,
	// and set it off from the directive below.
	p.line("\t%s%s", head, p.fn.Source.ShownLine(pos, source.CommentWidth-len("\t…  …")-len(head)))
}

func baseName(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i >= 0 {
		return path[i+1:]
	}
	return path
}

// assign prints an assignment. A variable that it declares may have to live elsewhere, and some
// of its targets may turn out to be unused.
func (p *printer) assign(i *ir.Assign) {
	for _, t := range i.Dst {
		if t.Declares && t.V.Cell {
			p.line("%s = %s", p.location(t.V), p.newCell(t.V))
		}
	}
	src := p.rope(i.Src)
	if p.inPlace(i, src) {
		return
	}
	if i.Whole != nil && i.FitsWhole() {
		whole := i.Prefix() + p.span(i.Whole)
		if i.Prefix() != "" && !i.DeclaresHere() {
			whole = "{\n" + whole + "\n}" // a blank variable: jumps may lead over it
		}
		p.line("%s", whole)
		return
	}
	if len(i.Dst) == 0 {
		p.line("%s", src)
		return
	}
	op := "="
	if i.DeclaresHere() {
		switch {
		case i.Typed && len(i.Dst) == 1 && !i.Dst[0].V.Unnamed:
			p.line("var %s %s = %s", i.Dst[0].V.Local, p.typeOf(i.Dst[0].V), src)
			return
		case !i.Typed && i.OnlyNew():
			op = ":="
		default:
			for _, t := range i.Dst {
				if t.Begins() {
					p.declare(t.V)
				}
			}
		}
	} else if t := i.Dst[0]; len(i.Dst) == 1 && t.Idle() {
		p.discard(src, t.V, i.Typed)
		return
	}
	p.line("%s %s %s", p.lefts(i), op, src)
}

// inPlace reports whether the value is already in the field of its target.
func (p *printer) inPlace(i *ir.Assign, src string) bool {
	return len(i.Dst) == 1 && i.Dst[0].V != nil && i.Dst[0].V.Slot.IsShared() && p.assignee(i.Dst[0].V) == src
}

func (p *printer) lefts(i *ir.Assign) string {
	var list []string
	for _, t := range i.Dst {
		switch {
		case t.Idle() || t.V == nil && t.Place == nil:
			list = append(list, "_")
		case t.V == nil:
			list = append(list, p.rope(t.Place))
		default:
			list = append(list, p.assignee(t.V))
		}
	}
	return strings.Join(list, ", ")
}

// discard prints the evaluation of an unused value. A constant may need the type of its
// variable; nil has no type of its own, and needs no evaluation.
func (p *printer) discard(src string, v *ir.Variable, typed bool) {
	wide := v.Type != nil && typeset.Perhaps(v.Type, isWide)
	switch {
	case src == "nil":
	case typed && v.Unnamed:
		p.line("*%s = %s", p.newCell(v), src)
	case typed || wide:
		// In a block, because no jump may cross a declaration.
		p.line("{\nvar _ %s = %s\n}", p.typeOf(v), src)
	default:
		p.line("_ = %s", src)
	}
}

// isWide reports whether a type has constants that are too large for an int.
func isWide(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && (b.Info()&(types.IsFloat|types.IsComplex) != 0 || slices.Contains([]types.BasicKind{types.Int64, types.Uint, types.Uint64, types.Uintptr}, b.Kind()))
}

// zero prints the declaration of variables without values.
func (p *printer) zero(i *ir.Zero) {
	fits := i.Whole != nil
	for _, v := range i.Vars {
		fits = fits && v.Place == ir.InBlock && v.Reads > 0
	}
	if fits {
		p.line("var %s", p.span(i.Whole))
		return
	}
	for _, v := range i.Vars {
		switch {
		case v.Cell:
			p.line("%s = %s", p.location(v), p.newCell(v))
		case v.Reads == 0 && v.Place != ir.InFrame:
		case v.Place == ir.InBlock:
			p.declare(v)
		case i.Loop || v.Slot.IsShared():
			p.line("%s = %s", p.mention(v, ir.AsValue), p.zeroOf(v.Type, p.typeOf(v)))
		}
	}
}

// renew gives a loop variable a new cell, if it has one.
func (p *printer) renew(i *ir.Renew) {
	if !i.V.Cell {
		return
	}
	p.line("{\n%[1]s := *%[2]s\n%[3]s = &%[1]s\n}", p.fn.Names.Renewed, p.mention(i.V, ir.AsPointer), p.location(i.V))
}

// condition returns the condition under which a branch is taken.
func (p *printer) condition(i *ir.Branch) string {
	var cond string
	switch {
	case !i.Not:
		cond = p.rope(i.Cond)
	case i.Inverse != nil:
		cond = p.span(i.Cond[0].Span.With(*i.Inverse))
	default:
		cond = p.rope(i.Cond)
		if strings.ContainsAny(cond, " \t\n") {
			cond = "(" + cond + ")"
		}
		cond = "!" + cond
	}
	if strings.Contains(cond, "{") && !strings.HasPrefix(cond, "!(") {
		return "(" + cond + ")" // a literal's brace would be taken for the statement's
	}
	return cond
}

// dispatch prints a switch or select.
func (p *printer) dispatch(d *ir.Dispatch) {
	p.line("%s {", p.rope(d.Head))
	for _, c := range d.Clauses {
		if node := c.Head.Node(); node != nil {
			p.lineOf(node)
		}
		p.line("%s:", p.rope(c.Head))
		for _, i := range c.Code {
			p.print(i)
		}
		if c.To != nil {
			p.line("goto %s", p.fn.Names.Label(c.To))
		}
		for _, s := range c.Body {
			p.lineOf(s.Node)
			p.line("%s%s", p.span(s), p.commentAfter(s.Node))
		}
	}
	p.line("}")
}

// obtain gets the awaiter or, if there is none, a job that has failed.
func (p *printer) obtain(i *ir.Obtain) {
	held := p.mention(i.P.Held, ir.AsValue)
	src := p.rope(i.Src)
	if i.P.Held.Unnamed {
		p.line("%s = %s(%s)", held, p.runtime("AwaiterOf"), src)
		return
	}
	elem := p.typ(i.Result, i.At)
	name := p.fn.Names.Renewed
	p.line("if %s := %s.Awaitable[%s](%s); %s != nil {\n%s = %s.GetAwaiter()\n}",
		name, p.path(source.AwaiterPath, "awaiter"), elem, src, name, held, name)
	p.line("if %s == nil {\n%s = %s.FromError[%s](%s.ErrNilAwaitable)\n}",
		held, held, p.path(source.JobPath, "job"), elem, p.path(source.AwaiterPath, "awaiter"))
}

// Recording: in this debug form, machines report what they do to package statemachine/record,
// line by line. It is generated for one build of `movenext explain`, and never written next to
// the source.

// record prints a call that records a step, with the line or point that it concerns, if any.
func (p *printer) record(step string, about ...int) {
	if !p.fn.Records {
		return
	}
	n, args := p.fn.Names, p.fn.Names.Recv
	for _, number := range about {
		args += ", " + strconv.Itoa(number)
	}
	p.line("%s.%s.%s(%s)", n.Recv, n.Steps, step, args)
}

// recordBegin prints a call that records the start of MoveNext.
func (p *printer) recordBegin(state string) {
	if p.fn.Records {
		n := p.fn.Names
		p.line("%s.%s.Begin(%s, %q, %s)", n.Recv, n.Steps, n.Recv, p.fn.RuntimeName, state)
	}
}
