package codegen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// Lines of the source.
//
// The text printed for a statement of the source carries the statement's line, in a
// directive of the compiler. So stacks, runtime.Caller and profiles show the same as
// for the plain form:
//
//	//line example.com/shop/main.go:17
//	f.fetch1, f.x, f.err = fetchEnter(t, f.ctx, f.a)
//	//line example.com/shop/main.go:17
//	if f.fetch1 == nil {
//
// The compiler counts on from there, so each line that the lowering made up says its
// line again. The code around the statements belongs to the generated file. A directive
// for that code needs its own line number, which is known only once the file has been
// formatted; until then a placeholder holds its place (elsewhere). Redundant
// directives, which say what the compiler counts anyway, are removed at the same time.
//
// The release form is committed, and must be the same on all computers. It names files
// as -trimpath does. A relative name would do for the go command, but a stack would not
// say in which folder the file is; and a debugger does not tell shop/main.go from
// cart/main.go. The debug form belongs to the computer where it was made, and names
// files by absolute paths, as the compiler names the source there: breakpoints by any
// name of the file are found (docs/decisions/0013-lines-of-the-source.md).

// The placeholders of directives until the file is formatted.
const (
	inSource  = "//line movenext_source:"     // and a number
	elsewhere = "//line movenext_elsewhere:1" // back to the generated file
)

// stand is the instruction that says to which line of the source the next ones belong.
type stand struct {
	straight
	pos token.Pos
}

func (*stand) refs(_, _ func(*variable)) {}
func (*stand) print(*printer)            {}

// atLine notes where a statement begins.
func (u *unit) atLine(s ast.Stmt) {
	u.add(&stand{pos: s.Pos()})
}

func (u *unit) line(pos token.Pos) int { return u.fn.Package.Position(pos).Line }

// placeForDebugging moves all variables of the source to the frame whose types can be
// named there.
func (u *unit) placeForDebugging() {
	if !u.debug {
		return
	}
	for _, v := range u.all {
		if v.obj == nil {
			continue
		}
		if _, err := u.imports.TypeString(v.typ); err == nil {
			v.place = inFrame
		}
	}
}

// instr prints an instruction with its lines.
func (p *printer) instr(i instr) {
	if s, ok := i.(*stand); ok {
		p.at = p.u.line(s.pos)
		if p.u.records {
			p.directive(p.at)
			p.record("Line", p.at)
		}
		return
	}
	sub := &printer{u: p.u, at: p.at}
	i.print(sub)
	if node := sourceOf(i); node != nil {
		p.at = p.u.line(node.Pos())
	}
	_, label := i.(*mark)
	told := false // the compiler knows which line the next one is
	for line := range strings.Lines(sub.String()) {
		text := strings.TrimSpace(line)
		made := text == "}" || strings.HasPrefix(text, "//") || strings.HasSuffix(text, ":") && (!label || !p.u.debug)
		switch {
		case told || made:
		case p.resuming(i) || !p.u.debug && p.u.idle(i, text):
			p.endOfSource()
		default:
			p.directive(p.at)
		}
		told = strings.HasPrefix(text, "//line ") || strings.HasSuffix(line, continued)
		p.WriteString(unmarked(line))
	}
}

// resuming reports whether an instruction of the debug form gets the results of a
// callee that had suspended. That belongs to the generated file: a debugger sets the
// breakpoint of a line at the first of its instructions in memory. That must be the
// call: the other instruction does not run if the callee does not suspend.
func (p *printer) resuming(i instr) bool {
	if m, ok := i.(*mark); ok && p.u.debug {
		for _, pt := range p.u.parks() {
			if pt.resumed != nil && m.label == pt.resume {
				p.between = true
			}
			if m.label == pt.resumed {
				p.between = false
				return true
			}
		}
	}
	return p.between
}

// idle reports whether a line of an instruction neither calls anything nor panics: no
// stack shows where it is, so that of the release form belongs to the generated file,
// which needs fewer directives. A return makes deferred calls.
func (u *unit) idle(i instr, line string) bool {
	switch i.(type) {
	case *park, *jump:
	case *finish:
		if u.defers || u.loops {
			return false
		}
	default:
		return false
	}
	return !strings.Contains(line, "(")
}

// atDeclaration prints a function around the machine, after its head. In the debug form
// all of its lines are that of the source's declaration, so steps out of the machine
// stay in the source.
func (e *emitter) atDeclaration(body func()) {
	if !e.u.debug {
		body()
		e.line("}")
		return
	}
	around := e.printer
	e.printer = &printer{u: e.u}
	body()
	text := e.String()
	e.printer = around
	for line := range strings.Lines(text + "}\n") {
		e.directive(e.u.line(e.u.node.Pos()))
		e.WriteString(line)
	}
	e.endOfSource()
}

// continued ends a line of the source whose next line is that of the source, too.
const continued = "\x00\n"

// unmarked is text without the marks of continued.
func unmarked(text string) string { return strings.ReplaceAll(text, continued, "\n") }

// continues marks the ends of lines in the text of a node.
func (p *printer) continues(text string) string {
	return strings.ReplaceAll(unmarked(text), "\n", continued)
}

// sourceOf is the node of the source that an instruction consists of, or nil.
func sourceOf(i instr) ast.Node {
	switch i := i.(type) {
	case *keep:
		return i.text.node
	case *assign:
		if i.whole != nil {
			return i.whole.node
		}
		return i.src.node()
	case *deferral:
		return i.node
	case *dispatch:
		return i.head.node()
	case *branch:
		if len(i.cond) == 1 && i.cond[0].span != nil {
			return i.cond[0].span.node
		}
	}
	return nil
}

// node is the first node of the source in a rope, or nil.
func (r rope) node() ast.Node {
	for _, part := range r {
		if part.span != nil {
			return part.span.node
		}
	}
	return nil
}

// lineOf prints the directive for a node of the source.
func (p *printer) lineOf(node ast.Node) {
	p.directive(p.u.line(node.Pos()))
}

func (p *printer) directive(line int) {
	p.line("%s%d", inSource, line)
}

// resume is the directive after instructions in the middle of a statement of the
// source, where its line ends with them.
func (p *printer) resume(end token.Pos) string {
	rest, _, _ := bytes.Cut(p.u.fn.File.Source[p.u.offset(end):], []byte("\n"))
	if len(bytes.TrimSpace(rest)) > 0 {
		return "" // a file that is formatted has a comment there
	}
	return fmt.Sprintf("\n%s%d", inSource, p.u.line(end)+1)
}

// lined is the source between two positions in a node. Where go/format will move
// statements to other lines, those that open a line say which it was.
func (u *unit) lined(node ast.Node, from, to token.Pos) string {
	var b strings.Builder
	if u.fn.File.Ragged {
		ast.Inspect(node, func(n ast.Node) bool {
			s, ok := n.(ast.Stmt)
			if !ok || s.Pos() >= to || !u.opensLine(s.Pos()) {
				return true
			}
			line := u.line(s.Pos())
			if start := u.fn.Package.Fset.File(s.Pos()).LineStart(line); start >= from {
				fmt.Fprintf(&b, "%s%s%d\n", u.source(from, start), inSource, line)
				from = start
			}
			return true
		})
	}
	b.WriteString(u.source(from, to))
	return b.String()
}

// opensLine reports whether nothing precedes pos in its line of the source.
func (u *unit) opensLine(pos token.Pos) bool {
	before := u.fn.File.Source[:u.offset(pos)]
	return len(bytes.TrimSpace(before[bytes.LastIndexByte(before, '\n')+1:])) == 0
}

func (u *unit) offset(pos token.Pos) int { return u.fn.Package.Fset.File(pos).Offset(pos) }

// endOfSource leads back to the generated file.
func (p *printer) endOfSource() {
	p.line("%s", elsewhere)
}
