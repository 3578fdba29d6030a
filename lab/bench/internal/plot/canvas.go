package plot

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// canvas collects the elements of a picture.
type canvas struct {
	body          strings.Builder
	width, height float64
}

// style suits light and dark pages: the background of the page shows through.
const style = `text{font:12px system-ui,sans-serif;fill:#24292f}.title{font-size:14px;font-weight:600}.note{fill:#6e7781}.ours{font-weight:600}` +
	`.grid{stroke:#d0d7de;stroke-width:1}.range{stroke:#57606a;stroke-width:2}` +
	`@media(prefers-color-scheme:dark){text{fill:#e6edf3}.note{fill:#8d96a0}.grid{stroke:#30363d}.range{stroke:#8d96a0}}`

// anchors of texts.
const (
	left   = "start"
	middle = "middle"
	right  = "end"
)

func (c *canvas) text(x, y float64, anchor, class, s string) {
	if class != "" {
		class = fmt.Sprintf(` class="%s"`, class)
	}
	fmt.Fprintf(&c.body, `<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>`+"\n", x, y, anchor, class, escape(s))
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&c.body, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>`+"\n", x1, y1, x2, y2, class)
}

func (c *canvas) dot(x, y, radius float64, colour string) {
	fmt.Fprintf(&c.body, `<circle cx="%.1f" cy="%.1f" r="%.0f" fill="%s"/>`+"\n", x, y, radius, colour)
}

// path draws a line through the points, and a dot at each.
func (c *canvas) path(points [][2]float64, colour string, dashed bool) {
	var d strings.Builder
	for i, p := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&d, "%s%.1f %.1f", command, p[0], p[1])
	}
	dash := ""
	if dashed {
		dash = ` stroke-dasharray="5 3"`
	}
	fmt.Fprintf(&c.body, `<path d="%s" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n", d.String(), colour, dash)
	for _, p := range points {
		c.dot(p[0], p[1], 3, colour)
	}
}

// write writes the picture. title is the text for screen readers.
func (c *canvas) write(out io.Writer, title string) error {
	_, err := fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img">`+"\n"+
		"<title>%s</title>\n<style>%s</style>\n%s</svg>\n", c.width, c.height, c.width, c.height, escape(title), style, c.body.String())
	if err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	return nil
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}
