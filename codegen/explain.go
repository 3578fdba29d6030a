package codegen

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"
)

// Machine is what there is to know of the machine of one annotated function, or of a function
// literal in it: for people to look at. Sizes are those of amd64.
type Machine struct {
	Function string // as the Go runtime names it: example.com/shop.(*Cart).Total
	Name     string // as a doc link names it: Cart.Total
	File     string // absolute

	// First and Last are the lines of the declaration, from its doc comment on, and Source
	// is their text, one string a line.
	First, Last int
	Source      []string

	Frame  string  // the name of the frame's type
	Fields []Field // of the frame, in its order
	Bytes  int64   // of the frame; -1: depends on type parameters

	// Points are the suspension points in the order of their numbers, which count from 1.
	Points []Point

	// Edges are the ways from point to point. 0 stands for the start and -1 for the end.
	Edges []Edge
}

// Field is a field of a frame.
type Field struct {
	Name   string
	Type   string
	Bytes  int64    // -1: depends on type parameters
	Holds  []string // the variables of the source that it holds, one after another
	Origin Origin
}

// Origin says where a field comes from.
type Origin string

const (
	OriginRuntime   Origin = "runtime"   // the head of every frame, or the deferred calls
	OriginParameter Origin = "parameter" // of the function, its receiver, or what a literal captures
	OriginLocal     Origin = "local"     // a variable of the body
	OriginTemporary Origin = "temporary" // a value of an expression, or what is awaited
	OriginResult    Origin = "result"
)

// Point is a suspension point.
type Point struct {
	Number int
	Line   int
	Call   string // the text of the line
	Live   []int  // the fields that are needed after it: indexes of Machine.Fields
	Bytes  int64  // of these together; -1: depends on type parameters
}

// Edge is a way that the function may go without suspending.
type Edge struct{ From, To int }

// The ends of edges that are no points.
const (
	AtStart = 0
	AtEnd   = -1
)

// Explain returns the machines of the annotated functions in the packages that patterns
// match, in the order of files and declarations; those of function literals follow their
// function's. If functions are named, the others are left out; a name is the function's,
// or Type.Method.
//
// Nothing is written. What is found wrong with the source is no error but the second
// result: functions with findings have no machine, and neither has one that never suspends. An
// error means that there was nothing to look at, or that a named function is not there.
func Explain(cfg Config, patterns []string, functions ...string) ([]*Machine, []Diagnostic, error) {
	cfg.DryRun = true
	ws, err := list(&cfg, token.NewFileSet(), patterns)
	if err != nil {
		return nil, nil, err
	}
	r := newRun(ws)
	e := &explaining{wanted: functions, seen: map[string]bool{}}
	r.instead = e.lower
	result, err := r.do()
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

// explaining collects machines while they are lowered, in parallel.
type explaining struct {
	wanted []string

	mu       sync.Mutex
	seen     map[string]bool
	machines []*Machine
}

func (e *explaining) lower(fn *Function, imports *Imports) (*Lowered, []Diagnostic) {
	u := newUnit(fn, imports)
	lowered, found := u.lower()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen[fn.docName()] = true
	if len(found) > 0 || len(e.wanted) > 0 && !slices.Contains(e.wanted, fn.docName()) {
		return lowered, found
	}
	for _, m := range append([]*unit{u}, u.literalUnits()...) {
		if len(m.parks()) > 0 {
			e.machines = append(e.machines, m.explain())
		}
	}
	return lowered, found
}

func (u *unit) literalUnits() []*unit {
	var list []*unit
	for _, l := range u.literals.order {
		list = append(list, l.unit)
	}
	return list
}

// explain describes a machine that has been emitted.
func (u *unit) explain() *Machine {
	m := &Machine{
		Function: u.runtimeName(), Name: u.fn.docName(), File: u.fn.File.Path,
		Frame: u.named.Frame, Edges: u.edges(),
	}
	from, to := u.node.Pos(), u.node.End()
	if u.self != nil {
		m.Name = m.Function[strings.LastIndex(m.Function, "/")+1:]
	} else if decl := u.fn.Decl; decl.Doc != nil {
		from = decl.Doc.Pos()
	}
	m.First, m.Last = u.line(from), u.line(to)
	m.Source = strings.Split(string(u.fn.File.Source), "\n")[m.First-1 : m.Last]
	for i, line := range m.Source {
		m.Source[i] = strings.TrimRight(line, "\r")
	}
	u.explainFrame(m)
	for _, p := range u.parks() {
		m.Points = append(m.Points, u.explainPoint(p, m))
	}
	return m
}

func (u *unit) explainPoint(p *point, m *Machine) Point {
	e := Point{Number: p.number, Line: u.line(p.call), Call: u.sourceLine(p.call)}
	needed := u.live.at[p.resume.at]
	runtime := len(m.Fields) - len(u.frameOrder())
	for i, s := range u.frameOrder() {
		switch {
		case !s.any(needed):
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

// edges follows the instructions from each point to those that are reached next.
func (u *unit) edges() []Edge {
	var list []Edge
	follow := func(from int, work ...int) {
		seen := map[int]bool{}
		reached := map[int]bool{}
		for len(work) > 0 {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			if n >= len(u.code) || seen[n] {
				continue
			}
			seen[n] = true
			if p, ok := u.code[n].(*park); ok {
				reached[p.point.number] = true
				if p.point.kind == kindDeferred {
					reached[AtEnd] = true
				}
				continue
			}
			if ends(u.code[n]) {
				reached[AtEnd] = true
			}
			if _, ok := u.code[n].(*handler); ok {
				work = append(work, n+1) // where a panic leads is not drawn
				continue
			}
			work = append(work, u.live.next[n]...)
		}
		for to := AtEnd; to <= len(u.parks()); to++ {
			if reached[to] {
				list = append(list, Edge{from, to})
			}
		}
	}
	follow(AtStart, 0)
	for _, p := range u.parks() {
		if p.resumed != nil {
			follow(p.number, p.resume.at, p.resumed.at)
		} else {
			follow(p.number, p.resume.at)
		}
	}
	return list
}

// ends reports whether the machine may finish in an instruction.
func ends(i instr) bool {
	found := false
	inSpan := func(s *span) {
		for _, e := range s.edit {
			found = found || slices.ContainsFunc(e.code, ends)
		}
	}
	switch i := i.(type) {
	case finish:
		return true
	case *keep:
		inSpan(&i.text)
	case *dispatch:
		for _, c := range i.clauses {
			for _, s := range c.body {
				inSpan(s)
			}
		}
	}
	return found
}

// explainFrame lists the fields and adds up their sizes, as gc lays them out.
func (u *unit) explainFrame(m *Machine) {
	var layout []*types.Var
	known := true
	add := func(f Field, t types.Type) {
		if t == nil || hasTypeParam(t) {
			known, f.Bytes = false, -1
		} else {
			f.Bytes = u.sizes.Sizeof(t)
			layout = append(layout, types.NewField(token.NoPos, nil, f.Name, t, false))
		}
		m.Fields = append(m.Fields, f)
	}
	if u.streams() {
		value := u.fn.Stream.Value
		p := &printer{u: u}
		add(Field{Name: "Producer", Type: p.embedded(), Origin: OriginRuntime}, instantiated(u.runtimeType("Producer"), value))
	} else {
		add(Field{Name: "Frame", Type: "statemachine.Frame", Origin: OriginRuntime}, u.runtimeType("Frame"))
	}
	if u.defers {
		add(Field{Name: u.names.defers, Type: "statemachine.Defers", Origin: OriginRuntime}, u.runtimeType("Defers"))
	}
	if u.loops {
		add(Field{Name: u.names.loops, Type: "statemachine.Loops", Origin: OriginRuntime}, u.runtimeType("Loops"))
	}
	for _, s := range u.frameOrder() {
		f, t := u.explainField(s)
		add(f, t)
	}
	m.Bytes = -1
	if known {
		m.Bytes = u.sizes.Sizeof(types.NewStruct(layout, nil))
	}
}

// runtimeType is a type of package statemachine, nil if that has none of the name.
func (u *unit) runtimeType(name string) types.Type {
	for _, p := range u.fn.Package.Types.Imports() {
		if p.Path() != statemachinePath {
			continue
		}
		if obj := p.Scope().Lookup(name); obj != nil {
			return obj.Type()
		}
	}
	return nil
}

// instantiated is a generic type with an argument, nil if there is no such type.
func instantiated(generic types.Type, arg types.Type) types.Type {
	if generic == nil {
		return nil
	}
	t, err := types.Instantiate(nil, generic, []types.Type{arg}, true)
	if err != nil {
		return nil
	}
	return t
}

func (u *unit) explainField(s *slot) (Field, types.Type) {
	v := s.vars[0]
	f := Field{Name: s.field, Origin: OriginTemporary}
	p := &printer{u: u}
	f.Type = p.typeOf(v)
	t := v.typ
	switch {
	case v.typeText != nil && strings.HasPrefix(f.Type, "*"):
		t = types.NewPointer(types.Typ[types.Int])
	case v.typeText != nil:
		t = types.NewInterfaceType(nil, nil) // an awaiter
	case v.cell:
		f.Type, t = "*"+f.Type, types.NewPointer(types.Typ[types.Int])
	}
	switch {
	case v.result:
		f.Origin = OriginResult
	case v.param:
		f.Origin = OriginParameter
	case v.obj != nil:
		f.Origin = OriginLocal
	}
	for _, v := range s.vars {
		if v.obj != nil && v.obj.Name() != "" && !slices.Contains(f.Holds, v.obj.Name()) {
			f.Holds = append(f.Holds, v.obj.Name())
		}
	}
	return f, t
}
