package plot

import "io"

// Lines is a picture of growing values.
type Lines struct {
	Title string
	X, Y  string // the labels of the axes
	Lines []Line
}

// Line is one of them: a value for each place on the axis.
type Line struct {
	Name   string
	Kind   Kind
	Points []Point
}

// Point is one value.
type Point struct{ X, Y float64 }

// palettes distinguish lines of the same kind; after the last colour, the lines are dashed and
// the colours begin again.
var palettes = map[Kind][]string{
	Ours:  {"#0969da", "#54aeff", "#0a3069", "#218bff"},
	Plain: {"#8c6d1f", "#d4a72c"},
	Other: {"#6e7781", "#a475f9", "#bf3989", "#1a7f37", "#4ac26b", "#bc4c00", "#fb8f44", "#57606a"},
}

// Write writes the picture in SVG.
func (l Lines) Write(out io.Writer) error {
	const (
		width, height            = 820.0, 440.0
		x0, x1, y0, y1, keyWidth = 64.0, 540.0, 384.0, 60.0, 16.0
	)
	var xs, ys []float64
	for _, line := range l.Lines {
		for _, p := range line.Points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	x, marks := places(xs, x0, x1)
	y := newScale(ys, y0, y1)
	c := canvas{width: width, height: max(height, y1+18*float64(len(l.Lines))+24)}
	c.text(12, 22, left, "title", l.Title)
	c.text(12, 42, left, "note", l.Y+"; less is better")
	c.text((x0+x1)/2, y0+40, middle, "note", l.X)
	for _, v := range marks {
		c.line(x.position(v), y0, x.position(v), y1, "grid")
		c.text(x.position(v), y0+18, middle, "note", Short(v))
	}
	for _, v := range y.decades() {
		c.line(x0, y.position(v), x1, y.position(v), "grid")
		c.text(x0-6, y.position(v)+4, right, "note", Short(v))
	}
	used := map[Kind]int{}
	for i, line := range l.Lines {
		palette := palettes[line.Kind]
		n := used[line.Kind]
		used[line.Kind]++
		colour, dashed := palette[n%len(palette)], n >= len(palette)
		var points [][2]float64
		for _, p := range line.Points {
			points = append(points, [2]float64{x.position(p.X), y.position(p.Y)})
		}
		c.path(points, colour, dashed)

		at := y1 + 18*float64(i) + 8
		c.path([][2]float64{{x1 + keyWidth, at}, {x1 + 3*keyWidth, at}}, colour, dashed)
		class := ""
		if line.Kind == Ours {
			class = "ours"
		}
		c.text(x1+3*keyWidth+8, at+4, left, class, line.Name)
	}
	return c.write(out, l.Title)
}
