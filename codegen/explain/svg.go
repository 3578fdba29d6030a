package explain

import (
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen"
)

// The drawing of a machine: its states form one column in source order, so that the eye can
// move straight from a line to its state. Edges to the next state are straight. Edges that skip
// states are bent, on the right if they go down and on the left if they go up, and pass outside
// all the edges that they enclose.

const (
	boxWidth  = 340
	boxHeight = 56
	endWidth  = 90 // of start and end
	gap       = 34
	lane      = 16 // between bent edges
	margin    = 14
	longCall  = 44 // letters of a line that fit
)

// drawing is one machine being drawn.
type drawing struct {
	strings.Builder
	m    *codegen.Machine
	left int // where the boxes begin
}

// row returns the row of a state, counted from the top.
func (d *drawing) row(n int) int {
	if n == codegen.AtEnd {
		return len(d.m.Points) + 1
	}
	return n
}

func (d *drawing) top(row int) int { return margin + row*(boxHeight+gap) }

// svg draws a machine. Its states have the attribute data-state.
func svg(m *codegen.Machine) template.HTML {
	d := &drawing{m: m}
	bows, depth := d.bows()
	d.left = margin + lane*depth[true]
	width := d.left + boxWidth + lane*depth[false] + margin
	height := d.top(d.row(codegen.AtEnd)+1) - gap + margin
	fmt.Fprintf(d, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`, width, height, width, height, html.EscapeString(m.Function))
	d.WriteString(`<defs><marker id="tip` + html.EscapeString(m.Frame) + `" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>`)
	for _, e := range m.Edges {
		d.edge(e, bows[e])
	}
	d.state(codegen.AtStart, "start", "", "")
	for _, pt := range m.Points {
		d.state(pt.Number, fmt.Sprintf("%d · line %d", pt.Number, pt.Line), pt.Call, "keeps "+bytes(pt.Bytes))
	}
	d.state(codegen.AtEnd, "end", "", "")
	d.WriteString(`</svg>`)
	return template.HTML(d.String()) //nolint:gosec // every text in it is escaped
}

// span returns the range of rows that an edge covers, and whether it goes up.
func (d *drawing) span(e codegen.Edge) (low, high int, up bool) {
	from, to := d.row(e.From), d.row(e.To)
	return min(from, to), max(from, to), to <= from
}

// bows returns how far out each bent edge is drawn, and the largest distance on each side,
// keyed by whether the edge goes up. Long edges enclose short ones, and no two overlap.
func (d *drawing) bows() (out map[codegen.Edge]int, depth map[bool]int) {
	out, depth = map[codegen.Edge]int{}, map[bool]int{}
	var list []codegen.Edge
	for _, e := range d.m.Edges {
		if low, high, up := d.span(e); up || high > low+1 {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b codegen.Edge) int {
		lowA, highA, _ := d.span(a)
		lowB, highB, _ := d.span(b)
		return (highA - lowA) - (highB - lowB)
	})
	for i, e := range list {
		low, high, up := d.span(e)
		n := 1
		for _, other := range list[:i] {
			lowO, highO, upO := d.span(other)
			if upO == up && lowO <= high && low <= highO {
				n = max(n, out[other]+1)
			}
		}
		out[e], depth[up] = n, max(depth[up], n)
	}
	return out, depth
}

func (d *drawing) edge(e codegen.Edge, out int) {
	from, to := d.row(e.From), d.row(e.To)
	id := fmt.Sprintf(`data-edge="%d %d" marker-end="url(#tip%s)"`, e.From, e.To, html.EscapeString(d.m.Frame))
	if out == 0 {
		x := d.left + boxWidth/2
		fmt.Fprintf(d, `<path class="edge" %s d="M%d %d V%d"/>`, id, x, d.top(from)+boxHeight-inset(e.From), d.top(to)+inset(e.To)-2)
		return
	}
	side, down := 1, 8 // how a corner is rounded
	if to <= from {
		side, down = -1, -8
	}
	y1, y2 := d.top(from)+boxHeight*2/3, d.top(to)+boxHeight/3
	far, r := d.edgeOf(1, side)+side*lane*out, side*8
	fmt.Fprintf(d, `<path class="edge" %s d="M%d %d H%d q%d 0 %d %d V%d q0 %d %d %d H%d"/>`, id,
		d.edgeOf(e.From, side), y1, far-r, r, r, down, y2-down, down, -r, down, d.edgeOf(e.To, side)+side*2)
}

// inset returns how much lower than a box a state's top is, and higher its bottom.
func inset(n int) int {
	if n <= codegen.AtStart {
		return boxHeight / 4
	}
	return 0
}

// edgeOf returns the x coordinate of a side of a state's box; side is 1 for the right one.
func (d *drawing) edgeOf(n, side int) int {
	half := boxWidth / 2
	if n <= codegen.AtStart {
		half = endWidth / 2
	}
	return d.left + boxWidth/2 + side*half
}

func (d *drawing) state(n int, title, call, note string) {
	y := d.top(d.row(n))
	fmt.Fprintf(d, `<g class="state" data-state="%d" tabindex="0">`, n)
	if call == "" {
		fmt.Fprintf(d, `<rect x="%d" y="%d" width="%d" height="%d" rx="%d"/>`, d.edgeOf(n, -1), y+inset(n), endWidth, boxHeight/2, boxHeight/4)
		fmt.Fprintf(d, `<text class="end" x="%d" y="%d">%s</text></g>`, d.left+boxWidth/2, y+boxHeight/2+5, title)
		return
	}
	if runes := []rune(call); len(runes) > longCall {
		call = string(runes[:longCall-1]) + "…"
	}
	fmt.Fprintf(d, `<rect x="%d" y="%d" width="%d" height="%d" rx="6"/>`, d.left, y, boxWidth, boxHeight)
	fmt.Fprintf(d, `<text class="title" x="%d" y="%d">%s</text>`, d.left+12, y+22, html.EscapeString(title))
	fmt.Fprintf(d, `<text class="note" x="%d" y="%d">%s</text>`, d.left+boxWidth-12, y+22, html.EscapeString(note))
	fmt.Fprintf(d, `<text class="call" x="%d" y="%d">%s</text></g>`, d.left+12, y+43, html.EscapeString(call))
}
