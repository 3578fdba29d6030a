package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a fuzz target.
type target struct {
	surface  string // its name on the command line
	folder   string // of its package
	function string
	decodes  string
}

// targets are all targets of the repository: a test looks for others.
var targets = []target{
	{"state", "durable", "FuzzCheckpoint", "the state of an instance, from a store"},
	{"value", "durable", "FuzzDecode", "the values in a state"},
	{"message", "durable", "FuzzMessage", "a message of an inbox, from a store"},
	{"entry", "durable/natsstore", "FuzzDecode", "an instance as NATS keeps it"},
	{"recording", "inspect/record", "FuzzRead", "a recording, from a file"},
	{"layout", "codegen/internal/durable/layout", "FuzzParse", "the recorded layouts of durable functions"},
	{"source", "codegen", "FuzzGenerate", "source that is generated from"},
	{"cache", "codegen/internal/cache", "FuzzEntry", "entries of the generator's cache"},
	{"replay", "schedulers/simulation", "FuzzReplay", "a schedule, from a flag or a file"},
	{"record", "netio", "FuzzTLSRecords", "what a TLS peer sends after the handshake"},
	{"frame", "examples/chat", "FuzzFrames", "what a WebSocket peer sends"},
}

// choose returns the targets of these surfaces, or all if there is none.
func choose(surfaces []string) ([]target, error) {
	if len(surfaces) == 0 {
		return targets, nil
	}
	var chosen []target
	for _, s := range surfaces {
		i := slices.IndexFunc(targets, func(t target) bool { return t.surface == s })
		if i < 0 {
			return nil, fmt.Errorf("fuzz: there is no surface %q; -list has them", s)
		}
		chosen = append(chosen, targets[i])
	}
	return chosen, nil
}

// progress matches the go command's lines "fuzz: elapsed: 3s, execs: 325017 (108336/sec), …".
var progress = regexp.MustCompile(`execs: (\d+)`)

// fuzz runs a target, and returns a line about it. Its error is that of the go command: a finding,
// or a package that does not build.
func (t target) fuzz(ctx context.Context, root string, each time.Duration, parallel int) (string, error) {
	// The minimizer would take a minute for each input whose coverage varies between two runs, as
	// that of concurrent programs does.
	args := []string{"test", "-run=^$", "-fuzz=^" + t.function + "$", "-fuzztime=" + each.String(), "-fuzzminimizetime=10x", "-timeout=0"}
	if parallel > 0 {
		args = append(args, "-parallel="+strconv.Itoa(parallel))
	}
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // its processes end with it
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir = filepath.Join(root, filepath.FromSlash(t.folder))
	started := time.Now()
	out, err := cmd.CombinedOutput()
	return conclude(string(out), err, time.Since(started))
}

var errNotRun = errors.New("fuzz: the target was not run")

// conclude returns a line about a run of the go command, or all of its output.
func conclude(out string, err error, took time.Duration) (string, error) {
	found := progress.FindAllStringSubmatch(out, -1)
	if err == nil && found == nil {
		err = errNotRun
	}
	if err != nil {
		return err.Error() + ":\n" + out, err
	}
	return fmt.Sprintf("%s runs in %v, no findings", found[len(found)-1][1], took.Round(time.Second)), nil
}

// declared returns the fuzz targets that the tests of the repository declare, as "folder
// function". The programs of the documents are left out: they show how to write one.
func declared(root string) (list []string, err error) {
	function := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() && (name == "docs" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, found := range function.FindAllStringSubmatch(string(text), -1) {
			list = append(list, filepath.ToSlash(filepath.Dir(name))+" "+found[1])
		}
		return err
	})
	return list, err
}
