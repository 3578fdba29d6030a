package lower_test

import (
	"fmt"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/lower"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/testmodel"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// A listing of instructions, one per line, as the tests compare them. Labels and temporaries have
// the names that lowering prefers for them, numbered in the order of their mentions:
//
//	get1, x = getEnter(r, 1)
//	park resume1 | resumed1
//	resume1:
//	x = get1.Results(r)
//	get1 = nil
//	resumed1:
//	end

// job, machine and declared are the parts of the runtime, and of the function's package, that the
// rule of twins needs.
const (
	job = `package job // import "github.com/movenext/movenext/job"

import (
	"context"

	"github.com/movenext/movenext/job/root"
)

type Job[T any] struct{}

type Void = struct{}

func (*Job[T]) Await() (T, error) { panic(0) }

func Yield() error { return nil }

func Go(ctx context.Context, fn root.Action) *Job[int] { return nil }
`
	root = `package root // import "github.com/movenext/movenext/job/root"

import "context"

type Action = func(ctx context.Context) error
`
	machine = `package statemachine // import "github.com/movenext/movenext/statemachine"

type Run struct{}
`
	declared = `package p

import (
	"context"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

var ctx context.Context
var _ = job.Yield
var global int

func use(...any) {}
func pair(a, b int) (int, int) { return a, b }

func get(n int) int { return n }
func getAsync(n int) *job.Job[int] { return nil }
func getEnter(r *statemachine.Run, n int) (*getFrame, int) { return nil, n }
type getFrame struct{}
func (*getFrame) Results(r *statemachine.Run) int { return 0 }

func done() error { return nil }
func doneAsync() *job.Job[job.Void] { return nil }
func doneEnter(r *statemachine.Run) (*doneFrame, error) { return nil, nil }
type doneFrame struct{}

`
)

// lowered returns the result of lowering a function f whose signature begins with its parameters.
func lowered(signature, body string) *lower.Output {
	return loweredWith(lower.Options{}, signature, body)
}

func loweredWith(options lower.Options, signature, body string) *lower.Output {
	p := testmodel.Package(declared+"func f"+signature+" {\n"+body+"\n}", root, job, machine)
	fn := testmodel.Function(p, "f")
	facts := analyse.Function(fn, typetext.New(p, fn.File))
	if len(facts.Findings) > 0 {
		panic(facts.Findings[0].What)
	}
	return lower.Instructions(facts, options)
}

// entering matches the lines of a machine's call, which all tests but one show as one line.
var entering = regexp.MustCompile(`(?m)^\w+(?:, )?(.*) (:?=) (.*Enter\(.*\))\npark resume\d+ \| resumed\d+\nresume\d+:\n.*\.Results\(r\)\n\w+ = nil\nresumed\d+:$`)

// short returns a listing in which a call of a machine takes one line.
func short(listing string) string {
	text := entering.ReplaceAllString(listing, "$1 $2 await $3")
	return strings.NewReplacer("\n = await", "\nawait", "\n := await", "\nawait").Replace("\n" + text)
}

// listing returns the instructions of a function and of its literals as text.
func listing(out *lower.Output) string {
	l := &lister{fn: out.Root.Source, labels: map[*ir.Label]string{}, temps: map[*ir.Variable]string{}, count: map[string]int{}}
	l.code(out.Root.Code)
	for _, lit := range out.Literals {
		l.WriteString(lit.Declared.Enter + "(" + l.names(lit.Inputs()) + ")\n")
		l.code(lit.Code)
	}
	return l.String()
}

type lister struct {
	strings.Builder
	fn     *source.Function
	labels map[*ir.Label]string
	temps  map[*ir.Variable]string
	count  map[string]int
}

func (l *lister) line(format string, args ...any) { fmt.Fprintf(l, format+"\n", args...) }

func (l *lister) code(list []ir.Instr) {
	for _, i := range list {
		l.instr(i)
	}
}

func (l *lister) instr(i ir.Instr) {
	switch i := i.(type) {
	case *ir.SourceLine, *ir.LineComment: // lines of the source
	case *ir.Keep:
		l.line("%s", l.span(&i.Text))
	case *ir.Assign:
		l.assign(i)
	case *ir.Zero:
		l.line("var %s", l.names(i.Vars))
	case *ir.Renew:
		l.line("renew %s", l.variable(i.V))
	case *ir.Synthetic:
		l.line("%s", l.rope(i.Line))
	case *ir.Branch:
		not := ""
		if i.Not {
			not = "not "
		}
		l.line("if %s%s goto %s", not, l.rope(i.Cond), l.label(i.To))
	case *ir.Jump:
		l.line("goto %s", l.label(i.To))
	case *ir.Mark:
		l.line("%s:", l.label(i.Label))
	case *ir.Park:
		l.park(i.Point)
	case *ir.Finish:
		l.line("end")
	case *ir.Dispatch:
		l.dispatch(i)
	case *ir.Handler:
		l.line("after a panic goto %s", l.label(i.To))
	case *ir.Obtain:
		l.line("%s = awaiter of %s", l.variable(i.P.Held), l.rope(i.Src))
	case *ir.Deferral:
		l.deferral(i)
	default:
		l.line("%T", i)
	}
}

func (l *lister) assign(i *ir.Assign) {
	var list []string
	is := "="
	for _, d := range i.Dst {
		switch {
		case d.V != nil:
			list = append(list, l.variable(d.V))
		case d.Place != nil:
			list = append(list, l.rope(d.Place))
		default:
			list = append(list, "_")
		}
		if d.Declares {
			is = ":="
		}
	}
	if list == nil {
		l.line("%s", l.rope(i.Src))
		return
	}
	l.line("%s %s %s", strings.Join(list, ", "), is, l.rope(i.Src))
}

func (l *lister) park(p *ir.Point) {
	to := l.label(p.Resume)
	if p.Resumed != nil {
		to += " | " + l.label(p.Resumed)
	}
	l.line("park %s", to)
}

func (l *lister) dispatch(d *ir.Dispatch) {
	l.line("%s", l.rope(d.Head))
	for _, c := range d.Clauses {
		if c.To != nil {
			l.line("%s: goto %s", l.rope(c.Head), l.label(c.To))
			continue
		}
		var body []string
		for _, s := range c.Body {
			body = append(body, l.span(s))
		}
		l.line("%s: %s", l.rope(c.Head), strings.Join(body, "; "))
	}
}

func (l *lister) deferral(d *ir.Deferral) {
	var now []string
	for i, name := range d.Names {
		now = append(now, name+" := "+l.rope(d.Vals[i])+"; ")
	}
	call := d.Call
	if d.Entry != nil {
		call = d.Entry
	}
	l.line("%sdefer %s", strings.Join(now, ""), l.rope(call))
}

func (l *lister) label(to *ir.Label) string {
	if l.labels[to] == "" {
		l.labels[to] = l.numbered(to.Want)
	}
	return l.labels[to]
}

func (l *lister) variable(v *ir.Variable) string {
	switch {
	case v.Obj != nil && v.Name != "":
		return v.Name
	case v.Result:
		return "result"
	case v.Obj != nil:
		return "_"
	}
	if l.temps[v] == "" {
		l.temps[v] = l.numbered(v.Name)
	}
	return l.temps[v]
}

func (l *lister) numbered(stem string) string {
	l.count[stem]++
	return stem + strconv.Itoa(l.count[stem])
}

func (l *lister) names(vars []*ir.Variable) string {
	var list []string
	for _, v := range vars {
		list = append(list, l.variable(v))
	}
	return strings.Join(list, ", ")
}

// span returns the text of the source with its edits, in one line.
func (l *lister) span(s *ir.Span) string {
	var b strings.Builder
	at := s.Node.Pos()
	for _, e := range s.Edit {
		b.WriteString(l.fn.Text(at, e.Pos) + l.rope(e.With))
		if len(e.Code) > 0 {
			inner := &lister{fn: l.fn, labels: l.labels, temps: l.temps, count: l.count}
			inner.code(e.Code)
			b.WriteString(inner.String())
		}
		at = e.End
	}
	b.WriteString(l.fn.Text(at, s.Node.End()))
	return strings.Join(strings.Fields(b.String()), " ")
}

func (l *lister) rope(r ir.Rope) string {
	var b strings.Builder
	for _, p := range r {
		switch {
		case p.Idle != nil: // for a target that is unused
		case p.V != nil:
			if p.Form == ir.AsAddress || p.Form == ir.AsBorrowedAddress {
				b.WriteString("&")
			}
			b.WriteString(l.variable(p.V))
		case p.Span != nil:
			b.WriteString(l.span(p.Span))
		case p.To != nil:
			b.WriteString(l.label(p.To))
		case p.Open != nil:
			b.WriteString(opened(p.Open))
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// opened returns what the printer would choose if no name were taken.
func opened(o ir.Open) string {
	switch o := o.(type) {
	case ir.OwnName:
		return map[ir.OwnName]string{ir.OwnRun: "r", ir.OwnFrame: "f", ir.OwnLoops: "f.loops", ir.OwnDefers: "f.defers", ir.OwnPanicking: "p", ir.OwnCallee: "m"}[o]
	case ir.Imported:
		return o.Preferred
	case ir.Predeclared:
		return string(o)
	case ir.TypeName:
		return types.TypeString(o.Type, func(*types.Package) string { return "" })
	case ir.ConstantName:
		return o.Obj.Name()
	}
	return fmt.Sprintf("<%T>", o)
}
