package emit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
)

// Lines of the source.
//
// The text printed for a statement of the source carries the statement's line, in a compiler
// directive. So stacks, runtime.Caller and profiles show the same lines as for the plain form:
//
//	//line example.com/shop/main.go:17
//	f.fetch1, f.x, f.err = fetchEnter(r, f.ctx, f.a)
//	//line example.com/shop/main.go:17
//	if f.fetch1 == nil {
//
// The compiler counts on from there, so each line that the lowering made up repeats its
// directive. The code around the statements belongs to the generated file. A directive for that
// code needs its own line number, which is known only once the file has been formatted; until
// then a placeholder is printed instead (elsewhere). Redundant directives, which agree with the
// compiler's count, are removed at the same time.
//
// In the release form, a line that neither calls nor panics may belong to the source or to the
// generated file (either), whichever needs no directive: no stack shows it. Braces, labels,
// declarations of locals and the jump of an if statement execute nothing of their own, and get no
// directive at all.
//
// The release form is committed, and must be the same on all computers. It names files as
// -trimpath does. A relative name would be enough for the go command, but a stack would not show
// the folder of the file; and a debugger could not tell shop/main.go from cart/main.go. The debug
// form belongs to the computer where it was made. It names files by absolute paths, as the
// compiler names the source there, so that debuggers find breakpoints by any name of the file
// (docs/decisions/0013-lines-of-the-source.md).

// The placeholders for directives until the file is formatted. With [Input].Traces, a number is
// followed by the number of lines with the text of the source from there on, and by the offsets of
// the statements of the source that begin there, each more by one, since no number may be zero.
const (
	inSource  = "//line movenext_source:"     // and a number
	elsewhere = "//line movenext_elsewhere:1" // back to the generated file
	either    = "//line movenext_either:"     // and a number: that line of the source, or the generated file
)

// next prints the first instruction, or the first two if they form one statement of the
// generated code. It returns the number of instructions printed.
func (p *printer) next(code []ir.Instr) int {
	if values, ok := p.returnedAtOnce(code); ok {
		p.returnAtOnce(code[0], code[1].(*ir.Finish), values)
		return 2
	}
	if p.awaitsAtOnce(code) {
		if node := sourceOf(code[0]); node != nil {
			p.pos = p.fn.Source.Line(node.Pos())
		}
		p.obtains = code[0].(*ir.Assign)
		p.instr(code[1])
		p.obtains = nil
		return 2
	}
	p.instr(code[0])
	return 1
}

// instr prints an instruction with its lines.
func (p *printer) instr(i ir.Instr) {
	if s, ok := i.(*ir.SourceLine); ok {
		p.pos = p.fn.Source.Line(s.Pos)
		p.begin(s.Pos)
		if p.fn.Records {
			p.directive(p.pos)
			p.record("Line", p.pos)
		}
		return
	}
	sub := &printer{fn: p.fn, pos: p.pos, inside: p.inside, obtains: p.obtains}
	sub.print(i)
	if node := sourceOf(i); node != nil {
		p.pos = p.fn.Source.Line(node.Pos())
	}
	behind := p.commentBehind(i)
	rest := sub.String()
	told := false // the compiler already knows the line of the next line
	for line := range strings.Lines(rest) {
		text := strings.TrimSpace(line)
		p.more = p.linesMore(rest)
		rest = rest[len(line):]
		switch {
		case told || p.fn.executesNothing(i, text):
		case p.resuming(i):
			p.endOfSource()
		case !p.fn.Debug && p.fn.idle(i, text):
			p.leaveSource()
		default:
			p.directive(p.pos)
		}
		told = strings.HasPrefix(text, "//line ") || strings.HasSuffix(line, continued)
		if p.fn.Traces && strings.HasPrefix(text, inSource) && strings.Count(text, ":") == 1 {
			line = fmt.Sprintf("%s:%d\n", strings.TrimSuffix(text, "\x00"), p.linesMore(rest)+1)
		}
		if rest == "" {
			line = strings.TrimSuffix(line, "\n") + behind + "\n"
		}
		p.WriteString(removeMarks(line))
	}
	p.more = 0
}

// linesMore returns the number of lines after the first one of a text in which the text of the
// source continues, if the places of lines are of interest.
func (p *printer) linesMore(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if !p.fn.Traces || !strings.HasSuffix(line, continued) {
			break
		}
		n++
	}
	return n
}

// commentBehind returns the comment behind the statement that ends with an instruction. A line
// that ends so is complete, so a comment that follows the operand of an assignment follows the
// whole statement.
func (p *printer) commentBehind(i ir.Instr) string {
	switch i := i.(type) {
	case *ir.Keep:
		return p.commentAfter(i.Text.Node)
	case *ir.Assign:
		if i.Whole != nil {
			return p.commentAfter(i.Whole.Node)
		}
		return p.commentAfter(i.Src.LastNode())
	case *ir.Zero:
		if i.Whole != nil {
			return p.commentAfter(i.Whole.Node)
		}
	}
	return ""
}

// commentAfter returns the comment that follows a node in its last line, with a blank before it,
// or "". Inside of a kept statement, the statement's own text has the comment; if a comment shows
// the line, that has it.
func (p *printer) commentAfter(node ast.Node) string {
	if node == nil || p.inside {
		return ""
	}
	comment := p.fn.Source.CommentBehind(node.End())
	if comment == "" || p.fn.shows(p.fn.Source.Line(node.End())) {
		return ""
	}
	return " " + comment
}

// shows reports whether a comment shows the line of the source.
func (fn *function) shows(line int) bool {
	if fn.shown == nil {
		fn.shown = map[int]bool{}
		for _, i := range fn.Code {
			if i, ok := i.(*ir.LineComment); ok {
				fn.shown[fn.Source.Line(i.Pos)] = true
			}
		}
	}
	return fn.shown[line]
}

// executesNothing reports whether a line of an instruction needs no position. In the debug form
// a debugger stops at labels and jumps, and asks where variables are declared.
func (fn *function) executesNothing(i ir.Instr, line string) bool {
	switch {
	case line == "{" || line == "}" || strings.HasPrefix(line, "//"):
		return true
	case strings.HasSuffix(line, ":") && !strings.Contains(line, "//"):
		_, label := i.(*ir.Mark)
		return !label || !fn.Debug
	case fn.Debug:
		return false
	case strings.HasPrefix(line, "goto "):
		// The condition and the jump are one instruction of the processor.
		_, branch := i.(*ir.Branch)
		return branch
	case strings.HasPrefix(line, "var "):
		return !strings.ContainsAny(line, "=(") && !declaresShared(i)
	}
	return false
}

// declaresShared reports whether an instruction may declare a variable that is allocated, at a
// line that a profile of the heap shows.
func declaresShared(i ir.Instr) bool {
	switch i := i.(type) {
	case *ir.Assign:
		return slices.ContainsFunc(i.Dst, func(d ir.Dest) bool { return d.V != nil && d.V.Shared() })
	case *ir.Zero:
		return slices.ContainsFunc(i.Vars, (*ir.Variable).Shared)
	}
	return true
}

// resuming reports whether an instruction of the debug form gets the results of a callee that
// had suspended. Such an instruction belongs to the generated file, not to the source line. A
// debugger sets a line's breakpoint at the line's first instruction in memory, which must be the
// call: the resuming instruction does not run if the callee does not suspend.
func (p *printer) resuming(i ir.Instr) bool {
	if m, ok := i.(*ir.Mark); ok && p.fn.Debug {
		for _, pt := range p.fn.Points() {
			if pt.Resumed != nil && m.Label == pt.Resume {
				p.between = true
			}
			if m.Label == pt.Resumed {
				p.between = false
				return true
			}
		}
	}
	return p.between
}

// idle reports whether a line of an instruction neither calls anything nor panics, so that no
// stack shows it. A return is not idle if it makes deferred calls.
func (fn *function) idle(i ir.Instr, line string) bool {
	switch i := i.(type) {
	case *ir.Park:
		if strings.HasPrefix(line, "return ") {
			return i.Point.Kind != source.KindSwitchTo // r.Await and r.Yield only record
		}
	case *ir.Jump:
	case *ir.Assign:
		if i.Quiet {
			return true
		}
		if !i.Forgets {
			return false
		}
	case *ir.Finish:
		if (fn.Defers || fn.Loops) && strings.HasPrefix(line, "return ") {
			return false
		}
	default:
		return false
	}
	return !strings.Contains(line, "(")
}

// atDeclaration prints a function around the machine, after its head. In the debug form all of
// its lines map to the line of the source's declaration, so that a step out of the machine stays
// in the source.
func (e *emitter) atDeclaration(body func()) {
	if !e.fn.Debug {
		body()
		e.line("}")
		return
	}
	around := e.printer
	e.printer = &printer{fn: e.fn}
	body()
	text := e.String()
	e.printer = around
	for line := range strings.Lines(text + "}\n") {
		e.directive(e.fn.Source.Line(e.fn.Node.Pos()))
		e.WriteString(line)
	}
	e.endOfSource()
}

// continued marks the end of a line that the next line of the source follows.
const continued = "\x00\n"

// removeMarks returns text without the continued marks.
func removeMarks(text string) string { return strings.ReplaceAll(text, continued, "\n") }

// continues marks the ends of lines in the text of a node.
func (p *printer) continues(text string) string {
	return strings.ReplaceAll(removeMarks(text), "\n", continued)
}

// sourceOf returns the node of the source that an instruction consists of, or nil.
func sourceOf(i ir.Instr) ast.Node {
	switch i := i.(type) {
	case *ir.Keep:
		return i.Text.Node
	case *ir.Assign:
		if i.Whole != nil {
			return i.Whole.Node
		}
		return i.Src.Node()
	case *ir.Deferral:
		return i.Node
	case *ir.Dispatch:
		return i.Head.Node()
	case *ir.Branch:
		if len(i.Cond) == 1 && i.Cond[0].Span != nil {
			return i.Cond[0].Span.Node
		}
	}
	return nil
}

// lineOf prints the directive for a node of the source.
func (p *printer) lineOf(node ast.Node) {
	p.directive(p.fn.Source.Line(node.Pos()))
}

func (p *printer) directive(line int) {
	p.place(inSource, line)
}

// begin notes that a statement of the source begins at the next placeholder.
func (p *printer) begin(pos token.Pos) {
	if p.fn.Traces {
		p.begun += fmt.Sprintf(":%d", p.fn.Source.Package.Read(pos).Offset+1)
	}
}

// place prints a placeholder.
func (p *printer) place(kind string, line int) {
	traced := ""
	if p.fn.Traces {
		traced = fmt.Sprintf(":%d%s", p.more+1, p.begun)
		p.begun = ""
	}
	p.line("%s%d%s", kind, line, traced)
}

// resume returns the directive after instructions in the middle of a source statement, if its
// line ends with them.
func (p *printer) resume(end token.Pos) string {
	if !p.fn.Source.EndsLine(end) {
		return "" // a file that is formatted has a comment there
	}
	return fmt.Sprintf("\n%s%d", inSource, p.fn.Source.Line(end)+1)
}

// sourceWithLines returns the source between two positions in a node. Where go/format will move
// statements to other lines, each statement that begins a line carries its original line. So does
// the line behind a //line directive of the source, in its place.
func (fn *function) sourceWithLines(node ast.Node, from, to token.Pos) string {
	var b strings.Builder
	if fn.Source.File.Ragged || fn.renumbers(from, to) {
		all := fn.openingsOf(node)
		first, _ := slices.BinarySearch(all, from)
		for _, pos := range all[first:] {
			if pos >= to {
				break
			}
			line := fn.Source.Line(pos)
			if _, directive := slices.BinarySearch(fn.directives(), pos); directive {
				fmt.Fprintf(&b, "%s%s%d\n", fn.Source.Text(from, pos), inSource, line+1)
				from = fn.Source.LineStart(line + 1)
			} else if start := fn.Source.LineStart(line); start >= from {
				fmt.Fprintf(&b, "%s%s%d\n", fn.Source.Text(from, start), inSource, line)
				from = start
			}
		}
	}
	b.WriteString(fn.Source.Text(from, to))
	return b.String()
}

// renumbers reports whether there is a //line directive of the source between two positions.
func (fn *function) renumbers(from, to token.Pos) bool {
	return slices.ContainsFunc(fn.directives(), func(d token.Pos) bool { return from <= d && d < to })
}

// directives returns the positions of the //line directives in the function.
func (fn *function) directives() []token.Pos {
	if fn.renumbered != nil {
		return fn.renumbered
	}
	fn.renumbered = []token.Pos{}
	for _, group := range fn.Source.File.Syntax.Comments {
		for _, c := range group.List {
			if within := fn.Source.Decl.Pos() <= c.Pos() && c.Pos() < fn.Source.Decl.End(); within && isDirective(fn.Source, c) {
				fn.renumbered = append(fn.renumbered, c.Pos())
			}
		}
	}
	return fn.renumbered
}

// isDirective reports whether a comment is one that the compiler follows, in a line of its own.
func isDirective(fn *source.Function, c *ast.Comment) bool {
	return strings.HasPrefix(c.Text, "//line ") && fn.LineStart(fn.Line(c.Pos())) == c.Pos()
}

// openingsOf returns the positions in a node of the //line directives and, in a ragged file, of
// the statements that begin lines, in their order.
// The text of a node may be printed in thousands of pieces.
func (fn *function) openingsOf(node ast.Node) []token.Pos {
	all, known := fn.openings[node]
	if known {
		return all
	}
	ast.Inspect(node, func(n ast.Node) bool {
		if s, ok := n.(ast.Stmt); ok && fn.Source.File.Ragged && fn.Source.OpensLine(s.Pos()) {
			all = append(all, s.Pos())
		}
		return true
	})
	for _, d := range fn.directives() {
		if node.Pos() <= d && d < node.End() {
			all = append(all, d)
		}
	}
	slices.Sort(all)
	if fn.openings == nil {
		fn.openings = map[ast.Node][]token.Pos{}
	}
	fn.openings[node] = all
	return all
}

// endOfSource switches back to the generated file.
func (p *printer) endOfSource() {
	p.line("%s", elsewhere)
}

// leaveSource permits the next line to belong to the generated file. In the debug form it has to,
// since a debugger would stop there.
func (p *printer) leaveSource() {
	if p.fn.Debug {
		p.endOfSource()
		return
	}
	p.place(either, p.pos)
}

// location prints the method of the frame that tells an asynchronous stack where the function is
// suspended. It is called only when a report is made, and costs nothing otherwise: the lines are
// constants in its code, not fields or tables.
func (e *emitter) location() {
	e.line("")
	e.line("func (%s *%s) Location() %s {", e.fn.Names.Recv, e.frameType(), e.runtime("Location"))
	e.at(e.kept(e.fn.Names.Recv), "")
	e.line("}")
}

// root prints the method of the root of a chain that returns the part with the job, and the
// location of the frame.
func (e *emitter) root() {
	n := e.fn.Names
	e.line("")
	e.line("func (%s *%s) Root() (%s, %s) {", n.Recv, e.fn.Declared.Machine+e.sig.FrameArgs, e.runtime("Root"), e.runtime("Location"))
	if e.fn.Whole {
		e.line("return %s, %s{}", e.rootOfChain(), e.runtime("Location"))
	} else {
		e.at(n.Recv+"."+keptField, e.rootOfChain()+", ")
	}
	e.line("}")
}

// rootOfChain returns the expression for the part of a root that has the job.
func (e *emitter) rootOfChain() string {
	chain, job := e.fn.Names.Recv+"."+builderField+".Chain", ""
	if e.fn.Literal == nil {
		job = "&" + e.fn.Names.Recv + "." + builderField + ".Promise.Job"
	}
	return chain + ".Root(" + job + ")"
}

// at prints the statement that returns the location of a frame, after what else is returned. By
// //line, the points of a function may be in several files.
func (e *emitter) at(frame, before string) {
	fn := e.fn
	file, _ := fn.Source.InStacks(fn.Source.Decl.Pos())
	var lines []string
	elsewhere := map[string][]string{} // the numbers of points in other files
	for i, p := range fn.Points() {
		name, line := fn.Source.InStacks(p.Call)
		if i == 0 {
			file = name
		}
		if name != file {
			elsewhere[name] = append(elsewhere[name], strconv.Itoa(i+1))
		}
		lines = append(lines, strconv.Itoa(line))
	}
	in := func(file string) {
		args := append([]string{"&" + frame + ".Frame", strconv.Quote(fn.Source.RuntimeName()), strconv.Quote(file)}, lines...)
		e.line("return %s%s(%s)", before, e.runtime("At"), strings.Join(args, ", "))
	}
	if len(elsewhere) > 0 {
		e.line("switch %s.State {", frame)
		for _, name := range slices.Sorted(maps.Keys(elsewhere)) {
			e.line("case %s:", strings.Join(elsewhere[name], ", "))
			in(name)
		}
		e.line("}")
	}
	in(file)
}

// spot is a line of a file as a stack shows it.
type spot struct {
	file string
	line int
}

// Place says what a line of a generated file executes.
type Place struct {
	// Begun are the statements of the source that begin at the line, by their offsets. They are
	// known if [Input].Traces was set.
	Begun []int

	// Line is the line of the source whose text is here; 0: there is none. Lines after the first
	// one of a statement are known if Traces was set.
	Line int
}

// InsertDirectives inserts compiler directives into a formatted file of printed text: for lines
// of the source, of which shown returns the positions, and for lines of the file itself, which is
// called own. It drops directives that agree with the compiler's count. It also returns the places
// of the lines of the result.
func InsertDirectives(data []byte, shown func(line int) (file string, number int), own string) ([]byte, []Place) {
	var b bytes.Buffer
	counted := spot{own, 1} // the position that the compiler assigns to the next line
	var at Place            // what is known of the next line
	more := 0               // the number of lines that continue the text of the source
	var places []Place      // of the lines so far
	lines := bytes.SplitAfter(data, []byte("\n"))
	for n, text := range lines {
		to, ok := directiveIn(text)
		if !ok {
			b.Write(text)
			if bytes.Contains(text, []byte("/*line ")) {
				counted = spot{} // the source's own directive; those in whole lines were replaced
			}
			counted.line++
			places = append(places, at)
			at.Begun = nil
			if at.Line++; more <= 0 {
				at.Line = 0
			}
			more--
			continue
		}
		at.Begun = append(at.Begun, to.begun...)
		if n+1 < len(lines) {
			if _, again := directiveIn(lines[n+1]); again {
				continue
			}
		}
		at.Line, more = 0, to.more
		var in spot
		if to.inSource {
			in.file, in.line = shown(to.line)
		}
		if to.inSource && !to.inFile {
			at.Line = to.line
		}
		if to.inSource && counted == in || to.inFile && counted.file == own {
			continue
		}
		places = append(places, Place{}) // the directive
		if to.inFile {
			in = spot{own, len(places) + 1}
		}
		counted = in
		fmt.Fprintf(&b, "//line %s:%d\n", counted.file, counted.line)
	}
	return b.Bytes(), places
}

// target is what a placeholder asks for: a line of the source, the generated file, or either.
type target struct {
	inSource, inFile bool
	line             int   // of the source
	begun            []int // the offsets of statements
	more             int   // the number of lines that continue it
}

// directiveIn returns what a line asks for, if it is a placeholder.
func directiveIn(text []byte) (to target, ok bool) {
	text = bytes.TrimSpace(text)
	if bytes.Equal(text, []byte(elsewhere)) {
		return target{inFile: true}, true
	}
	number, ok := bytes.CutPrefix(text, []byte(inSource))
	to.inSource = true
	if !ok {
		number, ok = bytes.CutPrefix(text, []byte(either))
		to.inFile = true
	}
	if !ok {
		return target{}, false
	}
	for i, field := range strings.Split(string(number), ":") {
		n, err := strconv.Atoi(field)
		switch {
		case err != nil:
			return target{}, false
		case i == 0:
			to.line = n
		case i == 1:
			to.more = n - 1
		default:
			to.begun = append(to.begun, n-1)
		}
	}
	return to, true
}
