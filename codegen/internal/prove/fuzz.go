package main

import (
	"context"
	"flag"
	"fmt"
	"go/format"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/movenext/movenext/codegen/internal/prove/batch"
	"github.com/movenext/movenext/codegen/internal/prove/programs"
	"github.com/movenext/movenext/codegen/internal/prove/shrink"
)

// campaign is one run of fuzz.
type campaign struct {
	out     io.Writer
	module  *batch.Module
	options programs.Options
	size    int // programs in a batch
	shrinks int // how many findings are still to be made smaller
	counts  map[batch.Verdict]int
	reasons map[string]int // of refusals
}

func fuzz(ctx context.Context, args []string, out io.Writer) error {
	c := &campaign{out: out, counts: map[batch.Verdict]int{}, reasons: map[string]int{}}
	flags := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	n := flags.Uint64("n", 300, "how many programs")
	seed := flags.Uint64("seed", 1, "of the first; each program has the seed after that of the one before it")
	dir := flags.String("dir", "", "work here, and leave the files of the last batch; otherwise in a temporary folder")
	flags.IntVar(&c.size, "batch", 300, "how many programs share a binary")
	flags.IntVar(&c.shrinks, "shrink", 3, "how many findings to make smaller")
	flags.IntVar(&c.options.Functions, "functions", 2, "how many functions a program has at most, beside the one that is run")
	flags.IntVar(&c.options.Statements, "statements", 12, "how many statements a function has at most")
	flags.BoolVar(&c.options.LiteralsSuspend, "literals", true, "suspend in literals that are called where they stand")
	flags.BoolVar(&c.options.DefersSuspend, "defers", true, "suspend in deferred calls and literals")
	flags.BoolVar(&c.options.RangeFuncsSuspend, "rangefuncs", true, "suspend in the bodies of loops over functions")
	if err := flags.Parse(args); err != nil {
		return err
	}
	path, clean, err := workFolder(*dir)
	if err != nil {
		return err
	}
	defer clean()
	if c.module, err = batch.NewModule(path, programs.Preamble); err != nil {
		return err
	}
	return c.run(ctx, *seed, *n)
}

func (c *campaign) run(ctx context.Context, seed, n uint64) error {
	start := time.Now()
	for done := uint64(0); done < n; {
		size := min(uint64(c.size), n-done)
		if err := c.batch(ctx, seed+done, size); err != nil {
			return err
		}
		done += size
		fmt.Fprintf(c.out, "%d programs in %v: %s\n", done, time.Since(start).Round(time.Second), c.totals())
	}
	byCount(c.out, "refused", c.reasons)
	if c.counts[batch.Different]+c.counts[batch.Defect]+c.counts[batch.Crashed] > 0 {
		return errFound
	}
	return nil
}

func (c *campaign) totals() string {
	return fmt.Sprintf("%d the same, %d refused, %d different, %d defects, %d crashed",
		c.counts[batch.Same], c.counts[batch.Refused], c.counts[batch.Different], c.counts[batch.Defect], c.counts[batch.Crashed])
}

// batch writes and compares the programs of size seeds.
func (c *campaign) batch(ctx context.Context, seed, size uint64) error {
	var list []batch.Program
	for s := seed; s < seed+size; s++ {
		name := fmt.Sprintf("P%d", s)
		source, err := programs.Write(s, name, c.options)
		if err != nil {
			return err
		}
		list = append(list, batch.Program{Name: name, Source: source})
	}
	found, err := c.module.Compare(ctx, list)
	if err != nil {
		return err
	}
	for _, f := range found {
		c.counts[f.Verdict]++
		switch f.Verdict {
		case batch.Same:
		case batch.Refused:
			c.reasons[reason(f)]++
		default:
			if err := c.report(ctx, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// reason is what a refusal says first, without its place.
func reason(f batch.Finding) string {
	first, _, _ := strings.Cut(f.Detail, ";")
	_, what, _ := strings.Cut(first, ": ")
	return what
}

// report prints a finding, made smaller if that is still wanted.
func (c *campaign) report(ctx context.Context, f batch.Finding) error {
	fmt.Fprintf(c.out, "\n%s (seed %s): %s\n", f.Verdict, f.Program.Name[1:], f.Detail)
	if c.shrinks == 0 {
		return nil
	}
	c.shrinks--
	name := f.Program.Name
	small, err := shrink.Shrink(f.Program.Source, shrink.Test{
		Mend:   programs.Mend,
		AtOnce: c.size / 2,
		Fails:  func(sources []string) ([]bool, error) { return c.fails(ctx, f, sources) },
	})
	if err != nil {
		return err
	}
	again, err := c.module.Compare(ctx, []batch.Program{{Name: name, Source: small}})
	if err != nil {
		return err
	}
	if pretty, err := format.Source([]byte(small)); err == nil {
		small = string(pretty)
	}
	fmt.Fprintf(c.out, "\n%s\n%s: %s\n\n", small, again[0].Verdict, again[0].Detail)
	return nil
}

// fails reports which sources have the verdict of f.
func (c *campaign) fails(ctx context.Context, f batch.Finding, sources []string) ([]bool, error) {
	if len(sources) == 0 {
		return nil, nil
	}
	var list []batch.Program
	for i, source := range sources {
		name := fmt.Sprintf("Q%d", i)
		list = append(list, batch.Program{Name: name, Source: strings.ReplaceAll(source, f.Program.Name, name)})
	}
	found, err := c.module.Compare(ctx, list)
	if err != nil {
		return nil, err
	}
	fails := make([]bool, len(found))
	for i, again := range found {
		fails[i] = again.Verdict == f.Verdict && kind(again) == kind(f)
	}
	return fails, nil
}

// kind is what programs have in common that show the same defect: its message, without
// names and numbers of one program. Differences are all of one kind.
func kind(f batch.Finding) string {
	if f.Verdict != batch.Defect {
		return ""
	}
	what := reason(f)
	if _, message, ok := strings.Cut(what, "would not compile: "); ok {
		_, what, _ = strings.Cut(message, " ")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, what)
}
