package codegen

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"sync"

	"github.com/movenext/movenext/codegen/internal/emit"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Machine describes the machine of one annotated function, or of a function literal in
// it, for display. Sizes are those of amd64.
type Machine struct {
	Function string // as the Go runtime names it: example.com/shop.(*Cart).Total
	Name     string // as a doc link names it: Cart.Total
	File     string // absolute

	// First and Last are the lines of the declaration, including its doc comment, and
	// Source is their text, one string per line.
	First, Last int
	Source      []string

	Frame  string  // the name of the frame's type
	Fields []Field // of the frame, in its order
	Bytes  int64   // of the frame; -1: depends on type parameters

	// Debug has the fields of the frame in the form for debuggers, and DebugBytes their size, as
	// Bytes does. The function has no such form if Debug is empty.
	Debug      []Field
	DebugBytes int64

	// Points are the suspension points in the order of their numbers, which start at 1.
	Points []Point

	// Edges are the paths from point to point that contain no other point. 0 stands for
	// the start and -1 for the end.
	Edges []Edge

	// Callees are the functions whose results this one returns, if it suspends nowhere
	// else. Such a function has no frame and no points: while it is suspended, only its
	// callee's frame exists.
	Callees []string
}

// Field is a field of a frame.
type Field struct {
	Name   string
	Type   string
	Bytes  int64    // -1: depends on type parameters
	Holds  []string // the source variables that share it, one after another
	Origin Origin
}

// Origin says why a field exists.
type Origin string

// The origins.
const (
	OriginRuntime   Origin = "runtime"   // the head of every frame, or the deferred calls
	OriginParameter Origin = "parameter" // also a receiver, or a capture of a literal
	OriginLocal     Origin = "local"     // a variable of the body
	OriginTemporary Origin = "temporary" // a value of an expression, or what is awaited
	OriginResult    Origin = "result"    // of the function
)

// Point is a suspension point.
type Point struct {
	Number int
	Line   int
	Call   string // the text of the line
	Live   []int  // the fields needed after the suspension: indexes of Machine.Fields
	Bytes  int64  // of these together; -1: depends on type parameters
}

// Edge is a path that the function may take without suspending.
type Edge struct{ From, To int }

// The ends of edges that are not points.
const (
	AtStart = 0
	AtEnd   = -1
)

// Explain returns the machines of the annotated functions in the packages that patterns
// match, in the order of files and declarations; the machines of function literals follow
// that of their function. If functions are named, by their name or as Type.Method, only those
// are included.
//
// Explain writes nothing. Findings about the source are not an error but the second result:
// a function with findings has no machine, nor does one that never suspends. An error means
// that no package could be examined, or that a named function does not exist.
func Explain(cfg Config, patterns []string, functions ...string) ([]*Machine, []Diagnostic, error) {
	e := &explaining{wanted: functions, seen: map[string]bool{}}
	_, result, err := tryRun(&cfg, e.translate, patterns)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range functions {
		if !e.seen[name] {
			return nil, result.Diagnostics, fmt.Errorf("codegen: no annotated function %s in %s", name, strings.Join(patterns, " "))
		}
	}
	slices.SortStableFunc(e.machines, func(a, b *Machine) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		return a.First - b.First
	})
	return e.machines, result.Diagnostics, nil
}

// explaining collects machines while targets are lowered in parallel.
type explaining struct {
	wanted []string

	mu       sync.Mutex
	seen     map[string]bool
	machines []*Machine
}

func (e *explaining) translate(fn *source.Function, imports *typetext.Imports) ([]byte, []source.Diagnostic) {
	t, debug := translate(fn, imports, form{}), translate(fn, imports, form{debug: true})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen[fn.DocName()] = true
	if len(t.findings) > 0 || len(e.wanted) > 0 && !slices.Contains(e.wanted, fn.DocName()) {
		return t.text()
	}
	if t.root.Tail != nil {
		e.machines = append(e.machines, debug.addTo(0, t.root.explain(nil)))
	}
	for i, m := range t.placed() {
		if len(m.Points()) > 0 {
			e.machines = append(e.machines, debug.addTo(i, m.explain(&t.printed.Frames[i])))
		}
	}
	return t.text()
}

// placed returns the function and the literals in it, in the order of their frames.
func (t *translation) placed() []*placedFunction {
	return append([]*placedFunction{t.root}, t.literals...)
}

// addTo adds the frame that has the number i in this form for debuggers to m.
func (t *translation) addTo(i int, m *Machine) *Machine {
	if len(t.findings) == 0 {
		m.Debug, m.DebugBytes = t.placed()[i].explainFrame(&t.printed.Frames[i])
	}
	return m
}

// explain describes a machine that has been printed; frame is its frame, or nil if it has none.
func (fn *placedFunction) explain(frame *emit.Frame) *Machine {
	m := &Machine{
		Function: fn.RuntimeName, Name: fn.Source.DocName(), File: fn.Source.File.Path,
	}
	from, to := fn.Node.Pos(), fn.Node.End()
	if fn.Literal != nil {
		m.Name = m.Function[strings.LastIndex(m.Function, "/")+1:]
	} else if decl := fn.Source.Decl; decl.Doc != nil {
		from = decl.Doc.Pos()
	}
	m.First, m.Last = fn.Source.Line(from), fn.Source.Line(to)
	m.Source = strings.Split(string(fn.Source.File.Source), "\n")[m.First-1 : m.Last]
	for i, line := range m.Source {
		m.Source[i] = strings.TrimRight(line, "\r")
	}
	if frame == nil {
		m.Edges, m.Callees = []Edge{{AtStart, AtEnd}}, fn.callees()
		return m
	}
	m.Frame, m.Edges = frame.Name, fn.edges()
	m.Fields, m.Bytes = fn.explainFrame(frame)
	for _, p := range fn.Points() {
		m.Points = append(m.Points, fn.explainPoint(p, m, frame.Fields))
	}
	return m
}

// callees returns the functions that are called in tail position, as the source has them.
func (fn *placedFunction) callees() []string {
	var list []string
	for _, call := range fn.Tail.Calls {
		if name := types.ExprString(call.Fun); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// maxShownCall is how many bytes of a call's line an explanation shows.
const maxShownCall = 160

// explainPoint describes a point of m. The fields that hold variables are the last ones of m.
func (fn *placedFunction) explainPoint(p *ir.Point, m *Machine, fields []emit.Field) Point {
	e := Point{Number: p.Number, Line: fn.Source.Line(p.Call), Call: fn.Source.ShownLine(p.Call, maxShownCall)}
	runtime := len(m.Fields) - len(fields)
	for i, f := range fields {
		switch {
		case !fn.live.Holds(f.Slot, p.Resume.At):
			continue
		case m.Fields[runtime+i].Bytes < 0 || e.Bytes < 0:
			e.Bytes = -1
		default:
			e.Bytes += m.Fields[runtime+i].Bytes
		}
		e.Live = append(e.Live, runtime+i)
	}
	return e
}
