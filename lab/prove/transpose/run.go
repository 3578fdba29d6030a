package transpose

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/lab/prove/annotated"
	"github.com/movenext/movenext/lab/prove/batch"
)

// Report is the outcome for the programs.
type Report struct {
	Programs  int
	Same      int               // print the expected output as machines
	Functions int               // annotated, in the programs that ran
	Lowered   int               // of them
	Refused   map[string]int    // functions, by reason
	LeftOut   map[string]int    // programs that show nothing, by reason
	Different map[string]string // programs with other output as machines, and how it differs
}

// Options choose programs and say how they are run.
type Options struct {
	Only     *regexp.Regexp // paths relative to the test folder
	After    string         // only programs after this path
	AtOnce   int            // programs in one binary
	Patience time.Duration  // for one run of one program
	Progress io.Writer
	Cache    string // of the go command; "": a folder of that name next to the module
}

// Run transposes the programs in folder, the test folder of a Go distribution, and runs them,
// working in dir. It blocks until all have run, or until ctx ends. The current folder must be in
// this repository.
func Run(ctx context.Context, folder, dir string, o Options) (*Report, error) {
	if o.Cache == "" {
		// These programs will never be built again, and thousands of them would fill the user's
		// cache.
		o.Cache = filepath.Join(filepath.Dir(dir), "cache")
	}
	r := &runner{folder: folder, dir: dir, Options: o, report: &Report{
		Refused: map[string]int{}, LeftOut: map[string]int{}, Different: map[string]string{},
	}}
	paths, err := find(folder, o.Only)
	if err != nil {
		return nil, err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return path <= o.After })
	for len(paths) > 0 && ctx.Err() == nil {
		n := min(o.AtOnce, len(paths))
		r.report.Programs += n
		if err := r.chunk(ctx, paths[:n]); err != nil {
			return nil, err
		}
		fmt.Fprintf(o.Progress, "%d programs, %d the same, %d different, %d functions, %d lowered; the last was %s\n",
			r.report.Programs, r.report.Same, len(r.report.Different), r.report.Functions, r.report.Lowered, paths[n-1])
		paths = paths[n:]
	}
	return r.report, ctx.Err()
}

type runner struct {
	Options
	folder, dir string
	report      *Report
	programs    []*program // of the current chunk
}

// chunk processes the programs of one binary.
func (r *runner) chunk(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	if err := r.lay(paths); err != nil {
		return err
	}
	if err := r.generate(); err != nil {
		return err
	}
	if err := r.build(ctx); err != nil {
		return err
	}
	return r.compare(ctx)
}

// lay writes the module for some programs.
func (r *runner) lay(paths []string) error {
	if err := os.RemoveAll(r.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(r.dir, "point"), 0o755); err != nil {
		return err
	}
	err := errors.Join(batch.WriteModule(r.dir, "example.com/proof"), os.WriteFile(filepath.Join(r.dir, "point", "point.go"), []byte(pointSource), 0o644))
	if err != nil {
		return err
	}
	if r.dir, err = filepath.EvalSymlinks(r.dir); err != nil {
		return err
	}
	r.programs = nil
	for i, path := range paths {
		p, err := read(r.folder, path, fmt.Sprint("p", i), r.dir)
		if err != nil {
			r.leave(path, err.Error())
			continue
		}
		r.programs = append(r.programs, p)
	}
	return nil
}

// leave counts a program that shows nothing.
func (r *runner) leave(path, why string) {
	r.report.LeftOut[why]++
	fmt.Fprintf(r.Progress, "left out: %s: %s\n", path, why)
}

// drop excludes a program.
func (r *runner) drop(p *program, why string) error {
	r.leave(p.path, why)
	for i, q := range r.programs {
		if p == q {
			r.programs = append(r.programs[:i:i], r.programs[i+1:]...)
		}
	}
	return os.RemoveAll(filepath.Join(r.dir, p.name))
}

// generate lowers the functions that are not refused.
func (r *runner) generate() error {
	for _, p := range r.programs {
		p.annotated = p.file.Functions
	}
	for {
		result, err := codegen.Generate(codegen.Config{Dir: r.dir})
		if err != nil {
			return err
		}
		if len(result.Diagnostics) == 0 {
			return nil
		}
		if err := r.withdraw(result.Diagnostics); err != nil {
			return err
		}
	}
}

// withdraw withdraws the annotations that have findings. A program that does not type-check is
// excluded.
func (r *runner) withdraw(found []codegen.Diagnostic) error {
	byProgram := map[string][]codegen.Diagnostic{}
	for _, d := range found {
		byProgram[filepath.Base(filepath.Dir(d.Pos.Filename))] = append(byProgram[filepath.Base(filepath.Dir(d.Pos.Filename))], d)
	}
	known := 0
	for _, p := range append([]*program(nil), r.programs...) {
		list := byProgram[p.name]
		if len(list) == 0 {
			continue
		}
		known++
		if list[0].Category == "source" {
			if err := r.drop(p, "it does not compile as a package of another name"); err != nil {
				return err
			}
			continue
		}
		reasons, err := p.file.Withdraw(list)
		if err != nil { // the finding is about the file
			r.differs(p, list[0].String())
			if err := r.drop(p, "the generator says of its output that it would not compile"); err != nil {
				return err
			}
			continue
		}
		for _, d := range reasons {
			r.recordRefusal(p, d)
		}
	}
	if known == 0 {
		return fmt.Errorf("transpose: a finding in no program: %s", found[0])
	}
	return nil
}

// differs prints and records that a program's output differs.
func (r *runner) differs(p *program, how string) {
	r.report.Different[p.path] = how
	fmt.Fprintf(r.Progress, "different: %s: %s\n", p.path, how)
}

// recordRefusal records why a function keeps its plain form.
func (r *runner) recordRefusal(p *program, d codegen.Diagnostic) {
	if d.Category == "internal" {
		r.differs(p, d.String())
	}
	p.refused = append(p.refused, annotated.Reason(d))
}

// build builds the binary, without programs that do not build.
func (r *runner) build(ctx context.Context) error {
	for {
		imports, cases := "\n\t\"github.com/movenext/movenext/job\"\n\n", ""
		for _, p := range r.programs {
			imports += fmt.Sprintf("\t%q\n", "example.com/proof/"+p.name)
			cases += fmt.Sprintf("\tcase %q:\n\t\treturn %s.%s, func() *job.Job[job.Void] { return %s.%sAsync() }\n", p.name, p.name, entry, p.name, entry)
		}
		if err := os.WriteFile(filepath.Join(r.dir, "main.go"), fmt.Appendf(nil, mainSource, imports, cases), 0o644); err != nil {
			return err
		}
		command := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-gcflags=example.com/proof/...=-l -dwarf=0", "-o", r.binary(), ".")
		command.Dir = r.dir
		command.Env = append(os.Environ(), "GOGC=400", "GOCACHE="+r.Cache)
		out, err := command.CombinedOutput()
		if err == nil {
			return nil
		}
		dropped := false
		for _, p := range append([]*program(nil), r.programs...) {
			at := bytes.Index(out, []byte(p.name+string(filepath.Separator)))
			unmade := bytes.Contains(out, []byte(p.name+"."+entry+"Async"))
			if at < 0 && !unmade {
				continue
			}
			dropped = true
			why := "its main function is refused"
			if !unmade {
				line, _, _ := strings.Cut(string(out[at:]), "\n")
				if why = "it does not compile as a package of another name"; strings.Contains(line, "_async.go") {
					r.differs(p, "its machines do not compile: "+line)
				}
			}
			if err := r.drop(p, why); err != nil {
				return err
			}
		}
		if !dropped {
			return fmt.Errorf("transpose: go build: %w\n%s", err, out)
		}
	}
}

func (r *runner) binary() string { return filepath.Join(r.dir, "programs.exe") }
