package explain

import (
	"fmt"
	"io"
	"strings"

	"github.com/movenext/movenext/codegen"
)

// Mermaid writes the machines as flowcharts in Mermaid's syntax, which code forges render in
// Markdown. The returned error is that of w.
func Mermaid(w io.Writer, machines []*codegen.Machine) error {
	p := &printer{w: w}
	p.printf("flowchart TB\n")
	for n, m := range machines {
		p.printf("  subgraph m%d[\"%s, %s\"]\n", n, mermaidText(m.Function), mermaidText(frame(m)))
		p.printf("    m%dstart((start))\n", n)
		for _, pt := range m.Points {
			p.printf("    m%dp%d[\"%d, line %d<br/>%s<br/>needs %s: %s\"]\n", n, pt.Number, pt.Number, pt.Line,
				mermaidText(pt.Call), bytes(pt.Bytes), mermaidText(live(m, pt)))
		}
		p.printf("    m%dend(((end)))\n", n)
		for _, e := range m.Edges {
			p.printf("    m%d%s --> m%d%s\n", n, node(e.From), n, node(e.To))
		}
		p.printf("  end\n")
	}
	return p.err
}

// mermaidText escapes s, so that Mermaid interprets nothing in it.
func mermaidText(s string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;", ";", "#59;").Replace(s)
}

// node returns the name of a node in a diagram.
func node(n int) string {
	if n > 0 {
		return fmt.Sprintf("p%d", n)
	}
	return place(n)
}

// Dot writes the machines as a graph for Graphviz. The returned error is that of w.
func Dot(w io.Writer, machines []*codegen.Machine) error {
	p := &printer{w: w}
	p.printf("digraph machines {\n  node [shape=box fontname=monospace fontsize=10]\n  edge [arrowsize=0.7]\n")
	for n, m := range machines {
		p.printf("  subgraph cluster%d {\n    label=%s\n", n, dotText(m.Function+", "+frame(m)))
		p.printf("    m%dstart [shape=circle label=start]\n    m%dend [shape=doublecircle label=end]\n", n, n)
		for _, pt := range m.Points {
			label := fmt.Sprintf("%d, line %d\n%s\nneeds %s: %s", pt.Number, pt.Line, pt.Call, bytes(pt.Bytes), live(m, pt))
			p.printf("    m%dp%d [label=%s]\n", n, pt.Number, dotText(label))
		}
		for _, e := range m.Edges {
			p.printf("    m%d%s -> m%d%s\n", n, node(e.From), n, node(e.To))
		}
		p.printf("  }\n")
	}
	p.printf("}\n")
	return p.err
}

// dotText returns s as a quoted string in Graphviz's syntax.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
