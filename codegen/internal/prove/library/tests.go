package library

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Statuses of tests besides those that package testing prints.
const (
	passed  = "PASS"
	begun   = "BEGUN"
	crashed = "CRASH"
)

// everything names a run that ended before any test.
const everything = "(all tests)"

// outcome is the outcome of tests in one of the forms.
type outcome struct {
	status map[string]string // also of tests within tests, by "Test/part"
	output map[string]string // of those that failed
}

// Lines of package testing begin with a ^V if it is asked for them.
var (
	beginning = regexp.MustCompile(`\x16=== (?:RUN|CONT) +([^/\n]+)\n`)
	ending    = regexp.MustCompile(`\x16--- (PASS|FAIL|SKIP): (\S+) \(`)
)

// attempts is how often the tests continue after one that has ended the process.
const attempts = 20

// tests runs the tests in the copy, and continues after one that ends the process.
func (o *Options) tests(ctx context.Context, c *clone, machines string) *outcome {
	r := &outcome{status: map[string]string{}, output: map[string]string{}}
	var skip []string
	for name := range leftOut[c.ImportPath] {
		skip = append(skip, name)
	}
	for range attempts {
		text, err := o.process(ctx, c, machines, skip)
		name := r.read(text, err != nil)
		if name == "" || slices.Contains(skip, name) {
			return r
		}
		skip = append(skip, name)
	}
	return r
}

// process runs the binary once, without some tests, and returns what it prints.
func (o *Options) process(ctx context.Context, c *clone, machines string, skip []string) (string, error) {
	args := []string{"-test.v=test2json", "-test.parallel=1", "-test.timeout=" + o.Patience.String(), "-test.run=" + o.Only}
	if !o.Long {
		args = append(args, "-test.short")
	}
	if len(skip) > 0 {
		args = append(args, "-test.skip=^("+strings.Join(skip, "|")+")$")
	}
	command := exec.CommandContext(ctx, filepath.Join(c.out, binary), args...)
	command.Dir = c.dir
	command.Env = append(os.Environ(), "MOVENEXT_MACHINES="+machines, fmt.Sprint("MOVENEXT_FIRST=", o.First), fmt.Sprint("MOVENEXT_EVERY=", o.Seldom),
		"MOVENEXT_ALLOCS="+filepath.Join(c.out, allocsFile), "MOVENEXT_SEEN="+filepath.Join(c.out, seenFile))
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	return out.String(), err
}

// read notes what a process has printed. It returns the test at which the process has
// ended, or "" if all have ended.
func (r *outcome) read(text string, failed bool) (at string) {
	last, from := everything, 0
	for _, m := range beginning.FindAllStringSubmatchIndex(text, -1) {
		last, from = text[m[2]:m[3]], m[0]
		if r.status[last] == "" {
			r.status[last] = begun
		}
	}
	for _, m := range ending.FindAllStringSubmatchIndex(text, -1) {
		status, name := text[m[2]:m[3]], text[m[4]:m[5]]
		if r.status[name] = status; status == "FAIL" && !strings.Contains(name, "/") {
			start := max(strings.LastIndex(text[:m[0]], "\x16=== RUN   "+name+"\n"), 0)
			r.output[name] = text[start:m[1]]
		}
	}
	if !failed || strings.HasSuffix(strings.TrimSpace(text), "\x16FAIL") && !strings.Contains(text, "\npanic: ") {
		return ""
	}
	if r.status[last] != passed {
		r.status[last], r.output[last] = crashed, text[from:]
	}
	return last
}

// compare says of each test that passes as plain Go whether it does so as machines.
func compare(plain, machines *outcome, without map[string]string, p *Package) {
	for name, why := range without {
		p.LeftOut[name] = why
	}
	for name, status := range plain.status {
		if whole, _, part := strings.Cut(name, "/"); part {
			comparePart(plain, machines, name, whole, p)
			continue
		}
		switch {
		case status == passed && machines.status[name] == passed:
			p.Passed++
			p.Same++
		case status == passed:
			p.Passed++
			p.Different[name] = machines.status[name] + ": " + machines.output[name]
		case status != "SKIP":
			p.LeftOut[name] = "fails as plain Go in the copy"
		}
	}
	if machines.status[everything] != "" && plain.status[everything] == "" {
		p.Different[everything] = machines.output[everything]
	}
}

// comparePart is compare for a subtest of the test whole. A name that only one of the
// runs has does not matter if whole passes in both: it contains a random number, or an
// address.
func comparePart(plain, machines *outcome, name, whole string, p *Package) {
	if plain.status[name] != passed || machines.status[name] == "" && machines.status[whole] == passed {
		return
	}
	p.Parts++
	if machines.status[name] == passed {
		p.SameParts++
	}
}
