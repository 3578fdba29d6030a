package plot

import "io"

// Colours for light and dark pages, also for red-green colour blindness.
const (
	ours   = "#0969da"
	plain  = "#8c6d1f"
	others = "#8c959f"
)

// Dots is a picture of one value for each name, with its spread. Bars would be usual, but a bar's
// length carries its meaning, and a logarithmic scale has no natural start.
type Dots struct {
	Title string
	Unit  string
	Dots  []Dot
}

// Dot is one of them.
type Dot struct {
	Name     string
	Value    float64
	Min, Max float64
	Kind     Kind
	Label    string // next to the dot
}

// Kind is the group to which a figure belongs.
type Kind int

// The kinds: this library, plain goroutines, everything else.
const (
	Other Kind = iota
	Plain
	Ours
)

func (k Kind) colour() string {
	switch k {
	case Ours:
		return ours
	case Plain:
		return plain
	case Other:
	}
	return others
}

// Write writes the picture in SVG.
func (d Dots) Write(out io.Writer) error {
	const (
		top, row, labels, space, width = 56.0, 24.0, 250.0, 110.0, 820.0
	)
	c := canvas{width: width, height: top + row*float64(len(d.Dots)) + 16}
	c.text(12, 22, left, "title", d.Title)
	c.text(12, 42, left, "note", d.Unit+", logarithmic; less is better")

	var values []float64
	for _, dot := range d.Dots {
		values = append(values, dot.Value, dot.Min, dot.Max)
	}
	x := newScale(values, labels, width-space)
	for _, v := range x.decades() {
		c.line(x.position(v), top-6, x.position(v), c.height-12, "grid")
		c.text(x.position(v), top-10, middle, "note", Short(v))
	}
	for i, dot := range d.Dots {
		y := top + row*float64(i)
		class := ""
		if dot.Kind == Ours {
			class = "ours"
		}
		c.text(labels-8, y+15, right, class, dot.Name)
		c.line(labels, y+row/2, x.position(dot.Min), y+row/2, "grid")
		c.line(x.position(dot.Min), y+row/2, x.position(dot.Max), y+row/2, "range")
		c.dot(x.position(dot.Value), y+row/2, 5, dot.Kind.colour())
		c.text(x.position(max(dot.Value, dot.Max))+12, y+15, left, class, dot.Label)
	}
	return c.write(out, d.Title)
}
