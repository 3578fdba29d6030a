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
	"github.com/movenext/movenext/codegen/internal/prove/library"
)

func stdtest(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("stdtest", flag.ContinueOnError)
	dir := flags.String("dir", "", "copy to this folder, and leave the copies; otherwise to a temporary folder")
	options := library.Options{Mode: codegen.Release}
	flags.Var(&options.Mode, "mode", "the form of the machines: release or debug")
	flags.IntVar(&options.Every, "points", 1, "a suspension point in front of every nth statement of a function, beginning with the first")
	flags.IntVar(&options.First, "first", 20, "each point suspends the first times that it is passed")
	flags.IntVar(&options.Seldom, "seldom", 500, "and later once in so many times")
	flags.StringVar(&options.Functions, "functions", "all", "which run as machines if plain code calls them: from-to, as numbered in the file functions.txt of the copy, without the last")
	flags.StringVar(&options.Only, "run", "", "a pattern for the names of tests, as for go test -run")
	flags.BoolVar(&options.Long, "long", false, "run what go test -short leaves out")
	flags.DurationVar(&options.Patience, "patience", 5*time.Minute, "how long the tests of a package may take, once")
	if err := flags.Parse(args); err != nil {
		return err
	}
	path, clean, err := workFolder(*dir)
	if err != nil {
		return err
	}
	defer clean()
	options.Dir = path
	var all library.Package
	all.Refused, all.LeftOut = map[string]int{}, map[string]string{}
	packages, different := 0, 0
	err = library.Run(ctx, options, func(p *library.Package) {
		printPackage(out, p)
		if different += len(p.Different); p.Err != nil {
			return
		}
		packages++
		all.Functions, all.Machines = all.Functions+p.Functions, all.Machines+p.Machines
		all.Points, all.Suspended = all.Points+p.Points, all.Suspended+p.Suspended
		all.Passed, all.Same = all.Passed+p.Passed, all.Same+p.Same
		for why, n := range p.Refused {
			all.Refused[why] += n
		}
	}, flags.Args()...)
	fmt.Fprintf(out, "%d packages, %d functions, %d machines, which suspended at %d of %d points: of %d tests that pass as plain Go, %d pass as machines\n",
		packages, all.Functions, all.Machines, all.Suspended, all.Points, all.Passed, all.Same)
	byCount(out, "functions refused", all.Refused)
	if err == nil && different > 0 {
		err = errFound
	}
	return err
}

// longest is how much is printed of what a test prints.
const longest = 3000

func printPackage(out io.Writer, p *library.Package) {
	if p.Err != nil {
		fmt.Fprintf(out, "%s is left out: %v\n", p.Path, p.Err)
	} else {
		fmt.Fprintf(out, "%s: %d functions, %d machines, %d of %d points; %d tests, %d the same\n", p.Path, p.Functions, p.Machines, p.Suspended, p.Points, p.Passed, p.Same)
	}
	for _, name := range slices.Sorted(maps.Keys(p.LeftOut)) {
		fmt.Fprintf(out, "\tleft out: %s: %s\n", name, p.LeftOut[name])
	}
	for _, name := range slices.Sorted(maps.Keys(p.Different)) {
		text := strings.ReplaceAll(p.Different[name], "\x16", "")
		fmt.Fprintf(out, "different: %s: %s: %s\n", p.Path, name, text[:min(len(text), longest)])
	}
}
