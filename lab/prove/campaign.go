package main

import (
	"context"
	"fmt"
	"go/format"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/movenext/movenext/lab/prove/batch"
	"github.com/movenext/movenext/lab/prove/shrink"
)

// campaign is one run of fuzz: workers that take batches one after another.
type campaign struct {
	preamble string
	write    func(seed uint64) (batch.Program, error) // a program without source is left out
	// makes a smaller program valid; nil: all programs are small
	mend        func(source string) (string, error)
	size        uint64 // programs in a batch
	first, last uint64 // seeds

	mu      sync.Mutex
	out     io.Writer
	start   time.Time
	next    uint64          // the first seed not yet taken
	open    map[uint64]bool // the first seeds of unfinished batches
	shrinks int             // how many findings may still be shrunk
	totals
}

// totals count the compared programs.
type totals struct {
	programs, functions, points int
	verdicts                    map[batch.Verdict]int
	reasons                     map[string]int // of refusals
}

// conclude prints the findings, and fails if there are any.
func (c *campaign) conclude() error {
	fmt.Fprintf(c.out, "%d programs, %d functions, %d suspension points: %s\n", c.programs, c.functions, c.points, c.totals)
	byCount(c.out, "refused", c.reasons)
	if c.verdicts[batch.Different]+c.verdicts[batch.Defect]+c.verdicts[batch.Crashed] > 0 {
		return errFound
	}
	return nil
}

func newCampaign(out io.Writer) *campaign {
	return &campaign{out: out, start: time.Now(), open: map[uint64]bool{}, totals: totals{verdicts: map[batch.Verdict]int{}, reasons: map[string]int{}}}
}

// run works until all seeds are done or one worker fails.
func (c *campaign) run(ctx context.Context, path string, jobs int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	for i := range max(1, jobs) {
		workers.Go(func() {
			if err := c.work(ctx, filepath.Join(path, fmt.Sprint("worker", i))); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// work takes batches until there are none left.
func (c *campaign) work(ctx context.Context, path string) error {
	module, err := batch.NewModule(path, c.preamble)
	if err != nil {
		return err
	}
	w := &worker{c, module}
	for ctx.Err() == nil {
		seed, size := c.take()
		if size == 0 {
			return nil
		}
		if err := w.batch(ctx, seed, size); err != nil {
			return err
		}
		c.reportProgress(seed)
	}
	return nil
}

// take returns the first seed and the size of a batch; the size is 0 if all are taken.
func (c *campaign) take() (seed, size uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seed, size = c.next, min(c.size, c.last-c.next)
	if size > 0 {
		c.next += size
		c.open[seed] = true
	}
	return seed, size
}

// reportProgress reports the progress of the campaign, and where a later one should resume.
func (c *campaign) reportProgress(seed uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, seed)
	rest := c.next
	for open := range c.open {
		rest = min(rest, open)
	}
	fmt.Fprintf(c.out, "%d programs in %v: %s; all seeds below %d are done\n", c.programs, time.Since(c.start).Round(time.Second), c.totals, rest)
}

func (t totals) String() string {
	return fmt.Sprintf("%d the same, %d refused, %d different, %d defects, %d crashed",
		t.verdicts[batch.Same], t.verdicts[batch.Refused], t.verdicts[batch.Different], t.verdicts[batch.Defect], t.verdicts[batch.Crashed])
}

// worker processes batches in a module of its own.
type worker struct {
	*campaign
	module *batch.Module
}

// inlined is the number of batches of which one is built with the compiler's inlining, as users
// build. The others take two thirds of the time. Only the optimizer's input differs: the lowering
// is the same, so most batches are built the cheap way.
const inlined = 4

// batch writes and compares the programs of size seeds.
func (w *worker) batch(ctx context.Context, seed, size uint64) error {
	var list []batch.Program
	for s := seed; s < seed+size; s++ {
		program, err := w.write(s)
		if err != nil {
			return err
		}
		if program.Source != "" {
			list = append(list, program)
		}
	}
	if len(list) == 0 {
		return nil
	}
	w.module.Inline = seed/w.size%inlined == 0
	found, err := w.module.Compare(ctx, list)
	if err != nil {
		return err
	}
	for _, f := range found {
		if w.count(f) {
			continue
		}
		if err := w.report(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// count counts a finding, and reports whether it has been reported often enough.
func (c *campaign) count(f batch.Finding) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.programs++
	c.functions += strings.Count(f.Program.Source, "\n//movenext:async\n")
	c.points += f.Points
	c.verdicts[f.Verdict]++
	if f.Verdict == batch.Refused {
		c.reasons[reason(f)]++
	}
	return f.Verdict == batch.Same || f.Verdict == batch.Refused
}

// reason returns the first part of a refusal, without its position.
func reason(f batch.Finding) string {
	first, _, _ := strings.Cut(f.Detail, ";")
	_, what, _ := strings.Cut(first, ": ")
	return what
}

// report prints a finding, after shrinking it if the limit allows.
func (w *worker) report(ctx context.Context, f batch.Finding) error {
	w.print("\n%s (seed %s): %s\n", f.Verdict, f.Program.Name[1:], f.Detail)
	if w.mend == nil {
		w.print("%s\n", f.Program.Source)
		return nil
	}
	if !w.mayShrink() {
		return nil
	}
	name := f.Program.Name
	small, err := shrink.Shrink(f.Program.Source, shrink.Test{
		Mend:   w.mend,
		AtOnce: int(w.size / 2),
		Fails:  func(sources []string) ([]bool, error) { return w.fails(ctx, f, sources) },
	})
	if err != nil {
		return err
	}
	again, err := w.module.Compare(ctx, []batch.Program{{Name: name, Source: small}})
	if err != nil {
		return err
	}
	if pretty, err := format.Source([]byte(small)); err == nil {
		small = string(pretty)
	}
	w.print("\nseed %s made smaller:\n%s\n%s: %s\n\n", name[1:], small, again[0].Verdict, again[0].Detail)
	return nil
}

func (c *campaign) print(text string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, text, args...)
}

// mayShrink reports whether another finding may be shrunk.
func (c *campaign) mayShrink() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shrinks--
	return c.shrinks >= 0
}

// fails reports which sources lead to the same verdict as f.
func (w *worker) fails(ctx context.Context, f batch.Finding, sources []string) ([]bool, error) {
	if len(sources) == 0 {
		return nil, nil
	}
	var list []batch.Program
	for i, source := range sources {
		name := fmt.Sprintf("Q%d", i)
		list = append(list, batch.Program{Name: name, Source: strings.ReplaceAll(source, f.Program.Name, name)})
	}
	found, err := w.module.Compare(ctx, list)
	if err != nil {
		return nil, err
	}
	fails := make([]bool, len(found))
	for i, again := range found {
		fails[i] = again.Verdict == f.Verdict && kind(again) == kind(f)
	}
	return fails, nil
}

// kind identifies a defect across programs: its message, without the names and numbers of one
// program. All differences are of one kind.
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
