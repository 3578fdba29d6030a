// Command fuzz runs the fuzz targets of the repository one after the other: everything that is
// decoded from outside has one.
//
//	go -C lab run ./fuzz                      ten minutes each
//	go -C lab run ./fuzz -for 30s             half a minute each
//	go -C lab run ./fuzz -for 1h layout cache only these, by the names of surfaces
//	go -C lab run ./fuzz -list                what there is
//
// It prints a line for each target, and exits with status 1 if one finds something: the go command
// has then written the input into the target's folder testdata, where tests run it from then on.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

var errFindings = errors.New("fuzz: some targets have findings")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		stop()
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:gocritic // stop is called
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	root := flags.String("root", "..", "the root of the repository")
	each := flags.Duration("for", 10*time.Minute, "how long to run each target")
	parallel := flags.Int("parallel", 0, "how many processes a target has; 0: as many as there are processors")
	list := flags.Bool("list", false, "only print the targets")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(flags.Args())
	if err != nil {
		return err
	}
	if *list {
		for _, t := range chosen {
			fmt.Fprintf(out, "%-10s %s in %s: %s\n", t.surface, t.function, t.folder, t.decodes)
		}
		return nil
	}
	failed := false
	for _, t := range chosen {
		result, err := t.fuzz(ctx, *root, *each, *parallel)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		fmt.Fprintf(out, "%-10s %s\n", t.surface, result)
		failed = failed || err != nil
	}
	if failed {
		return errFindings
	}
	return nil
}
