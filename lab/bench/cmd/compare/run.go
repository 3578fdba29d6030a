package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/internal/report"
	"github.com/movenext/movenext/lab/bench/suite"
	"github.com/movenext/movenext/lab/bench/workloads"
)

// run compares the version in the current folder with another one.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c, err := parse(args, stderr)
	if err != nil {
		return err
	}
	selected, err := c.Select(workloads.All())
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "movenext-compare-")
	if err != nil {
		return fmt.Errorf("a folder for binaries: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }() // it is a temporary one
	theirs, err := c.other(ctx, temp)
	if err != nil {
		return err
	}
	ours, err := this(ctx, temp)
	if err != nil {
		return err
	}
	other := c.Binary(theirs, c.procs)
	listed, err := other.Works(ctx)
	if err != nil {
		return fmt.Errorf("asking the other version for its workloads: %w", err)
	}
	comparison := comparison{
		config: c,
		older:  version{"the other version", other.Run},
		newer:  version{"this version", c.Binary(ours, c.procs).Run},
		log:    stderr,
	}
	for _, w := range selected {
		if err := comparison.compare(ctx, w, listed); err != nil {
			return err
		}
	}
	return comparison.conclude(stdout)
}

// comparison collects the results of the workloads.
type comparison struct {
	config
	older, newer version
	log          io.Writer

	changes []change
	notes   []string
	failed  int // contenders that run the workload in the other version, but fail in this one
}

func (c *comparison) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// compare compares the contenders of a workload that both versions have.
func (c *comparison) compare(ctx context.Context, w *suite.Work, listed []childproc.Listing) error {
	i := slices.IndexFunc(listed, func(l childproc.Listing) bool { return l.ID == w.ID })
	if i < 0 {
		c.note("%s: the other version does not have this work", w.ID)
		return nil
	}
	n := max(1, w.N/c.Scale)
	base := w.Bases[0]
	var names []string
	for _, name := range c.Choose(w, n) {
		switch {
		case name != base && !report.Ours(name):
			continue // a base that only serves as a column of tables
		case slices.Contains(listed[i].Contenders, name):
			names = append(names, name)
		default:
			c.note("%s: the other version does not have %q", w.ID, name)
		}
	}
	if !slices.Contains(names, base) {
		return fmt.Errorf("%s: the other version does not have %q, to which all others are compared", w.ID, base)
	}
	pairs, failed, err := runPairs(ctx, c.older, c.newer, w.ID, names, c.Plan(n), c.pairs, c.log)
	if err != nil {
		return err
	}
	c.judge(w, base, names, pairs, failed)
	return nil
}

func (c *comparison) judge(w *suite.Work, base string, names []string, pairs []pair, failed failures) {
	for _, name := range names {
		older, newer := failed.old[name], failed.new[name]
		switch {
		case newer != "" && older == "":
			c.failed++
			c.note("%s: %s **fails** in this version alone: %s", w.ID, name, newer)
		case newer != "":
			c.note("%s: %s fails in both versions: %s", w.ID, name, newer)
		case older != "":
			c.note("%s: %s fails in the other version alone: %s", w.ID, name, older)
		case name != base:
			c.changes = append(c.changes, judge(w.ID, name, base, w.Guarded, pairs, c.tolerance)...)
		}
	}
}

// conclude prints the findings, and returns errWorse if something is worse.
func (c *comparison) conclude(out io.Writer) error {
	c.Conditions(c.procs).Compared(out, c.pairs)
	worse := c.failed
	report.Row(out, "work", "contender", "measure", "other", "this", "factor", "least – most", "verdict")
	fmt.Fprintln(out, "|---|---|---|--:|--:|--:|--:|---|")
	for _, ch := range c.changes {
		verdict := "fine"
		if ch.worse {
			verdict = "**worse**"
			worse++
		}
		report.Row(out, ch.work, ch.contender, string(ch.measure), report.Number(ch.old), report.Number(ch.new),
			report.Number(ch.factor.Median), report.Number(ch.factor.Least)+" – "+report.Number(ch.factor.Most), verdict)
	}
	fmt.Fprintln(out)
	for _, note := range c.notes {
		fmt.Fprintf(out, "- %s\n", note)
	}
	switch {
	case worse > 0:
		return fmt.Errorf("%w in %d of %d figures", errWorse, worse, len(c.changes)+c.failed)
	case len(c.changes) == 0:
		return errors.New("nothing was compared: the versions have no contender of this library in common")
	}
	return nil
}
