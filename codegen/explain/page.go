package explain

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// HTML writes a page with the machines and, if steps are given, a run to step through. The page
// is self-contained: it needs no other file and no network. The fragment #step=n opens it at
// step n, and #waits=Name.n where the function Name first suspends at its point n. The returned
// error is that of w.
//
// The frame is shown in the release form and in the form for debuggers, side by side. The values
// are those of the latter, which has more of them.
func HTML(w io.Writer, title string, machines []*codegen.Machine, steps []Step) error {
	data := struct {
		Title    string
		Machines []drawn
		Blocks   []block
		Model    []modelled
		Steps    []shownStep
	}{Title: title, Steps: locate(machines, steps)}
	for _, m := range machines {
		data.Machines = append(data.Machines, draw(m))
		data.Model = append(data.Model, model(m))
	}
	data.Blocks = blocks(machines)
	return page.Execute(w, data)
}

// drawn is a machine as the page's template shows it.
type drawn struct {
	*codegen.Machine
	Size, DebugSize string
	Drawing         template.HTML
	Fields          []drawnField // those of the release form first
}

// drawnField is a field of a frame in one form, or in both. Without it a form has the size "–".
type drawnField struct{ Name, Type, Release, Debug, Origin string }

func draw(m *codegen.Machine) drawn {
	d := drawn{Machine: m, Size: bytes(m.Bytes), Drawing: svg(m)}
	if len(m.Callees) > 0 {
		d.Size = frame(m)
	}
	if len(m.Debug) > 0 {
		d.DebugSize = bytes(m.DebugBytes)
	}
	for _, f := range m.Fields {
		row := drawnField{f.Name, f.Type, size(f.Bytes), "–", origin(f)}
		if i := named(m.Debug, f.Name); i >= 0 {
			row.Debug = size(m.Debug[i].Bytes)
		}
		d.Fields = append(d.Fields, row)
	}
	for _, f := range m.Debug {
		if named(m.Fields, f.Name) < 0 {
			d.Fields = append(d.Fields, drawnField{f.Name, f.Type, "–", size(f.Bytes), origin(f)})
		}
	}
	return d
}

// named returns the index of the field with the name, or -1.
func named(fields []codegen.Field, name string) int {
	return slices.IndexFunc(fields, func(f codegen.Field) bool { return f.Name == name })
}

// block is a range of source lines.
type block struct {
	File  string
	Lines []sourceLine
}

type sourceLine struct {
	File   string
	Number int
	Text   string
	Point  bool
}

// blocks returns the declarations of all machines, each line once: a function literal is
// inside its function's declaration.
func blocks(machines []*codegen.Machine) []block {
	var list []block
	for i, m := range machines {
		inside := func(o *codegen.Machine) bool {
			return o.File == m.File && o.First <= m.First && m.Last <= o.Last && (o.First < m.First || o.Last > m.Last)
		}
		again := func(o *codegen.Machine) bool { return o.File == m.File && o.First == m.First && o.Last == m.Last }
		if slices.ContainsFunc(machines, inside) || slices.ContainsFunc(machines[:i], again) {
			continue
		}
		b := block{File: m.File}
		for n, text := range m.Source {
			number := m.First + n
			b.Lines = append(b.Lines, sourceLine{m.File, number, strings.ReplaceAll(text, "\t", "    "), isPoint(machines, m.File, number)})
		}
		list = append(list, b)
	}
	return list
}

func isPoint(machines []*codegen.Machine, file string, line int) bool {
	return slices.ContainsFunc(machines, func(m *codegen.Machine) bool {
		return m.File == file && slices.ContainsFunc(m.Points, func(p codegen.Point) bool { return p.Line == line })
	})
}

// modelled is a machine as the page's script sees it.
type modelled struct {
	Name, File string
	Decl       int // the line of the head
	Points     []modelledPoint
	Fields     []modelledField
}

type modelledPoint struct {
	Number, Line int
	Live         []int
	Size         string
}

type modelledField struct{ Name, Origin string }

func model(m *codegen.Machine) modelled {
	d := modelled{Name: m.Name, File: m.File, Decl: m.First}
	for i, text := range m.Source {
		if strings.Contains(text, "func") && !strings.HasPrefix(text, "//") {
			d.Decl = m.First + i
			break
		}
	}
	for _, p := range m.Points {
		live := p.Live
		if live == nil {
			live = []int{}
		}
		d.Points = append(d.Points, modelledPoint{p.Number, p.Line, live, bytes(p.Bytes)})
	}
	for _, f := range m.Fields {
		d.Fields = append(d.Fields, modelledField{f.Name, string(f.Origin)})
	}
	return d
}
