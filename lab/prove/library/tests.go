package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Statuses of tests, in addition to those that package testing prints.
const (
	passed  = "PASS"
	begun   = "BEGUN"
	crashed = "CRASH"
	endless = "ENDLESS"
)

// everything stands for a run that ended before any test.
const everything = "(all tests)"

// outcome is the outcome of the tests in one of the forms.
type outcome struct {
	status map[string]string // including subtests, as "Test/part"
	output map[string]string // of those that failed
	unrun  string            // why tests without a status did not run, or ""
}

// Package testing begins its lines with a ^V if requested.
var (
	beginning = regexp.MustCompile(`\x16=== (?:RUN|CONT) +([^/\n]+)\n`)
	ending    = regexp.MustCompile(`\x16--- (PASS|FAIL|SKIP): (\S+) \(`)
)

// timedOut is what package testing prints when its time is up.
const timedOut = "\npanic: test timed out after "

// attempts is the number of times that the tests continue after one that has ended the process.
const attempts = 20

// tests runs the tests in the copy, except for those in without, and continues after one that ends
// the process. It returns within o.Patience: a process may take half of the remaining time, so a
// test that does not end leaves time for the others.
func (o *Options) tests(ctx context.Context, c *clone, machines string, without []string) *outcome {
	r := &outcome{status: map[string]string{}, output: map[string]string{}}
	skip := slices.AppendSeq(slices.Clone(without), maps.Keys(leftOut[c.ImportPath]))
	end := time.Now().Add(o.Patience)
	for range attempts {
		limit := time.Until(end) / 2
		if limit < o.Patience/attempts {
			r.unrun = fmt.Sprintf("other tests took the %v that all of them have", o.Patience)
			return r
		}
		text, err := o.process(ctx, c, machines, skip, limit)
		name := r.read(text, err != nil)
		if name == "" || slices.Contains(skip, name) {
			return r
		}
		skip = append(skip, name)
	}
	r.unrun = fmt.Sprintf("%d other tests ended the process", attempts)
	return r
}

// fatal returns the tests that ended their process.
func (r *outcome) fatal() (names []string) {
	for name, status := range r.status {
		if name != everything && (status == crashed || status == endless) {
			names = append(names, name)
		}
	}
	return names
}

// grace is how long a process may take to end by itself after its time is up.
const grace = 10 * time.Second

// process runs the binary once, without some tests, and returns its output. The process ends soon
// after the time limit.
func (o *Options) process(ctx context.Context, c *clone, machines string, skip []string, limit time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit+grace)
	defer cancel()
	args := []string{"-test.v=test2json", "-test.parallel=1", "-test.timeout=" + limit.String(), "-test.run=" + o.Only}
	if !o.Long {
		args = append(args, "-test.short")
	}
	if len(skip) > 0 {
		args = append(args, "-test.skip=^("+strings.Join(skip, "|")+")$")
	}
	command := exec.CommandContext(ctx, filepath.Join(c.out, binary), args...)
	// A test's own processes may keep the output open.
	command.Dir, command.WaitDelay = c.dir, grace
	command.Env = append(os.Environ(), "MOVENEXT_MACHINES="+machines, fmt.Sprint("MOVENEXT_FIRST=", o.First), fmt.Sprint("MOVENEXT_EVERY=", o.Seldom),
		"MOVENEXT_ALLOCS="+filepath.Join(c.out, allocsFile), "MOVENEXT_SEEN="+filepath.Join(c.out, seenFile))
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		out.WriteString(timedOut + "its process, and did not end\n")
	}
	return out.String(), err
}

// read records the output of a process. It returns the test during which the process ended, or
// "" if all tests have ended.
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
		if strings.Contains(text, timedOut) {
			r.status[last] = endless
		}
	}
	return last
}

// compare records, for each test that passes as plain Go, whether it also passes as machines.
func compare(plain, machines *outcome, without map[string]string, p *Package) {
	for name, why := range without {
		p.LeftOut[name] = why
	}
	if plain.unrun != "" {
		p.LeftOut["(more tests)"] = "do not run as plain Go: " + plain.unrun
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
		case status == passed && machines.status[name] == "" && machines.unrun != "":
			p.LeftOut[name] = "does not run as machines: " + machines.unrun
		case status == endless:
			p.LeftOut[name] = "does not end as plain Go in the copy"
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

// comparePart is like compare, for a subtest of the test whole. A name that occurs in only one of
// the runs does not matter if whole passes in both: it contains a random number or an address.
func comparePart(plain, machines *outcome, name, whole string, p *Package) {
	if plain.status[name] != passed || machines.status[name] == "" && machines.status[whole] == passed {
		return
	}
	p.Parts++
	if machines.status[name] == passed {
		p.SameParts++
	}
}
