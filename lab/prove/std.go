package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/movenext/movenext/lab/prove/standard"
)

func std(_ context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("std", flag.ContinueOnError)
	dir := flags.String("dir", "", "copy to this folder, and leave the copies; otherwise to a temporary folder")
	if err := flags.Parse(args); err != nil {
		return err
	}
	patterns := flags.Args()
	if len(patterns) == 0 {
		patterns = []string{"std"}
	}
	path, clean, err := workFolder(*dir)
	if err != nil {
		return err
	}
	defer clean()
	report, err := standard.Lower(path, out, patterns...)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d functions in %d packages: %d lowered and type-checked\n", report.Functions, report.Packages, report.Lowered)
	byCount(out, "refused", report.Refused)
	for _, name := range slices.Sorted(maps.Keys(report.Excluded)) {
		fmt.Fprintf(out, "excluded: %s: %s\n", name, report.Excluded[name])
	}
	for _, d := range report.Defects {
		fmt.Fprintf(out, "defect: %s\n", d)
	}
	if len(report.Defects) > 0 {
		return errFound
	}
	return nil
}

// byCount prints reasons, the most frequent first.
func byCount(out io.Writer, what string, reasons map[string]int) {
	list := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	})
	for _, reason := range list {
		fmt.Fprintf(out, "%6d %s: %s\n", reasons[reason], what, reason)
	}
}
