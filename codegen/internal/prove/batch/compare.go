package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen"
)

// Program is one program: a file of package batch with a function Name+"Run".
type Program struct {
	Name   string // the prefix of all that it declares
	Source string
}

// Verdict is what became of a program.
type Verdict string

// What may become of a program.
const (
	Same      Verdict = "same"      // the executions do not differ
	Different Verdict = "different" // they do
	Refused   Verdict = "refused"   // the generator refuses it
	Defect    Verdict = "defect"    // the generator says of itself that it is at fault, or its output does not build
	Crashed   Verdict = "crashed"   // the binary ended or hung in it
)

// Finding is the verdict on one program.
type Finding struct {
	Program Program
	Verdict Verdict
	Detail  string // the difference, the messages, the end of the crash
}

// folders is how many packages the programs of a batch are spread over: the
// compiler works on packages in parallel.
const folders = 4

// Compare compares the two executions of programs and returns a finding for each, in
// their order. It blocks for as long as building and running takes. An error
// means that nothing was found out: the go command is missing, a disk is full.
// One Module compares one batch at a time.
func (m *Module) Compare(ctx context.Context, programs []Program) ([]Finding, error) {
	b := &build{Module: m, found: map[string]Finding{}, programs: programs}
	if err := b.generate(); err != nil {
		return nil, err
	}
	if err := b.compile(ctx); err != nil {
		return nil, err
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	var findings []Finding
	for _, p := range programs {
		findings = append(findings, b.found[p.Name])
	}
	return findings, nil
}

// build is one batch on its way.
type build struct {
	*Module
	programs []Program
	found    map[string]Finding // by name
}

func (b *build) find(p Program, v Verdict, detail string) {
	b.found[p.Name] = Finding{p, v, strings.ReplaceAll(strings.TrimSpace(detail), b.Dir+string(filepath.Separator), "")}
}

// left are the programs without a verdict.
func (b *build) left() []Program {
	var list []Program
	for _, p := range b.programs {
		if _, ok := b.found[p.Name]; !ok {
			list = append(list, p)
		}
	}
	return list
}

// generate lowers all programs, and takes those out that are refused.
func (b *build) generate() error {
	for {
		if err := b.lay(); err != nil {
			return err
		}
		result, err := codegen.Generate(codegen.Config{Dir: b.Dir})
		if err != nil {
			return err
		}
		if len(result.Diagnostics) == 0 {
			return nil
		}
		before := len(b.found)
		b.refuse(result.Diagnostics)
		if len(b.found) == before {
			return fmt.Errorf("batch: findings outside of the programs: %v", result.Diagnostics[0])
		}
	}
}

func (b *build) refuse(found []codegen.Diagnostic) {
	byName := map[string][]codegen.Diagnostic{}
	for _, d := range found {
		name := strings.TrimSuffix(filepath.Base(d.Pos.Filename), ".go")
		if name == "all" {
			name = b.listed(filepath.Base(filepath.Dir(d.Pos.Filename)), d.Pos.Line)
		}
		byName[name] = append(byName[name], d)
	}
	for _, p := range b.left() {
		verdict, text := Refused, ""
		for _, d := range byName[p.Name] {
			if d.Category != "unsupported" {
				verdict = Defect
			}
			text += d.String() + "\n"
		}
		if text != "" {
			b.find(p, verdict, text)
		}
	}
}

// listHead is what the list of a folder's programs begins with. Each program has a
// line of its own behind it.
const listHead = "package batch\n\nimport \"" + modulePath + "/trace\"\n\nvar All = []trace.Program{\n"

// listed is the name of the program in a line of a folder's list.
func (b *build) listed(in string, line int) string {
	for i, p := range b.left() {
		if folder(i%folders) == in && i/folders == line-strings.Count(listHead, "\n")-1 {
			return p.Name
		}
	}
	return ""
}

// lay writes the programs that are left, and the lists that name them.
func (b *build) lay() error {
	for i := range folders {
		if err := os.RemoveAll(filepath.Join(b.Dir, folder(i))); err != nil {
			return err
		}
	}
	lists := make([]string, folders)
	var errs []error
	for i, p := range b.left() {
		at := i % folders
		errs = append(errs, write(b.Dir, folder(at)+"/"+p.Name+".go", p.Source))
		lists[at] += fmt.Sprintf("\t{%q, Reset, %sRun, %sRunAsync},\n", p.Name, p.Name, p.Name)
	}
	imports, all := "", ""
	for i, list := range lists {
		errs = append(errs, write(b.Dir, folder(i)+"/preamble.go", b.Preamble), write(b.Dir, folder(i)+"/all.go", listHead+list+"}\n"))
		imports += fmt.Sprintf("\t%s %q\n", folder(i), modulePath+"/"+folder(i))
		all += fmt.Sprintf("\tall = append(all, %s.All...)\n", folder(i))
	}
	errs = append(errs, write(b.Dir, "main.go", "package main\n\nimport (\n\t\"os\"\n\t\"strconv\"\n\n\t\""+modulePath+"/trace\"\n"+imports+")\n\n"+
		"func main() {\n\tvar all []trace.Program\n"+all+"\tfrom, _ := strconv.Atoi(os.Args[1])\n\ttrace.Compare(all[from:])\n}\n"))
	return errors.Join(errs...)
}

func folder(i int) string { return "b" + strconv.Itoa(i) }

// compile builds the binary. What does not build is a defect: the generator has
// type-checked it.
func (b *build) compile(ctx context.Context) error {
	for {
		command := exec.CommandContext(ctx, "go", "build", "-gcflags=-e", "-ldflags=-s -w", "-o", b.binary(), ".")
		command.Dir = b.Dir
		out, err := command.CombinedOutput()
		if err == nil {
			return nil
		}
		before := len(b.found)
		for _, p := range b.left() {
			var lines []string
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, "/"+p.Name+".go:") || strings.Contains(line, "/"+p.Name+"_async.go:") {
					lines = append(lines, line)
				}
			}
			if len(lines) > 0 {
				b.find(p, Defect, strings.Join(lines, ""))
			}
		}
		if len(b.found) == before {
			return fmt.Errorf("batch: go build: %w\n%s", err, out)
		}
		if err := b.generate(); err != nil {
			return err
		}
	}
}

func (b *build) binary() string { return filepath.Join(b.Dir, "programs.exe") }

// run runs the binary until all programs have a verdict.
func (b *build) run(ctx context.Context) error {
	order := b.order()
	for from := 0; from < len(order); {
		var stdout, stderr bytes.Buffer
		command := exec.CommandContext(ctx, b.binary(), strconv.Itoa(from))
		command.Stdout, command.Stderr = &stdout, &stderr
		failure := command.Run()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for decoder := json.NewDecoder(&stdout); from < len(order); from++ {
			var v struct{ Name, Difference string }
			if decoder.Decode(&v) != nil {
				break
			}
			verdict := Same
			if v.Difference != "" {
				verdict = Different
			}
			b.find(order[from], verdict, v.Difference)
		}
		if from < len(order) {
			b.find(order[from], Crashed, fmt.Sprint(failure, "\n", firstLines(stderr.String(), 30)))
			from++
		}
	}
	return nil
}

// order is that in which the binary runs the programs.
func (b *build) order() []Program {
	left := b.left()
	var list []Program
	for at := range folders {
		for i := at; i < len(left); i += folders {
			list = append(list, left[i])
		}
	}
	return list
}

func firstLines(s string, n int) string {
	lines := strings.SplitAfterN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "")
}
