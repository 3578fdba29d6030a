package main

import (
	"context"
	"flag"
	"io"

	"github.com/movenext/movenext/codegen/internal/prove/library"
)

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
