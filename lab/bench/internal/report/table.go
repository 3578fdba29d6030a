package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/lab/bench/internal/stats"
)

// Table writes the table of a workload, with a link to its plot if there is one.
func Table(out io.Writer, t stats.Table, plot string) {
	fmt.Fprintf(out, "## %s: %s\n\n", t.ID, t.Title)
	if plot != "" {
		fmt.Fprintf(out, "![%s](%s)\n\n", t.ID, plot)
	}
	fmt.Fprintf(out, "Operations of one run: %s.\n\n", groupDigits(strconv.Itoa(t.Ops)))
	head := []string{"contender", "ns/" + t.Op, "least – most"}
	for _, base := range t.Bases {
		head = append(head, "× "+base)
	}
	if t.Added {
		head = append(head, "ns more than "+t.Bases[0])
	}
	head = append(head, "CPU ns", "B", "allocs", "peak B/"+t.Op, "peak MB", "note")
	Row(out, head...)
	fmt.Fprintf(out, "|---%s|---|\n", strings.Repeat("|--:", len(head)-2))
	for _, r := range t.Rows {
		Row(out, cells(t, r)...)
	}
	fmt.Fprintln(out)
}

// Row writes a line of a table.
func Row(out io.Writer, cells ...string) {
	fmt.Fprint(out, "|")
	for _, c := range cells {
		fmt.Fprintf(out, " %s |", strings.ReplaceAll(c, "|", `\|`))
	}
	fmt.Fprintln(out)
}

func cells(t stats.Table, r stats.Row) []string {
	if r.Failed != "" {
		empty := 7 + len(t.Bases)
		if t.Added {
			empty++
		}
		row := append([]string{name(r.Contender)}, slices.Repeat([]string{unknown}, empty)...)
		return append(row, "failed: "+oneLine(r.Failed))
	}
	row := []string{name(r.Contender), Number(r.Time.Median), Number(r.Time.Least) + " – " + Number(r.Time.Most)}
	for _, ratio := range r.Ratios {
		row = append(row, fraction(ratio))
	}
	if t.Added {
		row = append(row, Number(r.Added.Median))
	}
	return append(row, Number(r.CPU), Number(r.Bytes), Number(r.Allocs), known(r.Memory), megabytes(r.Peak), note(r))
}

func fraction(ratio stats.Spread) string {
	if ratio == (stats.Spread{}) {
		return unknown
	}
	return Number(ratio.Median)
}

// note is the remark of a row.
func note(r stats.Row) string {
	var parts []string
	if r.Note != "" {
		parts = append(parts, r.Note)
	}
	for _, unit := range slices.Sorted(maps.Keys(r.Values)) {
		parts = append(parts, unit+": "+Number(r.Values[unit]))
	}
	if r.Disturbed > 0 {
		parts = append(parts, fmt.Sprintf("%d disturbed", r.Disturbed))
	}
	return strings.Join(parts, "; ")
}
