package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/lab/prove/library"
)

// testRun has the flags of commands that run tests that were not written for machines.
type testRun struct {
	library.Options
}

func newTestRun(flags *flag.FlagSet) *testRun {
	r := &testRun{library.Options{Mode: codegen.Release}}
	flags.StringVar(&r.Dir, "dir", "", "copy to this folder, and leave the copies; otherwise to a temporary folder")
	flags.Var(&r.Mode, "mode", "the form of the machines: release or debug")
	flags.IntVar(&r.Every, "points", 1, "a suspension point in front of every nth statement of a function, beginning with the first")
	flags.IntVar(&r.First, "first", 20, "each point suspends the first times that it is passed")
	flags.IntVar(&r.Seldom, "seldom", 500, "and later once in so many times")
	flags.StringVar(&r.Functions, "functions", "all", "which run as machines if plain code calls them: from-to, as numbered in the file functions.txt of the copy, without the last")
	flags.StringVar(&r.Only, "run", "", "a pattern for the names of tests, as for go test -run")
	flags.BoolVar(&r.Long, "long", false, "run what go test -short leaves out")
	flags.DurationVar(&r.Patience, "patience", 5*time.Minute, "how long the tests of a package may take in each form; a test that takes half of what is left is ended")
	return r
}

// do prints the reports of run and their sums; what names the things that run reports about. It
// fails with errFound if tests differ.
func (r *testRun) do(out io.Writer, what string, run func(options library.Options, report func(*library.Package)) error) error {
	path, clean, err := workFolder(r.Dir)
	if err != nil {
		return err
	}
	defer clean()
	r.Dir = path
	all := library.Package{Refused: map[string]int{}}
	reported, different := 0, 0
	err = run(r.Options, func(p *library.Package) {
		printPackage(out, p)
		if different += len(p.Different); p.Err == nil {
			reported++
			sum(&all, p)
		}
	})
	fmt.Fprintf(out, "%d %s, %d functions, %d machines, which suspended at %d of %d points: of %d tests that pass as plain Go, %d pass as machines\n",
		reported, what, all.Functions, all.Machines, all.Suspended, all.Points, all.Passed, all.Same)
	printMore(out, &all)
	byCount(out, "functions refused", all.Refused)
	if err == nil && different > 0 {
		err = errFound
	}
	return err
}

func sum(all, p *library.Package) {
	all.Functions, all.Machines = all.Functions+p.Functions, all.Machines+p.Machines
	all.Points, all.Suspended = all.Points+p.Points, all.Suspended+p.Suspended
	all.Passed, all.Same = all.Passed+p.Passed, all.Same+p.Same
	all.Parts, all.SameParts = all.Parts+p.Parts, all.SameParts+p.SameParts
	all.PlainSize, all.Size = all.PlainSize+p.PlainSize, all.Size+p.Size
	for why, n := range p.Refused {
		all.Refused[why] += n
	}
}

// longest limits the printed output of a test.
const longest = 3000

func printPackage(out io.Writer, p *library.Package) {
	if p.Err != nil {
		fmt.Fprintf(out, "%s is left out: %v\n", p.Path, p.Err)
	} else {
		fmt.Fprintf(out, "%s: %d functions, %d machines, %d of %d points; %d tests, %d the same\n", p.Path, p.Functions, p.Machines, p.Suspended, p.Points, p.Passed, p.Same)
		printMore(out, p)
		byCount(out, "refused", p.Refused)
	}
	for _, name := range slices.Sorted(maps.Keys(p.LeftOut)) {
		fmt.Fprintf(out, "\tleft out: %s: %s\n", name, p.LeftOut[name])
	}
	for _, name := range slices.Sorted(maps.Keys(p.Different)) {
		text := excerpt(strings.ReplaceAll(p.Different[name], "\x16", ""))
		fmt.Fprintf(out, "different: %s: %s: %s\n", p.Path, name, text)
	}
}

// excerpt returns the beginning of a test's output, and its most informative part: the panic, or
// else the lines before the first failure, perhaps of a subtest.
func excerpt(text string) string {
	at := strings.Index(text, "\npanic: ")
	if at < 0 {
		at = strings.Index(text, "--- FAIL") - longest/2
	}
	if at > longest {
		text = text[:longest/2] + "\n…" + text[at:]
	}
	return text[:min(len(text), longest+longest/2)]
}

// printMore prints the figures that exist only for modules.
func printMore(out io.Writer, p *library.Package) {
	if p.PlainSize == 0 {
		return
	}
	const megabyte = 1e6
	fmt.Fprintf(out, "\tof %d tests within tests that pass as plain Go, %d pass as machines; binaries of tests: %.1f MB as they are, %.1f MB with machines, × %.2f\n",
		p.Parts, p.SameParts, float64(p.PlainSize)/megabyte, float64(p.Size)/megabyte, float64(p.Size)/float64(p.PlainSize))
}

func stdtest(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("stdtest", flag.ContinueOnError)
	run := newTestRun(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	return run.do(out, "packages", func(options library.Options, report func(*library.Package)) error {
		return library.Run(ctx, options, report, flags.Args()...)
	})
}
