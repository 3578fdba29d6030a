package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/movenext/movenext/lab/bench/internal/plot"
	"github.com/movenext/movenext/lab/bench/internal/report"
	"github.com/movenext/movenext/lab/bench/internal/stats"
	"github.com/movenext/movenext/lab/bench/suite"
	"github.com/movenext/movenext/lab/bench/workloads"
)

// run measures with children of the binary self and prints a table for each axis, work
// and number of processors.
func run(ctx context.Context, self string, args []string, stdout, stderr io.Writer) error {
	c, err := parse(args, stderr)
	if err != nil {
		return err
	}
	selected, err := c.Select(workloads.All())
	if err != nil {
		return err
	}
	for i, procs := range c.procs {
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		fmt.Fprintf(stdout, "# GOMAXPROCS=%d\n\n", procs)
		c.Conditions(procs).Write(stdout)
		for _, a := range c.axes {
			for _, w := range selected {
				if !a.fits(w) {
					continue
				}
				g, err := c.grow(ctx, self, procs, a, w, stderr)
				if err != nil {
					return err
				}
				if err := g.print(stdout, c.svg); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// growth holds a workload's tables along an axis.
type growth struct {
	work   *suite.Work
	axis   axis
	procs  int
	sizes  []int
	tables []stats.Table // by size
}

func (c config) grow(ctx context.Context, self string, procs int, a axis, w *suite.Work, log io.Writer) (growth, error) {
	g := growth{work: w, axis: a, procs: procs, sizes: a.sizes(c)}
	f := c.Runner(c.Binary(self, procs), log)
	for _, size := range g.sizes {
		plan := c.Plan(max(1, w.N/c.Scale))
		a.apply(&plan, size)
		fmt.Fprintf(log, "%s, %d %s, GOMAXPROCS=%d\n", w.ID, size, a.name, procs)
		out, err := f.Run(ctx, w, c.Choose(w, plan.N), plan)
		if err != nil {
			return g, err
		}
		g.tables = append(g.tables, stats.Of(w, out.Rounds, out.Failed))
	}
	return g, nil
}

// names returns the contenders that have a figure somewhere, in the workload's order.
func (g growth) names() (all []string) {
	for _, contender := range g.work.Contenders {
		for _, t := range g.tables {
			if _, ok := rowOf(t, contender.Name); ok {
				all = append(all, contender.Name)
				break
			}
		}
	}
	return all
}

// rowOf returns the contender's row, if it has one; it may be the row of a failure.
func rowOf(t stats.Table, contender string) (stats.Row, bool) {
	for _, row := range t.Rows {
		if row.Contender == contender {
			return row, true
		}
	}
	return stats.Row{}, false
}

func (g growth) print(out io.Writer, svg string) error {
	fmt.Fprintf(out, "\n## %s by %s, GOMAXPROCS=%d: %s\n\n", g.work.ID, g.axis.name, g.procs, g.work.Title)
	if svg != "" {
		name := fmt.Sprintf("%s-%s-p%d", g.work.ID, g.axis.name, g.procs)
		path, err := plot.Save(filepath.Join(svg, name+".svg"), g.picture())
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "![%s](%s)\n\n", name, path)
	}
	report.Series(out, "ns/"+g.work.Op, g.axis.name, g.sizes, g.lines(func(r stats.Row) float64 { return r.Time.Median }))
	fmt.Fprintln(out)
	report.Series(out, "peak MB", g.axis.name, g.sizes, g.lines(func(r stats.Row) float64 { return r.Peak / 1e6 }))
	return nil
}

// lines returns a figure of each contender by size.
func (g growth) lines(figure func(stats.Row) float64) (all []report.Line) {
	for _, name := range g.names() {
		line := report.Line{Contender: name}
		for _, t := range g.tables {
			row, ok := rowOf(t, name)
			switch {
			case !ok:
				line.Cells = append(line.Cells, report.Cell{})
			case row.Failed != "":
				line.Cells = append(line.Cells, report.Cell{Failed: row.Failed})
			default:
				line.Cells = append(line.Cells, report.Cell{Known: true, Value: figure(row)})
			}
		}
		all = append(all, line)
	}
	return all
}

func (g growth) picture() plot.Lines {
	p := plot.Lines{
		Title: fmt.Sprintf("%s by %s, GOMAXPROCS=%d", g.work.ID, g.axis.name, g.procs),
		X:     g.axis.name,
		Y:     "ns/" + g.work.Op,
	}
	for _, line := range g.lines(func(r stats.Row) float64 { return r.Time.Median }) {
		l := plot.Line{Name: line.Contender, Kind: report.Kind(line.Contender, g.work.Bases)}
		for i, cell := range line.Cells {
			if cell.Known {
				l.Points = append(l.Points, plot.Point{X: float64(g.sizes[i]), Y: cell.Value})
			}
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}
