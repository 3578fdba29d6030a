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
	"regexp"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen"
)

// Program is one program: a file of package batch with a function Name+"Run".
type Program struct {
	Name   string // the prefix of all its declarations
	Source string
}

// Verdict is the outcome of a program.
type Verdict string

// The outcomes of a program.
const (
	Same      Verdict = "same"      // the executions do not differ
	Different Verdict = "different" // they do
	Refused   Verdict = "refused"   // the generator refuses it
	// Defect: the generator reports a fault of its own, or its output does not build.
	Defect  Verdict = "defect"
	Crashed Verdict = "crashed" // the binary ended or hung in it
)

// Finding is the verdict on one program.
type Finding struct {
	Program Program
	Verdict Verdict
	Detail  string // the difference, the messages, the end of the crash
	Points  int    // suspension points in the machines; 0 where there are none
}

// Compare compares the two executions of programs and returns a finding for each, in their order.
// It blocks for as long as building and running takes. An error means that there is no result,
// for example because the go command is missing or a disk is full. One Module compares one batch
// at a time; several Modules can work concurrently.
func (m *Module) Compare(ctx context.Context, programs []Program) ([]Finding, error) {
	b := &build{Module: m, found: map[string]Finding{}, points: map[string]int{}, programs: programs}
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
		f := b.found[p.Name]
		f.Points = b.points[p.Name]
		findings = append(findings, f)
	}
	return findings, nil
}

// build is one batch in progress.
type build struct {
	*Module
	programs []Program
	found    map[string]Finding // by name
	points   map[string]int     // by name
}

func (b *build) find(p Program, v Verdict, detail string) {
	b.found[p.Name] = Finding{Program: p, Verdict: v, Detail: strings.ReplaceAll(strings.TrimSpace(detail), b.Dir+string(filepath.Separator), "")}
}

// remaining returns the programs without a verdict.
func (b *build) remaining() []Program {
	var list []Program
	for _, p := range b.programs {
		if _, ok := b.found[p.Name]; !ok {
			list = append(list, p)
		}
	}
	return list
}

// generate lowers all programs, and removes those that are refused.
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
			name = b.programAt(d.Pos.Line)
		}
		byName[name] = append(byName[name], d)
	}
	for _, p := range b.remaining() {
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

// listHead is the beginning of the list of the programs. Each program adds one line.
const listHead = "package batch\n\nimport \"" + modulePath + "/trace\"\n\nvar All = []trace.Program{\n"

// programAt returns the name of the program in a line of the list.
func (b *build) programAt(line int) string {
	left := b.remaining()
	if i := line - strings.Count(listHead, "\n") - 1; 0 <= i && i < len(left) {
		return left[i].Name
	}
	return ""
}

// mainSource runs the programs, without the given number of first ones.
const mainSource = `package main

import (
	"os"
	"strconv"

	"` + modulePath + `/batch"
	"` + modulePath + `/trace"
)

func main() {
	from, _ := strconv.Atoi(os.Args[1])
	trace.Compare(batch.All[from:])
}
`

// folder is the folder of the programs' package.
const folder = "batch"

// lay writes the remaining programs, and the list that names them.
func (b *build) lay() error {
	if err := os.RemoveAll(filepath.Join(b.Dir, folder)); err != nil {
		return err
	}
	list := listHead
	errs := []error{write(b.Dir, "main.go", mainSource), write(b.Dir, folder+"/preamble.go", b.Preamble)}
	for _, p := range b.remaining() {
		errs = append(errs, write(b.Dir, folder+"/"+p.Name+".go", p.Source))
		list += fmt.Sprintf("\t{%q, Reset, %sRun, %sRunAsync},\n", p.Name, p.Name, p.Name)
	}
	return errors.Join(append(errs, write(b.Dir, folder+"/all.go", list+"}\n"))...)
}

// compile builds the binary. A failure is a defect, since the generator has type-checked all of
// the code.
func (b *build) compile(ctx context.Context) error {
	for {
		out, err := b.tools.build(ctx, b.Dir, b.binary(), b.Inline)
		if err == nil {
			return b.count()
		}
		before := len(b.found)
		for _, p := range b.remaining() {
			var lines []string
			for line := range strings.Lines(out) {
				if strings.Contains(line, "/"+p.Name+".go:") || strings.Contains(line, "/"+p.Name+"_async.go:") {
					lines = append(lines, line)
				}
			}
			if text := strings.Join(lines, ""); strings.Contains(text, "/"+p.Name+".go:") && strings.Contains(text, "internal compiler error") {
				b.find(p, Refused, "batch: the compiler fails with the plain form; "+text)
			} else if text != "" {
				b.find(p, Defect, text)
			}
		}
		if len(b.found) == before {
			return fmt.Errorf("batch: %w\n%s", err, out)
		}
		if err := b.generate(); err != nil {
			return err
		}
	}
}

// resumption is the label after a suspension point.
var resumption = regexp.MustCompile(`(?m)^\t*resume\d+:$`)

// count counts the suspension points.
func (b *build) count() error {
	for _, p := range b.remaining() {
		data, err := os.ReadFile(filepath.Join(b.Dir, folder, p.Name+"_async.go"))
		if err != nil {
			return err
		}
		b.points[p.Name] = len(resumption.FindAll(data, -1))
	}
	return nil
}

func (b *build) binary() string { return filepath.Join(b.Dir, "programs.exe") }

// run runs the binary until all programs have a verdict.
func (b *build) run(ctx context.Context) error {
	order := b.remaining()
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

func firstLines(s string, n int) string {
	lines := strings.SplitAfterN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "")
}
