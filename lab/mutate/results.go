package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// The outcomes of a mutation.
const (
	killed     = "killed"
	timeout    = "timeout" // killed, by a test that hung
	survivor   = "survived"
	equivalent = "equivalent"
)

// verdict is a line of the results file. Of two lines with the same name the later one counts.
type verdict struct {
	name, digest string
	outcome      string
	test         string // the test that killed it
	command      command
}

func (v verdict) String() string {
	return strings.TrimRight(strings.Join([]string{v.name, v.digest, v.outcome, v.test, string(v.command)}, "\t"), "\t")
}

// readResults returns the verdicts of a file by their names. A missing file has none.
func readResults(name string) (map[string]verdict, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("mutate: %w", err)
	}
	known := map[string]verdict{}
	for line := range strings.Lines(string(text)) {
		fields := append(strings.Split(strings.TrimSuffix(line, "\n"), "\t"), "", "")
		if len(fields) < 5 {
			return nil, fmt.Errorf("mutate: %s: %q is not a verdict", name, line)
		}
		known[fields[0]] = verdict{fields[0], fields[1], fields[2], fields[3], command(fields[4])}
	}
	return known, nil
}

// appendResult appends v to a file in one write, so that two runs can share the file.
func appendResult(name string, v verdict) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(v.String() + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("mutate: %w", err)
	}
	return nil
}
