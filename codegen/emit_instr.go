package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

func (i *keep) print(p *printer) { p.line("%s", p.span(&i.text)) }
func (i *do) print(p *printer)   { p.line("%s", p.rope(i.line)) }
func (i *jump) print(p *printer) { p.line("goto %s", p.u.names.label(i.to)) }
func (i *mark) print(p *printer) { p.line("%s:", p.u.names.label(i.label)) }

func (i *finish) print(p *printer) {
	p.record("Finish")
	p.line("%s.State = %s", p.u.names.recv, p.runtime("Finished"))
	results := p.predeclared("true")
	for _, v := range p.u.returned() {
		results += ", " + v.local
	}
	p.line("return %s", results)
}

func (i *note) print(p *printer) {
	if p.u.debug {
		return
	}
	pos := p.u.fn.Package.Position(i.pos)
	// Not in the first column, where go/format would take it for documentation, and set
	// it off from the directive below.
	p.line("\t// %s:%d: %s", baseName(pos.Filename), pos.Line, p.u.sourceLine(i.pos))
}

func baseName(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i >= 0 {
		return path[i+1:]
	}
	return path
}

// print writes an assignment. What it declares may have to live elsewhere, and
// some of its targets may turn out to be of no use.
func (i *assign) print(p *printer) {
	for _, t := range i.dst {
		if t.declares && t.v.cell {
			p.line("%s = %s", p.home(t.v), p.newOf(t.v))
		}
	}
	src := p.rope(i.src)
	if i.inPlace(p, src) {
		return
	}
	if i.whole != nil && i.fitsWhole() {
		whole := i.prefix() + p.span(i.whole)
		if i.prefix() != "" && !i.declaresHere() {
			whole = "{\n" + whole + "\n}" // a blank variable: jumps may lead over it
		}
		p.line("%s", whole)
		return
	}
	if len(i.dst) == 0 {
		p.line("%s", src)
		return
	}
	op := "="
	if i.declaresHere() {
		switch {
		case i.typed && len(i.dst) == 1 && !i.dst[0].v.unnamed:
			p.line("var %s %s = %s", i.dst[0].v.local, p.typeOf(i.dst[0].v), src)
			return
		case !i.typed && i.onlyNew():
			op = ":="
		default:
			for _, t := range i.dst {
				if t.begins() {
					p.declare(t.v)
				}
			}
		}
	} else if t := i.dst[0]; len(i.dst) == 1 && t.idle() {
		p.discard(src, t.v, i.typed)
		return
	}
	p.line("%s %s %s", i.lefts(p), op, src)
}

// inPlace reports whether the value is in the field of its target already.
func (i *assign) inPlace(p *printer, src string) bool {
	return len(i.dst) == 1 && i.dst[0].v != nil && i.dst[0].v.slot.isShared() && p.left(i.dst[0].v) == src
}

func (i *assign) lefts(p *printer) string {
	var list []string
	for _, t := range i.dst {
		switch {
		case t.idle() || t.v == nil && t.place == nil:
			list = append(list, "_")
		case t.v == nil:
			list = append(list, p.rope(t.place))
		default:
			list = append(list, p.left(t.v))
		}
	}
	return strings.Join(list, ", ")
}

// idle reports whether the target is a variable that is never read. A parameter that is
// never read has no field, though it counts as one of the frame.
func (t dest) idle() bool {
	return t.v != nil && t.v.reads == 0 && !t.v.cell && !t.v.result && (t.v.place != inFrame || t.v.param)
}

// discard prints the evaluation of an unused value. A constant may need the type of its
// variable; nil has no type of its own, and nothing to evaluate.
func (p *printer) discard(src string, v *variable, typed bool) {
	wide := v.typ != nil && typeset.Perhaps(v.typ, isWide)
	switch {
	case src == "nil":
	case typed && v.unnamed:
		p.line("*%s = %s", p.newOf(v), src)
	case typed || wide:
		// In a block, for no jump may lead over a declaration.
		p.line("{\nvar _ %s = %s\n}", p.typeOf(v), src)
	default:
		p.line("_ = %s", src)
	}
}

// isWide reports whether there are constants of a type that are too large for an int.
func isWide(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && (b.Info()&(types.IsFloat|types.IsComplex) != 0 || slices.Contains([]types.BasicKind{types.Int64, types.Uint, types.Uint64, types.Uintptr}, b.Kind()))
}

// begins reports whether the variable has to be declared here.
func (t dest) begins() bool { return t.declares && t.v.place == inBlock && !t.idle() }

func (i *assign) declaresHere() bool {
	for _, t := range i.dst {
		if t.begins() {
			return true
		}
	}
	return false
}

// onlyNew reports whether := would declare all targets.
func (i *assign) onlyNew() bool {
	for _, t := range i.dst {
		if t.place != nil || t.v != nil && !t.begins() && !t.idle() {
			return false
		}
	}
	return true
}

// fitsWhole reports whether the statement can be printed as the source has it.
func (i *assign) fitsWhole() bool {
	declares := false
	for _, t := range i.dst {
		declares = declares || t.declares
		if t.idle() || t.declares && t.v.place != inBlock {
			return false
		}
	}
	if !declares {
		return true
	}
	for _, t := range i.dst {
		// With :=, a variable that exists already must be of the same block.
		if t.v != nil && t.v.place != inBlock {
			return false
		}
	}
	return true
}

// prefix completes the specification of a variable to its declaration.
func (i *assign) prefix() string {
	if _, ok := i.whole.node.(*ast.ValueSpec); ok {
		return "var "
	}
	return ""
}

func (i *zero) print(p *printer) {
	fits := i.whole != nil
	for _, v := range i.vars {
		fits = fits && v.place == inBlock && v.reads > 0
	}
	if fits {
		p.line("var %s", p.span(i.whole))
		return
	}
	for _, v := range i.vars {
		switch {
		case v.cell:
			p.line("%s = %s", p.home(v), p.newOf(v))
		case v.reads == 0 && v.place != inFrame:
		case v.place == inBlock:
			p.declare(v)
		case i.loop || v.slot.isShared():
			p.line("%s = %s", p.mention(v, value), p.zeroOf(v.typ, p.typeOf(v)))
		}
	}
}

func (i *renew) print(p *printer) {
	if !i.v.cell {
		return
	}
	p.line("{\n%[1]s := *%[2]s\n%[3]s = &%[1]s\n}", p.u.names.renewed, p.mention(i.v, pointer), p.home(i.v))
}

func (i *branch) print(p *printer) {
	p.line("if %s {\ngoto %s\n}", i.condition(p), p.u.names.label(i.to))
}

func (i *branch) condition(p *printer) string {
	var cond string
	e, op, turned := i.expr.opposite()
	switch {
	case !i.not:
		cond = p.rope(i.cond)
	case turned:
		at := edit{pos: e.OpPos, end: e.OpPos + token.Pos(len(e.Op.String())), with: rope{text(op.String())}}
		cond = p.span(i.cond[0].span.with(at))
	default:
		cond = p.rope(i.cond)
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

func (d *dispatch) print(p *printer) {
	p.line("%s {", p.rope(d.head))
	for _, c := range d.clauses {
		if node := c.head.node(); node != nil {
			p.lineOf(node)
		}
		p.line("%s:", p.rope(c.head))
		for _, i := range c.code {
			i.print(p)
		}
		if c.to != nil {
			p.line("goto %s", p.u.names.label(c.to))
		}
		for _, s := range c.body {
			p.lineOf(s.node)
			p.line("%s", p.span(s))
		}
	}
	p.line("}")
}

// print: the awaiter, or a job that has failed in the place of none.
func (i *obtain) print(p *printer) {
	held := p.mention(i.p.held, value)
	src := p.rope(i.src)
	if i.p.held.unnamed {
		p.line("%s = %s(%s)", held, p.runtime("AwaiterOf"), src)
		return
	}
	elem := p.typ(i.result, i.at)
	name := p.u.names.renewed
	p.line("if %s := %s.Awaitable[%s](%s); %s != nil {\n%s = %s.GetAwaiter()\n}",
		name, p.path(source.AwaiterPath, "awaiter"), elem, src, name, held, name)
	p.line("if %s == nil {\n%s = %s.FromError[%s](%s.ErrNilAwaitable)\n}",
		held, held, p.path(source.JobPath, "job"), elem, p.path(source.AwaiterPath, "awaiter"))
}
