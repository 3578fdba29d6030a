// Largemodule measures the command movenext on a large module that it generates: by default 100
// packages of 10 annotated functions each.
//
//	go -C lab run ./largemodule
//
// It prints the time of a first run, which generates everything, and of later runs. It also
// prints their ratio to the time of listing the same packages and type-checking them and all
// their imports, once, from source. Each time is the median over several processes.
//
//	-packages n, -functions n   the size of the module
//	-runs n                     how many times everything is measured
//	-keep dir                   write the module to dir and leave it there
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"golang.org/x/tools/go/packages"
)

const command = "github.com/movenext/movenext/codegen/cmd/movenext"

func main() {
	var (
		size module
		runs = flag.Int("runs", 5, "")
		keep = flag.String("keep", "", "")
		load = flag.String("load", "", "") // with this, the program runs itself to measure loading
	)
	flag.IntVar(&size.packages, "packages", 100, "")
	flag.IntVar(&size.functions, "functions", 10, "")
	flag.Parse()
	err := func() error {
		if *load != "" {
			return loadFromSource(*load)
		}
		return measure(size, *runs, *keep)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "largemodule:", err)
		os.Exit(1)
	}
}

// loadFromSource is the baseline with which the runs are compared.
func loadFromSource(dir string) error {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
		packages.NeedModule | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes
	list, err := packages.Load(&packages.Config{Dir: dir, Mode: mode}, "./...")
	if err != nil {
		return err
	}
	if n := packages.PrintErrors(list); n > 0 {
		return fmt.Errorf("%d errors in the module", n)
	}
	return nil
}

// bench is one measurement and its folders.
type bench struct {
	size     module
	dir      string // of the module
	cache    string
	movenext string // the built command
	self     string
}

func measure(size module, runs int, keep string) error {
	temp, err := os.MkdirTemp("", "largemodule")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	b := &bench{size: size, dir: cmp.Or(keep, filepath.Join(temp, "module")), cache: filepath.Join(temp, "cache"), movenext: filepath.Join(temp, "movenext.exe")}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if err := b.run("", "go", "build", "-o", b.movenext, command); err != nil {
		return err
	}
	if err := size.write(b.dir); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%d annotated functions in %d packages\n\n", size.packages*size.functions, size.packages)
	// Run once without measuring: the generated code completes the module, and warms the
	// caches of the go command and of the system.
	if err := b.generate("off"); err != nil {
		return err
	}
	return b.report(runs)
}

// step is one line of the table.
type step struct {
	name    string
	prepare func() error
	run     func() error
	times   []time.Duration
}

func (b *bench) steps() []*step {
	nothing := func() error { return nil }
	return []*step{
		{name: "load and type-check once, from source", prepare: nothing, run: func() error { return b.run("", b.self, "-load", b.dir) }},
		{name: "first run", prepare: b.forget, run: func() error { return b.generate(b.cache) }},
		{name: "second run, nothing changed", prepare: nothing, run: func() error { return b.generate(b.cache) }},
		{name: "run after a change of a comment", prepare: func() error { return b.comment(0) }, run: func() error { return b.generate(b.cache) }},
		{name: "run after a change that nothing depends on", prepare: func() error { return b.touch(b.size.packages - 1) }, run: func() error { return b.generate(b.cache) }},
		{name: "run after a change that all depend on", prepare: func() error { return b.touch(0) }, run: func() error { return b.generate(b.cache) }},
		{name: "check without a cache", prepare: nothing, run: func() error { return b.run(b.dir, b.movenext, "check", "-cache=off", "./...") }},
	}
}

// report measures the steps in turn, so that other load on the computer affects them all, and
// prints the table.
func (b *bench) report(runs int) error {
	steps := b.steps()
	for range runs {
		for _, s := range steps {
			if err := s.prepare(); err != nil {
				return err
			}
			start := time.Now()
			if err := s.run(); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			s.times = append(s.times, time.Since(start))
		}
	}
	load, first := median(steps[0].times), median(steps[1].times)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tmedian\tof loading\tof the first run\t")
	for _, s := range steps {
		m := median(s.times)
		fmt.Fprintf(w, "%s\t%d ms\t%.2f\t%.3f\t\n", s.name, m.Milliseconds(), float64(m)/float64(load), float64(m)/float64(first))
	}
	return w.Flush()
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

func (b *bench) generate(cache string) error {
	return b.run(b.dir, b.movenext, "-cache="+cache, "./...")
}

// forget removes everything that an earlier run left behind.
func (b *bench) forget() error {
	outputs, err := filepath.Glob(filepath.Join(b.dir, "*", "*_async.go"))
	if err != nil {
		return err
	}
	for _, path := range outputs {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return os.RemoveAll(b.cache)
}

// touch adds a function to a package. All others import the first package, if only indirectly;
// none imports the last one.
func (b *bench) touch(number int) error {
	return b.add(number, fmt.Sprintf("//movenext:async\nfunc Added%d(ctx context.Context) (int, error) { return F0(ctx, 1) }", time.Now().UnixNano()))
}

// comment adds a comment to a package.
func (b *bench) comment(number int) error {
	return b.add(number, fmt.Sprintf("// It is %d.", time.Now().UnixNano()))
}

// add adds a declaration or a comment to a package.
func (b *bench) add(number int, text string) error {
	f, err := os.OpenFile(filepath.Join(b.dir, packageName(number), "a.go"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "\n%s\n", text)
	return cmp.Or(err, f.Close())
}

// run runs a command, and shows its output only if it fails.
func (b *bench) run(dir, name string, args ...string) error {
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, output)
	}
	return nil
}
