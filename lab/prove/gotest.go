package main

import (
	"context"
	"flag"
	"fmt"
	"go/build"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/movenext/movenext/lab/prove/transpose"
)

func gotest(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("gotest", flag.ContinueOnError)
	dir := flags.String("dir", "", "work here, and leave the files of the last programs; otherwise in a temporary folder")
	only := flags.String("only", "", "a regular expression for the paths of the programs")
	options := transpose.Options{Progress: out}
	flags.StringVar(&options.After, "after", "", "go on behind the program with this path, the last that another run spoke of")
	flags.IntVar(&options.AtOnce, "batch", 50, "how many programs share a binary")
	flags.DurationVar(&options.Patience, "patience", 5*time.Minute, "how long one run of a program may take")
	err := flags.Parse(args)
	if err != nil {
		return err
	}
	if options.Only, err = regexp.Compile(*only); err != nil {
		return err
	}
	folder := flags.Arg(0)
	if folder == "" {
		folder = filepath.Join(build.Default.GOROOT, "test")
	}
	path, clean, err := workFolder(*dir)
	if err != nil {
		return err
	}
	defer clean()
	report, err := transpose.Run(ctx, folder, filepath.Join(path, "module"), options)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d programs: %d print as machines what they should, %d differ\n", report.Programs, report.Same, len(report.Different))
	fmt.Fprintf(out, "%d functions: %d lowered\n", report.Functions, report.Lowered)
	byCount(out, "functions refused", report.Refused)
	byCount(out, "programs left out", report.LeftOut)
	for _, path := range slices.Sorted(maps.Keys(report.Different)) {
		fmt.Fprintf(out, "different: %s: %s\n", path, report.Different[path])
	}
	if len(report.Different) > 0 {
		return errFound
	}
	return nil
}
