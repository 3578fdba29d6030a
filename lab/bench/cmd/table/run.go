package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/movenext/movenext/lab/bench/internal/plot"
	"github.com/movenext/movenext/lab/bench/internal/report"
	"github.com/movenext/movenext/lab/bench/internal/runner"
	"github.com/movenext/movenext/lab/bench/internal/stats"
	"github.com/movenext/movenext/lab/bench/suite"
	"github.com/movenext/movenext/lab/bench/workloads"
)

// measured is a workload in the JSON file.
type measured struct {
	stats.Table
	runner.Outcome
}

// document is the JSON file.
type document struct {
	Conditions report.Conditions `json:"conditions"`
	Works      []measured        `json:"works"`
	Targets    []stats.Reached   `json:"targets"`
}

// run measures with children of the binary self. Tables are printed as soon as each is
// complete, so that an interrupted run of an hour keeps its tables.
func run(ctx context.Context, self string, args []string, stdout, stderr io.Writer) error {
	c, err := parse(args, stderr)
	if err != nil {
		return err
	}
	selected, err := c.Select(workloads.All())
	if err != nil {
		return err
	}
	if c.list {
		list(stdout, c, selected)
		return nil
	}
	doc := document{Conditions: c.Conditions(c.procs)}
	doc.Conditions.Write(stdout)
	fmt.Fprintln(stdout)
	f := c.Runner(c.Binary(self, c.procs), stderr)
	failed := 0
	for _, w := range selected {
		n := max(1, w.N/c.Scale)
		out, err := f.Run(ctx, w, c.Choose(w, n), c.Plan(n))
		if err != nil {
			return err
		}
		failed += len(out.Failed)
		table := stats.Of(w, out.Rounds, out.Failed)
		picture, err := drawn(c.svg, table)
		if err != nil {
			return err
		}
		report.Table(stdout, table, picture)
		doc.Works = append(doc.Works, measured{table, out})
		doc.Targets = append(doc.Targets, table.Targets(w)...)
		if err := c.save(doc); err != nil {
			return err
		}
	}
	report.Targets(stdout, doc.Targets)
	if failed > 0 {
		return fmt.Errorf("%d contenders failed; the tables say why", failed)
	}
	return nil
}

func list(out io.Writer, c config, selected []*suite.Work) {
	for _, w := range selected {
		fmt.Fprintf(out, "%s: %s (%d)\n", w.ID, w.Title, w.N)
		for _, name := range c.Choose(w, w.N) {
			fmt.Fprintf(out, "\t%s\n", name)
		}
	}
}

// save writes the measurements so far.
func (c config) save(doc document) error {
	if c.json == "" {
		return nil
	}
	text, err := json.MarshalIndent(doc, "", "\t")
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	if err := os.WriteFile(c.json, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// drawn draws a table into a folder and returns the path of the plot, "" if none was requested.
func drawn(folder string, t stats.Table) (string, error) {
	if folder == "" {
		return "", nil
	}
	picture := plot.Dots{Title: t.ID + ": " + t.Title, Unit: "ns/" + t.Op}
	for _, row := range t.Rows {
		if row.Failed != "" {
			continue
		}
		label := report.Number(row.Time.Median)
		if len(row.Ratios) > 0 && row.Ratios[0].Median > 0 {
			label += " (" + report.Number(row.Ratios[0].Median) + " ×)"
		}
		picture.Dots = append(picture.Dots, plot.Dot{
			Name: row.Contender, Kind: report.Kind(row.Contender, t.Bases), Label: label,
			Value: row.Time.Median, Min: row.Time.Least, Max: row.Time.Most,
		})
	}
	return plot.Save(filepath.Join(folder, t.ID+".svg"), picture)
}
