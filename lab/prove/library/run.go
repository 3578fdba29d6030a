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
	"github.com/movenext/movenext/lab/prove/annotated"
	"github.com/movenext/movenext/lab/prove/batch"
)

// Package is the outcome for a package, or for a module.
type Package struct {
	Path      string
	Functions int             // annotated at first
	Machines  int             // of them, those that tests can enter
	Refused   map[string]int  // the others, by reason
	Points    int             // suspension points
	Suspended int             // of them, those at which a machine has suspended
	seen      map[string]bool // the names of those points

	Passed    int               // tests that pass as plain Go
	Same      int               // of them, those that pass as machines
	Parts     int               // subtests of those
	SameParts int               // of them, those that pass as machines
	Different map[string]string // tests with other results as machines, and their output
	LeftOut   map[string]string // tests and files that show nothing, and why
	Err       error             // why the whole package is excluded, or nil

	PlainSize int64 // of the binaries of a module's tests, in bytes, without machines
	Size      int64 // the same with machines, suspension points and the code that enters machines
}

func newPackage(path string) *Package {
	return &Package{Path: path, seen: map[string]bool{}, Refused: map[string]int{}, Different: map[string]string{}, LeftOut: map[string]string{}}
}

// Options say how tests are run.
type Options struct {
	Dir       string        // for the copies
	Mode      codegen.Mode  // the form of the machines
	Every     int           // a suspension point before every nth statement
	First     int           // each point suspends the first times it is reached
	Seldom    int           // and afterwards once in this many times
	Functions string        // "all", or "from-to" for those with numbers from from to to-1
	Only      string        // a pattern for the names of tests, as for go test -run
	Long      bool          // run tests that -short skips
	Lower     bool          // generate the machines of modules, and run nothing
	Quick     bool          // build without optimising; do not compare the sizes of modules
	Patience  time.Duration // for the tests of a package, in each form
}

// Run copies the packages of the standard library that match patterns and have tests, runs their
// tests in both forms, and calls report after each package. It blocks until all have run, or
// until ctx ends. The current folder must be in this repository.
func Run(ctx context.Context, o Options, report func(*Package), patterns ...string) error {
	packages, err := list(patterns...)
	if err != nil {
		return err
	}
	if err := o.makeDir(); err != nil {
		return err
	}
	t, err := newTree(build.Default.GOROOT, filepath.Join(o.Dir, "goroot"))
	if err != nil {
		return err
	}
	for _, p := range packages {
		if !p.hasTests() {
			continue
		}
		result := newPackage(p.ImportPath)
		result.Err = o.run(ctx, t, p, result)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		report(result)
	}
	return nil
}

// makeDir makes the folder for the copies.
func (o *Options) makeDir() error {
	err := os.MkdirAll(o.Dir, 0o755)
	if err == nil {
		// the go command reports positions under the true name
		o.Dir, err = filepath.EvalSymlinks(o.Dir)
	}
	return err
}

// run processes one package.
func (o *Options) run(ctx context.Context, t *tree, p *source, result *Package) error {
	dir, err := t.place(p)
	if err != nil {
		return err
	}
	h := &home{path: p.copyPath(), root: dir, every: o.Every, quick: o.Quick, files: map[string]*annotated.File{}, moved: true}
	c := &clone{source: p, home: h, dir: dir, out: dir}
	env := append(os.Environ(), "CGO_ENABLED=0", "GOROOT="+t.root)
	if err := errors.Join(batch.WriteModule(dir, p.copyPath()), c.copySources(), h.writePoint()); err != nil {
		return err
	}
	if err := h.lower(o.Mode, env, result); err != nil {
		return err
	}
	if err := errors.Join(c.shim(), h.writeNames(dir), c.copyCompanions(), c.copyTests()); err != nil {
		return err
	}
	result.Points, result.Machines = h.sites, len(h.names)
	if err := c.build(ctx, env, result); err != nil {
		return err
	}
	return o.compare(ctx, c, result)
}

// compare runs the tests in both forms.
func (o *Options) compare(ctx context.Context, c *clone, result *Package) (err error) {
	plain := o.tests(ctx, c, "", nil)
	machines := o.tests(ctx, c, o.Functions, plain.fatal())
	compare(plain, machines, leftOut[c.ImportPath], result)
	err = addSuspensions(c.out, result.seen)
	result.Suspended = len(result.seen)
	return err
}

// buildOnce builds the binary of the tests, and returns the go command's output.
func (c *clone) buildOnce(ctx context.Context, env []string) ([]byte, error) {
	compile := "-gcflags=-dwarf=0"
	if c.quick {
		compile += " -N -l"
	}
	// Linking to it by name may be forbidden.
	command := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-checklinkname=0 -s -w", compile, "-o", filepath.Join(c.out, binary), ".")
	command.Dir, command.Env = c.dir, env
	return command.CombinedOutput()
}

// build builds the binary of the tests, without tests that need types of the original.
func (c *clone) build(ctx context.Context, env []string, p *Package) error {
	for {
		out, err := c.buildOnce(ctx, env)
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

// addSuspensions adds the points at which machines have suspended.
func addSuspensions(dir string, points map[string]bool) error {
	data, err := os.ReadFile(filepath.Join(dir, seenFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for line := range bytes.Lines(data) {
		points[string(line)] = true
	}
	return err
}
