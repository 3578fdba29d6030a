package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"

	"github.com/movenext/movenext/lab/prove/batch"
	"github.com/movenext/movenext/lab/prove/programs"
)

func fuzz(ctx context.Context, args []string, out io.Writer) error {
	c := newCampaign(out)
	c.preamble, c.mend = programs.Preamble, programs.Mend
	var options programs.Options
	flags := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	n := flags.Uint64("n", 300, "how many programs")
	flags.Uint64Var(&c.first, "seed", 1, "of the first; each program has the seed after that of the one before it")
	dir := flags.String("dir", "", "work here, and leave the files of the last batches; otherwise in a temporary folder")
	jobs := flags.Int("jobs", runtime.GOMAXPROCS(0), "how many batches to work on at once")
	flags.Uint64Var(&c.size, "batch", 300, "how many programs share a binary")
	flags.IntVar(&c.shrinks, "shrink", 3, "how many findings to make smaller")
	flags.IntVar(&options.Functions, "functions", 0, "how many functions a program has beside the one that is run; 0: some none, some a few")
	flags.IntVar(&options.Statements, "statements", 0, "how many statements a function has; 0: some few, some many")
	flags.BoolVar(&options.LiteralsSuspend, "literals", true, "suspend in literals that are called where they stand")
	flags.BoolVar(&options.DefersSuspend, "defers", true, "suspend in deferred calls and literals")
	flags.BoolVar(&options.RangeFuncsSuspend, "rangefuncs", true, "suspend in the bodies of loops over functions")
	if err := flags.Parse(args); err != nil {
		return err
	}
	path, clean, err := workFolder(*dir)
	if err != nil {
		return err
	}
	defer clean()
	c.write = func(seed uint64) (batch.Program, error) {
		name := fmt.Sprintf("P%d", seed)
		source, err := programs.Write(seed, name, options)
		return batch.Program{Name: name, Source: source}, err
	}
	c.next, c.last = c.first, c.first+*n
	if err := c.run(ctx, path, *jobs); err != nil {
		return err
	}
	return c.conclude()
}
