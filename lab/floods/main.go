// Command floods measures what peers cost that only misbehave: how long the process computes for a
// connection of package netio, and the ratio to crypto/tls and net for the same bytes. The runs of
// both alternate in one process, so a ratio holds on a machine that is busy, too.
//
//	go -C lab run ./floods
//
// It exits with status 1 if a ratio is above its bound.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// most is how many times as long as crypto/tls or net a connection may compute.
const most = 1.5

var (
	errAbove  = errors.New("floods: a ratio is above its bound")
	errNotRun = errors.New("floods: nothing was measured")
)

func main() {
	root := flag.String("root", "..", "the root of the repository")
	times := flag.Int("times", 50, "how many connections of each kind")
	flag.Parse()
	cmd := exec.Command("go", "test", "-run=^$", "-bench=^BenchmarkMisbehaving$", "-benchtime="+strconv.Itoa(*times)+"x", "./netio")
	cmd.Dir, cmd.Stderr = *root, os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = report(string(out), os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// report writes the figures of a run of the benchmark.
func report(out string, w io.Writer) error {
	err := errNotRun
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		name, found := "", false
		if len(fields) > 0 {
			_, name, found = strings.Cut(fields[0], "BenchmarkMisbehaving/")
		}
		if !found {
			continue
		}
		ours, theirs, ratio := figure(fields, "cpu-ns/op"), figure(fields, "theirs-ns/op"), figure(fields, "ratio")
		fmt.Fprintf(w, "%-40s %7.2f ms %7.2f ms %6.2f\n", strings.ReplaceAll(name, "_", " "), ours/1e6, theirs/1e6, ratio)
		switch {
		case !(ratio <= most) || ratio <= 0: // it may be no number
			err = errAbove
		case err == errNotRun:
			err = nil
		}
	}
	return err
}

// figure returns the value before a unit, or 0.
func figure(fields []string, unit string) float64 {
	for i, f := range fields {
		if f == unit && i > 0 {
			v, _ := strconv.ParseFloat(fields[i-1], 64)
			return v
		}
	}
	return 0
}
