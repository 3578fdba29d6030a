// Tour shows the main purpose of this project on real input. It surveys every Go file of a source
// tree (by default that of the Go installation) with functions that are marked //movenext:async,
// once as plain Go and once as state machines on each of three schedulers, and compares the
// results. Then it puts a hundred thousand operations to sleep, as goroutines and as machines, and
// prints what each of them holds.
//
//	tour [-sleepers n] [directory]
//
// The exit status is 0 if all went well, 1 if a file could not be surveyed or the
// tables differ, 2 for a wrong command line, 130 after an interrupt.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// The exit statuses.
const (
	exitOK          = 0
	exitProblems    = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := tour(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// tour is main without the process: it returns the exit status.
func tour(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tour", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: tour [-sleepers n] [directory]")
		fmt.Fprintln(stderr, "directory is a tree with Go files; without one it is the source of the Go installation.")
		flags.PrintDefaults()
	}
	sleepers := flags.Int("sleepers", 100_000, "how many operations to put to sleep; 0 leaves that part out")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitUsage
	}
	if flags.NArg() > 1 || *sleepers < 0 {
		fmt.Fprintln(stderr, "tour: want at most one directory, and no negative number of sleepers")
		return exitUsage
	}
	root, err := rootOf(ctx, flags.Arg(0))
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitProblems
	}
	status := surveyAll(ctx, root, stdout, stderr)
	if status == exitInterrupted || *sleepers == 0 {
		return status
	}
	if err := compareSleepers(ctx, stdout, *sleepers); err != nil {
		fmt.Fprintln(stderr, "tour:", err)
		return exitInterrupted
	}
	return status
}

// rootOf returns the directory to survey: the one given, or the Go installation's
// sources.
func rootOf(ctx context.Context, given string) (string, error) {
	if given != "" {
		info, err := os.Stat(given)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a directory", given)
		}
		if err != nil {
			return "", fmt.Errorf("tour: nothing to survey: %w", err)
		}
		return given, nil
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("tour: where is the Go installation? %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src"), nil
}

// surveyAll runs all executions over the tree at root and compares them.
func surveyAll(ctx context.Context, root string, stdout, stderr io.Writer) int {
	dirs, problems := packageDirs(root)
	fmt.Fprintf(stdout, "Surveying %s: %d directories with Go files\n\n", root, len(dirs))

	var first *report
	status := exitOK
	for _, e := range executions() {
		r := e.run(ctx, root, dirs, newProgress(stderr, e.name, len(dirs)))
		if first == nil {
			first = r
			first.table(stdout)
			fmt.Fprintln(stdout)
		}
		fmt.Fprintf(stdout, "%-32s %8.2fs  %7d suspensions  %7d hops\n", e.name, r.seconds, r.suspensions, r.hops)
		if ctx.Err() != nil {
			fmt.Fprintf(stdout, "\nInterrupted. Counted so far (%s):\n", e.name)
			r.table(stdout)
			return exitInterrupted
		}
		if !r.sameAs(first) {
			fmt.Fprintf(stdout, "\nThe table of %q differs from that of plain Go:\n", e.name)
			r.table(stdout)
			status = exitProblems
		}
	}
	if status == exitOK {
		fmt.Fprintln(stdout, "\nThe four tables are identical.")
	}
	problems = append(problems, first.problems...)
	if len(problems) > 0 {
		reportProblems(stdout, problems)
		status = exitProblems
	}
	return status
}

func reportProblems(w io.Writer, problems []problem) {
	fmt.Fprintf(w, "\nProblems: %d; everything else is counted:\n", len(problems))
	for _, p := range problems {
		fmt.Fprintf(w, "  %s: %v\n", p.path, p.err)
	}
}
