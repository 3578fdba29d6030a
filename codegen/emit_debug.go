package codegen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"
)

// The debug form.
//
// It is for people who step through a machine, and for stacks: what is printed for a
// statement of the source carries the statement's line, in a directive of the compiler,
//
//	//line /src/shop/main.go:17
//	f.fetch1, f.x, f.err = fetchEnter(t, f.ctx, f.a)
//	//line /src/shop/main.go:17
//	if f.fetch1 == nil {
//
// and each line that the lowering made up repeats it, since the compiler counts on. The comments
// of the release form, which show the line, are left out. What stands
// around the statements belongs to the generated file. A directive for that has to
// know its own line, which is known only when the file has been formatted; so a
// place is held for it (elsewhere) until then.
//
// The directives name files absolutely, as the compiler names the source itself. It leaves a
// relative name as it is, and a debugger then knows two files: a breakpoint in main.go is
// ambiguous, and one in the source's full name misses the machine. So this form is of the machine
// where it was made; it is not for committing (docs/decisions/0013-lines-of-the-source.md).

// elsewhere holds the place of a directive that leads back to the generated file.
const elsewhere = "//line movenext_elsewhere:1"

// stand is the instruction that says to which line of the source the next ones belong.
type stand struct {
	straight
	pos token.Pos
}

func (*stand) refs(_, _ func(*variable)) {}
func (*stand) print(*printer)            {}

// atLine notes where a statement begins.
func (u *unit) atLine(s ast.Stmt) {
	if u.debug {
		u.add(&stand{pos: s.Pos()})
	}
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

// instr prints an instruction, in debug form with its lines.
func (p *printer) instr(i instr) {
	if s, ok := i.(*stand); ok {
		p.at = p.u.line(s.pos)
		if p.u.records {
			p.directive(p.at)
			p.record("Line", p.at)
		}
		return
	}
	if !p.u.debug {
		i.print(p)
		return
	}
	sub := &printer{u: p.u, at: p.at}
	i.print(sub)
	if node := sourceOf(i); node != nil {
		p.at = p.u.line(node.Pos())
	}
	told := false // the compiler knows which line the next one is
	for line := range strings.Lines(sub.String()) {
		text := strings.TrimSpace(line)
		made := text == "}" || strings.HasPrefix(text, "//") || strings.HasSuffix(text, ":")
		if !told && !made {
			p.directive(p.at)
		}
		told = strings.HasPrefix(text, "//line ") || strings.HasSuffix(line, continued)
		p.WriteString(strings.ReplaceAll(line, continued, "\n"))
	}
}

// continued ends a line of the source whose next line is that of the source, too.
const continued = "\x00\n"

// continues marks the ends of lines in the text of a node.
func (p *printer) continues(text string) string {
	if !p.u.debug {
		return text
	}
	return strings.ReplaceAll(text, "\n", continued)
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
		for _, part := range i.src {
			if part.span != nil {
				return part.span.node
			}
		}
	case *deferral:
		return i.node
	case *dispatch:
		for _, part := range i.head {
			if part.span != nil {
				return part.span.node
			}
		}
	case *branch:
		if len(i.cond) == 1 && i.cond[0].span != nil {
			return i.cond[0].span.node
		}
	}
	return nil
}

// lineOf prints the directive for a node of the source.
func (p *printer) lineOf(node ast.Node) {
	if p.u.debug {
		p.directive(p.u.line(node.Pos()))
	}
}

func (p *printer) directive(line int) {
	p.line("//line %s:%d", filepath.ToSlash(p.u.fn.File.Path), line)
}

// resume is the directive behind instructions in the middle of a statement of the source, where
// its line ends with them.
func (p *printer) resume(end token.Pos) string {
	if !p.u.debug {
		return ""
	}
	file := p.u.fn.Package.Fset.File(end)
	rest, _, _ := bytes.Cut(p.u.fn.File.Source[file.Offset(end):], []byte("\n"))
	if len(bytes.TrimSpace(rest)) > 0 {
		return ""
	}
	return fmt.Sprintf("\n//line %s:%d", filepath.ToSlash(p.u.fn.File.Path), p.u.line(end)+1)
}

// endOfSource leads back to the generated file.
func (p *printer) endOfSource() {
	if p.u.debug {
		p.line("%s", elsewhere)
	}
}

// ownLines replaces the places that are held in a formatted file by directives that give each
// next line its number in the file.
func ownLines(data []byte, path string) []byte {
	if !bytes.Contains(data, []byte(elsewhere)) {
		return data
	}
	path = filepath.ToSlash(path)
	lines := bytes.SplitAfter(data, []byte("\n"))
	for n, line := range lines {
		if bytes.Equal(bytes.TrimSpace(line), []byte(elsewhere)) {
			lines[n] = fmt.Appendf(nil, "//line %s:%d\n", path, n+2)
		}
	}
	return bytes.Join(lines, nil)
}
