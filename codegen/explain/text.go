package explain

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/movenext/movenext/codegen"
)

// Text writes the machines as text, for a terminal: frames with their fields,
// suspension points with what is needed after them. The returned error is that of w.
func Text(w io.Writer, machines []*codegen.Machine) error {
	p := &printer{w: w}
	for i, m := range machines {
		if i > 0 {
			p.printf("\n")
		}
		p.printf("%s, %s:%d\n", m.Function, filepath.Base(m.File), m.First)
		if len(m.Callees) > 0 {
			p.printf("%s: it returns what is returned there, and suspends nowhere else\n", frame(m))
			continue
		}
		p.printf("frame %s, %s\n", m.Frame, bytes(m.Bytes))
		table := tabwriter.NewWriter(p, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, f := range m.Fields {
			fmt.Fprintf(table, "  %s\t", size(f.Bytes))
			fmt.Fprintf(table, " %s\n", pad(f.Name+" "+f.Type, 44)+"  "+origin(f))
		}
		_ = table.Flush() // p keeps the error
		for _, pt := range m.Points {
			p.printf("point %d, line %d: %s\n", pt.Number, pt.Line, pt.Call)
			p.printf("  needs %s: %s\n", bytes(pt.Bytes), live(m, pt))
			p.printf("  leads to %s\n", ways(m, pt.Number))
		}
	}
	return p.err
}

// frame describes how much a machine keeps.
func frame(m *codegen.Machine) string {
	if len(m.Callees) > 0 {
		return "no frame but that of " + strings.Join(m.Callees, " or ")
	}
	return "frame " + bytes(m.Bytes)
}

// printer writes until the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) Write(text []byte) (int, error) {
	if p.err == nil {
		_, p.err = p.w.Write(text)
	}
	return len(text), nil
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-len([]rune(s))))
}

// size returns a number of bytes for a column.
func size(n int64) string {
	if n < 0 {
		return "?"
	}
	return strconv.FormatInt(n, 10)
}

func bytes(n int64) string {
	switch {
	case n < 0:
		return "as many bytes as its type parameters have"
	case n == 1:
		return "1 byte"
	}
	return size(n) + " bytes"
}

// origin describes why a field exists, and names the variable that it holds if the field's
// name does not.
func origin(f codegen.Field) string {
	if len(f.Holds) > 1 {
		return string(f.Origin) + ": " + strings.Join(f.Holds, ", then ")
	}
	return string(f.Origin)
}

// live lists what is needed after a point.
func live(m *codegen.Machine, pt codegen.Point) string {
	if len(pt.Live) == 0 {
		return "nothing"
	}
	var names []string
	for _, i := range pt.Live {
		names = append(names, m.Fields[i].Name)
	}
	return strings.Join(names, ", ")
}

// ways lists the states where a machine may be next.
func ways(m *codegen.Machine, from int) string {
	var list []string
	for _, e := range m.Edges {
		if e.From == from {
			list = append(list, place(e.To))
		}
	}
	if len(list) == 0 {
		return "no end"
	}
	return strings.Join(list, " or ")
}

// place returns the name of an end of an edge.
func place(n int) string {
	switch n {
	case codegen.AtStart:
		return "start"
	case codegen.AtEnd:
		return "end"
	}
	return strconv.Itoa(n)
}
