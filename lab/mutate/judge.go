package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// judge returns a verdict for each mutation, in the order of the list, and appends those that
// are new to the file of results. It ends early with an error if a verdict cannot be found.
func judge(ctx context.Context, list []mutation, known map[string]verdict, o options) ([]verdict, error) {
	verdicts := make([]verdict, 0, len(list))
	sound := map[command]bool{}
	for i := range list {
		m := &list[i]
		v, ok := known[m.name]
		if !ok || v.digest != m.digest() || v.outcome == survivor {
			var err error
			if v, err = try(ctx, m, sound, o); err != nil {
				return nil, err
			}
			if err = appendResult(o.results, v); err != nil {
				return nil, err
			}
			fmt.Fprintf(os.Stderr, "%d/%d %s\n", i+1, len(list), v)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// try finds a verdict on m. sound holds the commands that pass without a mutation; a
// command is tried that way before its failure can say anything.
func try(ctx context.Context, m *mutation, sound map[command]bool, o options) (verdict, error) {
	v := verdict{name: m.name, digest: m.digest(), outcome: equivalent}
	if m.equivalent != "" {
		return v, nil
	}
	text, err := m.mutate(".")
	if err != nil {
		return v, err
	}
	overlay, remove, err := writeOverlay(m.file, text)
	if err != nil {
		return v, fmt.Errorf("mutate: %s: %w", m.name, err)
	}
	defer remove()
	v.outcome = survivor
	for _, c := range m.commands {
		if !sound[c] {
			if r, err := test(ctx, c, "", o); err != nil || r.failed {
				return v, errors.Join(fmt.Errorf("mutate: go test %s fails without a mutation: %s", c, r.test), err)
			}
			sound[c] = true
		}
		r, err := test(ctx, c, overlay, o)
		if err != nil {
			return v, fmt.Errorf("mutate: %s: %w", m.name, err)
		}
		if r.failed {
			v.outcome, v.test, v.command = killed, r.test, c
			if r.hung {
				v.outcome = timeout
			}
			break
		}
	}
	return v, nil
}

// writeOverlay writes text, and the file for the flag -overlay that puts it in the place of
// the file with this name.
func writeOverlay(file, text string) (overlay string, remove func(), err error) {
	original, err := filepath.Abs(filepath.FromSlash(file))
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", nil, err
	}
	scratch := filepath.Join(dir, filepath.Base(original))
	overlay = filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: scratch}})
	err = errors.Join(err, os.WriteFile(scratch, []byte(text), 0o600), os.WriteFile(overlay, replace, 0o600))
	return overlay, func() { _ = os.RemoveAll(dir) }, err
}

// report says how a test command ended.
type report struct {
	failed bool
	hung   bool // until the time limit
	// The first that failed. It is "" if none did, but the package, say because a goroutine
	// is left.
	test string
}

// test runs a test command with an overlay, if one is given. It is in the environment, so
// that go commands of the test, which compile programs with the runtime, use it too.
func test(ctx context.Context, c command, overlay string, o options) (report, error) {
	args := []string{"test", "-json", "-vet=off", "-count=1", "-failfast", "-timeout=" + o.limit.String()}
	fields := strings.Fields(string(c)) // the package, then its flags
	args = append(args, placePackage(fields)...)
	cmd := exec.CommandContext(ctx, "go", args...)
	if overlay != "" {
		cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return report{}, ctx.Err()
	}
	r, built := read(out)
	if !built {
		return r, fmt.Errorf("go test %s does not build: %s%s", c, complaints.Bytes(), out)
	}
	r.failed = err != nil
	return r, nil
}

// placePackage returns the arguments with flags of the go command before the package, and
// flags of the test after it: those that the go command does not know.
func placePackage(fields []string) []string {
	known := []string{"-tags=", "-run=", "-skip=", "-short", "-cpu=", "-race"}
	var before, after []string
	for _, f := range fields[1:] {
		own := false
		for _, k := range known {
			own = own || strings.HasPrefix(f, k)
		}
		if own {
			before = append(before, f)
		} else {
			after = append(after, f)
		}
	}
	return append(append(before, fields[0]), after...)
}

// read reads the events of go test -json. built is false if the tests could not be compiled.
func read(out []byte) (r report, built bool) {
	built = true
	var running []string // tests that have begun and not ended, the last one last
	for line := range bytes.Lines(out) {
		var event struct{ Action, Test, Output, FailedBuild string }
		if json.Unmarshal(line, &event) != nil {
			continue
		}
		switch event.Action {
		case "build-fail":
			built = false
		case "run":
			running = append(running, event.Test)
		case "pass", "skip":
			running = slices.DeleteFunc(running, func(name string) bool { return name == event.Test })
		case "fail":
			built = built && event.FailedBuild == ""
			r.test = cmp.Or(r.test, event.Test)
		}
		r.hung = r.hung || strings.HasPrefix(event.Output, "panic: test timed out after")
	}
	if r.test == "" && len(running) > 0 {
		r.test = running[len(running)-1] // the process has ended in its middle
	}
	return r, built
}
