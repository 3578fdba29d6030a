package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// report is the result of one execution, and what it took.
type report struct {
	root     string
	packages []counts // with at least one file, in the order of the tree
	problems []problem

	seconds           float64
	suspensions, hops int64
}

func (r *report) add(all []counts) {
	for _, c := range all {
		r.problems = append(r.problems, c.problems...)
		if c.files > 0 {
			r.packages = append(r.packages, c)
		}
	}
}

func (r *report) total() (sum counts) {
	for _, c := range r.packages {
		sum.files += c.files
		sum.lines += c.lines
		sum.functions += c.functions
	}
	return sum
}

// table prints the totals and the ten largest packages.
func (r *report) table(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(cells ...any) {
		for _, c := range cells {
			fmt.Fprint(t, c, "\t")
		}
		fmt.Fprintln(t)
	}
	sum := r.total()
	row("files", "lines", "functions", "package")
	for _, c := range r.largest(10) {
		row(c.files, c.lines, c.functions, r.name(c.dir))
	}
	row(sum.files, sum.lines, sum.functions, fmt.Sprintf("all %d packages", len(r.packages)))
	_ = t.Flush() // the writer's errors have no remedy
}

// largest returns the n packages with the most lines.
func (r *report) largest(n int) []counts {
	sorted := slices.Clone(r.packages)
	slices.SortStableFunc(sorted, func(a, b counts) int { return b.lines - a.lines })
	return sorted[:min(n, len(sorted))]
}

func (r *report) name(dir string) string {
	if rel, err := filepath.Rel(r.root, dir); err == nil {
		return filepath.ToSlash(rel)
	}
	return dir
}

// sameAs compares everything that was counted, package by package, and the problems.
func (r *report) sameAs(other *report) bool {
	return r.everything() == other.everything()
}

func (r *report) everything() string {
	var b strings.Builder
	for _, c := range r.packages {
		fmt.Fprintln(&b, c.dir, c.files, c.lines, c.functions)
	}
	for _, p := range r.problems {
		fmt.Fprintln(&b, p.path, p.err)
	}
	return b.String()
}
