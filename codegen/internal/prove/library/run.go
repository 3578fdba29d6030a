package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/internal/prove/annotated"
	"github.com/movenext/movenext/codegen/internal/prove/batch"
)

// Package says what became of a package.
type Package struct {
	Path      string
	Functions int            // annotated at first
	Machines  int            // of them, those that tests can call
	Refused   map[string]int // the others, by reason
	Points    int            // suspension points
	Suspended int            // of them, those at which a machine has

	Passed    int               // tests that pass as plain Go
	Same      int               // of them, those that pass as machines
	Different map[string]string // the others, and what they print
	LeftOut   map[string]string // tests and files that say nothing, and why
	Err       error             // why the whole package is left out, or nil
}

// Options say how tests are run.
type Options struct {
	Dir       string        // for the copies
	Mode      codegen.Mode  // the form of the machines
	Every     int           // a suspension point in front of every nth statement
	First     int           // each point suspends the first times that it is passed
	Seldom    int           // and later once in so many times
	Functions string        // "all", or those with the numbers "from-to" without the last
	Only      string        // a pattern for the names of tests, as for go test -run
	Long      bool          // run what -short leaves out
	Patience  time.Duration // for one run of a package's tests
}

// Run copies the packages of the standard library that patterns match and have tests, runs their tests in both forms, and calls report after
// each. It blocks until all have run, or until ctx ends. The current folder has to be one of this repository's.
func Run(ctx context.Context, o Options, report func(*Package), patterns ...string) error {
	packages, err := list(patterns...)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return err
	}
	if o.Dir, err = filepath.EvalSymlinks(o.Dir); err != nil { // the go command reports places below the true name
		return err
	}
	t, err := newTree(build.Default.GOROOT, filepath.Join(o.Dir, "goroot"))
	if err != nil {
		return err
	}
	for _, p := range packages {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		result := &Package{Path: p.ImportPath, Refused: map[string]int{}, Different: map[string]string{}, LeftOut: map[string]string{}}
		result.Err = o.run(ctx, t, p, result)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		report(result)
	}
	return nil
}

// run does one package.
func (o *Options) run(ctx context.Context, t *tree, p *source, result *Package) error {
	dir, err := t.place(p)
	if err != nil {
		return err
	}
	c := &clone{source: p, dir: dir, every: o.Every, files: map[string]*annotated.File{}}
	env := append(os.Environ(), "CGO_ENABLED=0", "GOROOT="+t.root)
	if err := errors.Join(batch.WriteModule(dir, p.copied()), c.copySources(), c.writePoint()); err != nil {
		return err
	}
	if err := c.lower(o.Mode, env, result); err != nil {
		return err
	}
	result.Points = c.sites
	if result.Machines, err = c.shim(); err != nil {
		return err
	}
	if err := errors.Join(c.copyCompanions(), c.copyTests()); err != nil {
		return err
	}
	if err := c.build(ctx, env, result); err != nil {
		return err
	}
	plain := o.tests(ctx, c, "")
	machines := o.tests(ctx, c, o.Functions)
	compare(plain, machines, leftOut[p.ImportPath], result)
	result.Suspended, err = suspended(c.dir)
	return err
}

// build builds the binary of the tests, without those that need types of the original.
func (c *clone) build(ctx context.Context, env []string, p *Package) error {
	for {
		// What is linked by its name may not be meant to be.
		command := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-checklinkname=0 -s -w", "-gcflags=-dwarf=0", "-o", binary, ".")
		command.Dir, command.Env = c.dir, env
		out, err := command.CombinedOutput()
		if err == nil {
			return nil
		}
		dropped := false
		for _, name := range slices.Concat(c.TestGoFiles, c.XTestGoFiles) {
			at := bytes.Index(out, []byte("./"+name+":"))
			if _, again := p.LeftOut[name]; at < 0 || again {
				continue
			}
			dropped = true
			line, _, _ := bytes.Cut(out[at:], []byte("\n"))
			p.LeftOut[name] = "does not compile with the copy: " + string(line)
			if err := os.Remove(filepath.Join(c.dir, name)); err != nil {
				return err
			}
		}
		if !dropped {
			return fmt.Errorf("go test -c: %w\n%.3000s", err, out)
		}
	}
}

// Files of a copy.
const (
	binary     = "tests.exe"
	seenFile   = "seen.txt"   // the suspension points at which machines have suspended
	allocsFile = "allocs.txt" // what the plain form allocates
)

// suspended returns at how many points machines have.
func suspended(dir string) (int, error) {
	data, err := os.ReadFile(filepath.Join(dir, seenFile))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	points := map[string]bool{}
	for line := range bytes.Lines(data) {
		points[string(line)] = true
	}
	return len(points), err
}
