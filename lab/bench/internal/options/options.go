// Package options has the flags that the commands of this module share, and their
// meaning.
package options

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/internal/report"
	"github.com/movenext/movenext/lab/bench/internal/runner"
	"github.com/movenext/movenext/lab/bench/internal/usage"
	"github.com/movenext/movenext/lab/bench/suite"
)

// Options are the flags' values.
type Options struct {
	Works      string
	Contenders string
	Rounds     int
	Reps       int
	Scale      int
	GOGC       string
	Nap        time.Duration
	Limit      time.Duration
	Memory     int64
	Repeat     bool
	Targets    bool
}

// Register adds the flags to a set. works is the default of -works.
func (o *Options) Register(flags *flag.FlagSet, works string) {
	flags.StringVar(&o.Works, "works", works, "works, separated by commas; W6 means W6a to W6d; empty: all")
	flags.StringVar(&o.Contenders, "contenders", "", "a regular expression for the names of contenders beside those that ratios refer to; empty: all")
	flags.IntVar(&o.Rounds, "rounds", 5, "rounds, in each of which all contenders run once")
	flags.IntVar(&o.Reps, "reps", 3, "repetitions within a process, of which the quickest counts")
	flags.IntVar(&o.Scale, "scale", 1, "make the works so many times smaller")
	flags.StringVar(&o.GOGC, "gogc", "100", "GOGC of the processes that are measured")
	flags.DurationVar(&o.Nap, "nap", 0, "how long sleepers sleep (default 8s, less if scaled down)")
	flags.DurationVar(&o.Limit, "limit", 5*time.Minute, "the longest that one process may take")
	flags.Int64Var(&o.Memory, "memory", max(0, usage.Available()*4/5), "the most memory in bytes that one process may use, 0 for no limit; by default four fifths of what is free")
	flags.BoolVar(&o.Targets, "targets", false, "only those contenders that have a target, beside those that ratios refer to, and only works with such")
	flags.BoolVar(&o.Repeat, "repeat", true, "repeat rounds that other processes disturbed, at most once each")
}

// Check reports what is wrong with the values.
func (o *Options) Check() error {
	for name, v := range map[string]int{"rounds": o.Rounds, "reps": o.Reps, "scale": o.Scale} {
		if v < 1 {
			return fmt.Errorf("options: -%s is %d, where 1 is the least", name, v)
		}
	}
	if _, err := regexp.Compile(o.Contenders); err != nil {
		return fmt.Errorf("options: -contenders: %w", err)
	}
	return nil
}

// Select returns the selected works, in their own order.
func (o *Options) Select(all []*suite.Work) ([]*suite.Work, error) {
	if o.Targets {
		all = slices.DeleteFunc(slices.Clone(all), func(w *suite.Work) bool { return len(w.Targets) == 0 })
	}
	if o.Works == "" {
		return all, nil
	}
	wanted := map[*suite.Work]bool{}
	for _, name := range strings.Split(o.Works, ",") {
		found := false
		for _, w := range all {
			if w.ID == name || strings.TrimRight(w.ID, "abcd") == name {
				wanted[w], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("options: -works: there is no work %q", name)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(w *suite.Work) bool { return !wanted[w] }), nil
}

// Choose returns the selected contenders of the workload that support n operations. Contenders to
// which ratios refer are always selected.
func (o *Options) Choose(w *suite.Work, n int) []string {
	wanted := regexp.MustCompile(o.Contenders)
	var names []string
	for _, c := range w.Contenders {
		able := c.Most == 0 || n <= c.Most
		if able && (slices.Contains(w.Bases, c.Name) || wanted.MatchString(c.Name) && (!o.Targets || hasTarget(w, c.Name))) {
			names = append(names, c.Name)
		}
	}
	return names
}

func hasTarget(w *suite.Work, contender string) bool {
	return slices.ContainsFunc(w.Targets, func(t suite.Target) bool { return t.Contender == contender })
}

// Plan returns the plan for measuring n operations.
func (o *Options) Plan(n int) measure.Plan {
	return measure.Plan{
		N:       n,
		Reps:    o.Reps,
		AtLeast: 50 * time.Millisecond,
		Setting: suite.Setting{Nap: o.nap()},
	}
}

// nap is long enough that all sleepers can be started before the first of them wakes up.
func (o *Options) nap() time.Duration {
	if o.Nap > 0 {
		return o.Nap
	}
	return max(8*time.Second/time.Duration(o.Scale), 200*time.Millisecond)
}

// Binary returns the binary at path, set up as the children are started.
func (o *Options) Binary(path string, procs int) childproc.Binary {
	return childproc.Binary{Path: path, Procs: procs, GOGC: o.GOGC, Limit: o.Limit, Memory: o.Memory}
}

// Runner returns the field of a binary's contenders.
func (o *Options) Runner(binary childproc.Binary, log io.Writer) runner.Runner {
	return runner.Runner{Try: binary.Run, Rounds: o.Rounds, Repeat: o.Repeat, Log: log}
}

// Conditions returns the conditions printed above a table. procs is GOMAXPROCS; below 1: as many
// as the machine has.
func (o *Options) Conditions(procs int) report.Conditions {
	c := report.Here()
	if procs > 0 {
		c.Procs = procs
	}
	c.Rounds, c.Reps, c.Scale, c.GOGC, c.Nap = o.Rounds, o.Reps, o.Scale, o.GOGC, o.nap()
	return c
}
