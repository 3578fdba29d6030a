package report

import (
	"fmt"
	"io"

	"github.com/movenext/movenext/lab/bench/internal/stats"
)

// Targets writes a table of the targets and what was reached.
func Targets(out io.Writer, all []stats.Reached) {
	if len(all) == 0 {
		return
	}
	fmt.Fprint(out, "## Targets\n\n")
	Row(out, "work", "contender", "figure", "measured", "ship", "goal", "reached")
	fmt.Fprintln(out, "|---|---|---|--:|--:|--:|---|")
	for _, r := range all {
		t := r.Target
		figure, value := string(t.Figure), unknown
		if t.Base != "" {
			figure += ": " + t.Base
		}
		if t.Unit != "" {
			figure = t.Unit
		}
		if r.Known {
			value = Number(r.Value)
		}
		Row(out, r.Work, name(t.Contender), figure, value, Number(t.Ship), Number(t.Goal), r.Verdict())
	}
	fmt.Fprintln(out)
}
