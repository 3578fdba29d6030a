// Command site builds the documents of this repository as a site of static pages:
//
//	cd lab/site && go run . -out DIR
//
// The pages load nothing from elsewhere. They work on a server, in any folder of it, and from a
// disk. A broken link is an error, reported with file, line and target.
//
// The folder is written next to DIR and renamed at the end, so DIR has either the site of the
// previous run or that of this one. If DIR contains a file that no run has made, the command
// fails and leaves DIR unchanged.
//
// The exit status is 1 if the documents have errors, or something else fails, and 2 if the
// command is used incorrectly.
package main

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

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the command with its arguments. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("site", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "", "the `folder` to write, which a run before may have written")
	root := flags.String("root", "../..", "the `folder` of the repository")
	repository := flags.String("repository", "https://github.com/movenext/movenext", "the `URL` of the repository, for links to source files")
	revision := flags.String("revision", "main", "the branch, tag or `commit` that links to source files name")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if *out == "" || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "usage: go run . -out DIR [-root DIR] [-repository URL] [-revision NAME]")
		return 2
	}
	s := &site{root: *root, repository: *repository, revision: *revision, record: record}
	if err := s.build(ctx, *out); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	fmt.Fprintf(stdout, "%d pages in %s: open %s\n", len(s.pages), *out, filepath.Join(*out, "index.html"))
	return 0
}

// record writes the pages that play into a folder: one for each lesson of the example that records
// other schedulers, and a run of the machine of three awaits. The builder's paths are trimmed from
// the binaries, so they do not appear in the pages.
func record(ctx context.Context, root, folder string) error {
	threeAwaits := "examples/04-await-in-order"
	for _, command := range [][]string{
		{"run", "-trimpath", "./examples/42-schedules", "-o", folder},
		{
			"run", "-trimpath", "./codegen/cmd/movenext", "explain", "-format=html", "-o", filepath.Join(folder, "three-awaits.html"),
			"./" + threeAwaits, "run", "--", "go", "run", "-trimpath", "./" + threeAwaits,
		},
	} {
		cmd := exec.CommandContext(ctx, "go", command...)
		cmd.Dir = root
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("site: recording with go %s: %w\n%s", strings.Join(command, " "), err, text)
		}
	}
	return nil
}
