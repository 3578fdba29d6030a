package durable

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// printer writes the declarations of a durable function.
type printer struct {
	*lowering
	strings.Builder
	gen  string // package durable/gen
	recv string // type of the receiver
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *printer) comment(format string, args ...any) {
	p.WriteString(source.Comment(format, args...))
}

// print writes all declarations.
func (lo *lowering) print(layout string, past past) []byte {
	p := &printer{lowering: lo, gen: lo.genPackage(), recv: "struct{}"}
	if lo.recv != nil {
		p.recv = lo.typ(lo.recv.Type())
	}
	p.variable(layout, past)
	p.frameType()
	p.moveNext()
	p.call()
	p.live()
	p.outcome()
	p.compensations()
	return []byte(p.String())
}

func (p *printer) title() string { return "[" + p.fn.DocName() + "]" }

// freshName returns a name for a parameter of a generated method, where the only visible names of
// the source are those of the package.
func (p *printer) freshName(name string) string {
	taken := maps.Clone(p.fn.Package.Names)
	for _, qualifier := range p.im.Names {
		taken[qualifier] = true
	}
	return typetext.Free(name, taken)
}

// variable prints the variable that users pass to an engine.
func (p *printer) variable(layout string, past past) {
	request, result := "struct{}", "struct{}"
	if p.request != nil {
		request = p.typ(p.lowering.request.typ)
	}
	if p.result != nil {
		result = p.typ(p.lowering.result.typ)
	}
	name := p.fn.Names.Async
	p.comment("%s is %s as a durable function.", name, p.title())
	durable := p.im.Path(source.DurablePath, "durable")
	p.line("var %s = %s.Function[%s, %s, %s]{", name, durable, p.recv, request, result)
	p.line("Name: %q,\nLayout: %q,", p.name, layout)
	p.past(durable, past)
	p.line("Points: []%s.Point{", p.gen)
	begin := p.fn.Package.Read(p.fn.Decl.Pos())
	line := p.fn.Package.Read(p.fn.Decl.Name.Pos()).Line
	p.line("{Name: %q, At: %q},", "begin", filepath.Base(begin.Filename)+":"+strconv.Itoa(line))
	for _, pt := range p.points {
		step := ""
		if pt.step != "" {
			step = fmt.Sprintf(", Step: %q", pt.step)
		}
		p.line("{Name: %q, At: %q%s},", pt.name, pt.position, step)
	}
	p.line("},")
	recv, req := p.freshName("receiver"), p.freshName("request")
	var fields []string
	if p.lowering.recv != nil {
		fields = append(fields, p.recvField()+": "+recv)
	} else {
		recv = "_"
	}
	if p.request != nil {
		fields = append(fields, p.request.field+": "+req)
	} else {
		req = "_"
	}
	p.line("New: func(%s %s, %s %s) %s.Frame {\nreturn &%s{%s}\n},\n}\n",
		recv, p.recv, req, request, p.gen, p.fn.Names.Frame, strings.Join(fields, ", "))
}

// past prints how the engine treats instances of earlier versions.
func (p *printer) past(durable string, past past) {
	if len(past.resumes) > 0 {
		p.line("Resumes: []string{")
		for _, layout := range past.resumes {
			p.line("%q,", layout)
		}
		p.line("},")
	}
	if len(past.migrations) > 0 {
		p.line("Migrations: []%s.Migration{", durable)
		for _, m := range past.migrations {
			p.line("{From: %q, To: %q, Func: %s},", m.from, m.to, m.goName)
		}
		p.line("},")
	}
}

// frameType prints the type of the frame.
func (p *printer) frameType() {
	p.comment("%s has the variables of %s, and what its steps are given and return.", p.fn.Names.Frame, p.title())
	p.line("type %s struct {", p.fn.Names.Frame)
	if len(p.undos) == 0 {
		p.line("%s.NoDeferred", p.gen)
	}
	if p.lowering.recv != nil {
		p.line("%s %s // given again when it is loaded\n", p.recvField(), p.recv)
	}
	for _, v := range p.list {
		p.line("%s %s", v.field, p.typ(v.typ))
	}
	p.line("}\n")
}

// moveNext prints the code between the points.
func (p *printer) moveNext() {
	ctx := p.ctx.Name()
	if ctx == "" {
		ctx = "_"
	}
	p.comment("MoveNext runs %s from the point where it stopped to its next one (false) or its end (true).", p.title())
	p.line("func (%s *%s) MoveNext(%s %s.Context, %s %s.Turn) bool {",
		p.frame, p.fn.Names.Frame, ctx, p.im.Path("context", "context"), p.turn, p.gen)
	if len(p.points) > 0 {
		p.line("switch %s.Point() {", p.turn)
		for _, pt := range p.points {
			p.line("case %d:\ngoto %s", pt.number, pt.resume)
		}
		p.line("}")
	}
	for _, i := range p.code {
		switch {
		case i.label != "":
			p.line("%s:", i.label)
		case i.pause != nil:
			p.pause(i.pause)
		case i.text != "":
			p.line("%s", i.text)
		}
	}
	p.line("}\n")
}

// pause prints the end of a turn.
func (p *printer) pause(end *pause) {
	args := append([]string{strconv.Itoa(end.point.number)}, end.args...)
	call := p.turn + "." + end.request
	if end.typed != "" {
		call = p.gen + "." + end.request + "[" + end.typed + "]"
		args = slices.Insert(args, 0, p.turn)
	}
	dots := ""
	if end.spread {
		dots = "..."
	}
	p.line("return %s(%s%s)", call, strings.Join(args, ", "), dots)
}

// call prints the calls of the steps.
func (p *printer) call() {
	ctx, point, err := p.freshName("ctx"), p.freshName("point"), p.freshName("err")
	p.comment("Call calls the step of a point of %s.", p.title())
	p.line("func (%s *%s) Call(%s %s.Context, %s int) (%s error) {",
		p.frame, p.fn.Names.Frame, ctx, p.im.Path("context", "context"), point, err)
	p.line("switch %s {", point)
	for _, pt := range p.points {
		if pt.kind != stepPoint {
			continue
		}
		var left []string
		args := []string{ctx}
		for _, v := range pt.results {
			left = append(left, p.mention(v))
		}
		for _, v := range pt.args {
			args = append(args, p.mention(v))
		}
		p.line("case %d:\n%s = %s(%s)", pt.number, strings.Join(append(left, err), ", "), pt.fun, strings.Join(args, ", "))
	}
	p.line("}\nreturn %s\n}\n", err)
}

// live prints the names of the saved values.
func (p *printer) live() {
	point := p.freshName("point")
	values := func(list []*variable) {
		p.line("return []%s.Value{", p.gen)
		for _, v := range list {
			p.line("{Name: %q, Ptr: &%s},", v.name, p.mention(v))
		}
		p.line("}")
	}
	p.comment("Live are the values that %s needs at a point and after it.", p.title())
	p.line("func (%s *%s) Live(%s int) []%s.Value {", p.frame, p.fn.Names.Frame, point, p.gen)
	p.line("switch %s {\ncase 0:", point)
	var begin []*variable
	if p.request != nil {
		begin = append(begin, p.request)
	}
	values(begin)
	for _, pt := range p.points {
		p.line("case %d: // %s", pt.number, pt.name)
		values(pt.live)
	}
	p.line("}")
	values(p.results())
	p.line("}\n")
}

func (p *printer) outcome() {
	result := "&struct{}{}"
	if p.result != nil {
		result = "&" + p.mention(p.lowering.result)
	}
	p.comment("Outcome points to the results.")
	p.line("func (%s *%s) Outcome() (any, *error) {\nreturn %s, &%s\n}", p.frame, p.fn.Names.Frame, result, p.mention(p.err))
}

// compensations prints the compensations.
func (p *printer) compensations() {
	if len(p.undos) == 0 {
		return
	}
	ctx, site, args := p.freshName("ctx"), p.freshName("site"), p.freshName("args")
	for n, u := range p.undos {
		p.line("")
		p.comment("%s are the arguments of deferred call %d of %s.", u.typ, n+1, p.title())
		p.line("type %s struct {", u.typ)
		for i, t := range u.params {
			p.line("A%d %s", i+1, p.typ(t))
		}
		p.line("}")
	}
	p.line("")
	p.comment("Deferred makes the arguments of a deferred call, to be loaded.")
	p.line("func (%s *%s) Deferred(%s int) (any, string) {\nswitch %s {", p.frame, p.fn.Names.Frame, site, site)
	for n, u := range p.undos {
		p.line("case %d:\nreturn new(%s), %q", n+1, u.typ, u.step)
	}
	p.line("}\nreturn nil, \"\"\n}\n")
	p.comment("Undo makes a deferred call.")
	bound := args + " := "
	if !slices.ContainsFunc(p.undos, func(u *undo) bool { return len(u.params) > 0 }) {
		bound = ""
	}
	p.line("func (%s *%s) Undo(%s %s.Context, %s int, %s any) error {\nswitch %s%s.(type) {",
		p.frame, p.fn.Names.Frame, ctx, p.im.Path("context", "context"), site, args, bound, args)
	for _, u := range p.undos {
		list := []string{ctx}
		for i := range u.params {
			list = append(list, fmt.Sprintf("%s.A%d", args, i+1))
		}
		call := u.fun + "(" + strings.Join(list, ", ") + ")"
		p.line("case *%s:", u.typ)
		last := u.results.Len() - 1
		switch {
		case last < 0 || !isErrorType(u.results.At(last).Type()):
			p.line("%s\nreturn nil", call)
		case last == 0:
			p.line("return %s", call)
		default:
			err := p.freshName("err")
			p.line("%s%s := %s\nreturn %s", strings.Repeat("_, ", last), err, call, err)
		}
	}
	p.line("}\nreturn nil\n}")
}
