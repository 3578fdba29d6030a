// Prove searches for programs whose two executions differ. It is a tool for this repository and
// must be run inside it.
//
// Usage:
//
//	go -C lab run ./prove enumerate [flags]
//	go -C lab run ./prove fuzz [flags]
//	go -C lab run ./prove gotest [flags] [folder]
//	go -C lab run ./prove modules [flags] [patterns, modules or folders]
//	go -C lab run ./prove std [flags] [packages]
//	go -C lab run ./prove stdtest [flags] packages
//
// Enumerate writes all programs of a small world: each form of expressions and statements with
// each kind of operand, where one operand suspends and changes what the others read. It compares
// them as fuzz does.
//
// Fuzz writes random programs, lowers them, and compares their plain form with their machines,
// with four timings of the awaited jobs. It shrinks and prints programs that differ. The same seed
// produces the same programs.
//
// Gotest runs the programs of Go's own tests as machines, with suspension points between their
// statements. The folder is test in the Go sources; by default it is the one of the Go
// installation, if there is one.
//
// Modules runs the tests of third-party modules twice: unchanged, and with each function replaced
// by its machine, which suspends between its statements. The same tests must pass. The file
// modules.txt lists the modules with their versions; patterns select some of them. Other modules
// are specified as path@version, or by their folder ("./…").
//
// Std copies packages of the standard library ("std" if none are named) and annotates all their
// functions. It prints how many were lowered, and why others were refused.
//
// Stdtest corresponds to modules, for packages of the standard library.
//
// Prove exits with status 1 if it found a difference or a defect, and with 2 if it could not
// search.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// command is one way to search.
type command func(ctx context.Context, args []string, out io.Writer) error

var commands = map[string]command{
	"enumerate": enumerate,
	"fuzz":      fuzz,
	"gotest":    gotest,
	"modules":   modules,
	"std":       std,
	"stdtest":   stdtest,
}

// errFound means that something was found, and has been printed.
var errFound = errors.New("something was found")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run does the work of main and returns the exit status.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	if len(args) == 0 || commands[args[0]] == nil {
		fmt.Fprintln(errs, "usage: prove enumerate|fuzz|gotest|modules|std|stdtest [flags]")
		return 2
	}
	err := commands[args[0]](ctx, args[1:], out)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errFound):
		return 1
	}
	fmt.Fprintln(errs, "prove:", err)
	return 2
}

// workFolder returns dir, or a temporary folder that clean removes.
func workFolder(dir string) (path string, clean func(), err error) {
	if dir != "" {
		return dir, func() {}, nil
	}
	path, err = os.MkdirTemp("", "prove")
	return path, func() { _ = os.RemoveAll(path) }, err
}
