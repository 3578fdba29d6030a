package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/internal/coverage"
)

const coverUsage = `usage: movenext cover [flags] profile

cover moves the counts of generated code in a coverage profile to the source,
adds them to those of the plain form, and removes generated files from it.

  -o file        write to file instead of in place
  -tags list, -goos os, -goarch arch, -C dir   as for generate
`

var errOneProfile = errors.New("cover needs one profile")

// coverOptions are the options on the command line of cover.
type coverOptions struct {
	config  codegen.Config
	profile string
	out     string
}

func coverProfile(args []string, stderr io.Writer) int {
	o, err := parseCover(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		return exitUsage
	}
	data, err := os.ReadFile(o.profile)
	var found []codegen.Diagnostic
	if err == nil {
		data, found, err = coverage.Move(o.config, data)
	}
	if len(found) > 0 {
		printLines(io.Discard, stderr, "cover", &codegen.Result{Diagnostics: found})
		return exitFindings
	}
	if err == nil {
		err = os.WriteFile(o.out, data, 0o644)
	}
	if err != nil {
		fmt.Fprintf(printed{stderr}, "movenext: %s: %s\n", o.profile, strings.TrimPrefix(err.Error(), "codegen: "))
		return exitUsage
	}
	return exitOK
}

// parseCover reads the command line. It prints a usage error before returning it.
func parseCover(args []string, stderr io.Writer) (*coverOptions, error) {
	o := &coverOptions{}
	flags := flag.NewFlagSet("movenext cover", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, coverUsage) }
	flags.StringVar(&o.out, "o", "", "")
	addBuildFlags(flags, &o.config)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() != 1 {
		fmt.Fprint(stderr, coverUsage)
		return nil, errOneProfile
	}
	o.profile = flags.Arg(0)
	o.out = cmp.Or(o.out, o.profile)
	return o, nil
}
