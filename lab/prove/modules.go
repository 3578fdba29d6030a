package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/movenext/movenext/lab/prove/library"
)

// pinned lists modules, one per line.
//
//go:embed modules.txt
var pinned string

func modules(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("modules", flag.ContinueOnError)
	run := newTestRun(flags)
	flags.BoolVar(&run.Lower, "lower", false, "only generate the machines, to see what is refused")
	flags.BoolVar(&run.Quick, "quick", false, "build without optimising, and do not compare the sizes of binaries: half the time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := chooseModules(flags.Args())
	if err != nil {
		return err
	}
	return run.do(out, "modules", func(options library.Options, report func(*library.Package)) error {
		return library.RunModules(ctx, options, report, chosen...)
	})
}

// chooseModules returns modules: those of the list that match one of the patterns (all of them if
// there are no patterns), and those that are not in the list: folders, and modules with a version.
func chooseModules(args []string) ([]string, error) {
	var listed, chosen []string
	for line := range strings.Lines(pinned) {
		line, _, _ = strings.Cut(line, "#")
		if fields := strings.Fields(line); len(fields) == 2 {
			listed = append(listed, fields[0]+"@"+fields[1])
		}
	}
	if len(args) == 0 {
		return listed, nil
	}
	for _, arg := range args {
		if strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "/") || strings.Contains(arg, "@") {
			chosen = append(chosen, arg)
			continue
		}
		pattern, err := regexp.Compile(arg)
		if err != nil {
			return nil, fmt.Errorf("modules: %w", err)
		}
		matching := slices.DeleteFunc(slices.Clone(listed), func(name string) bool { return !pattern.MatchString(name) })
		if len(matching) == 0 {
			return nil, fmt.Errorf("modules: %q matches no module of the list", arg)
		}
		chosen = append(chosen, matching...)
	}
	return chosen, nil
}
