// Table measures the workloads and prints a table for each: every contender in a separate
// process, round after round.
//
//	go run ./cmd/table                                   all workloads, about an hour
//	go run ./cmd/table -works W1,W6 -rounds 3 -scale 10  a quick run of two of them
//
// The figures are meant to be compared by people. The command compare fails when figures get
// worse.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/internal/options"
	"github.com/movenext/movenext/lab/bench/workloads"
)

func main() {
	if childproc.Serve(os.Args[1:], os.Stdin, os.Stdout, workloads.All()) {
		return
	}
	os.Exit(status())
}

// status runs the command and returns its exit status. It is a function so that its
// deferred calls run before the exit.
func status() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	self, err := os.Executable()
	if err == nil {
		err = run(ctx, self, os.Args[1:], os.Stdout, os.Stderr)
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(os.Stderr, "table:", err)
		return 1
	}
	return 0
}

// config holds the values of the flags.
type config struct {
	options.Options
	procs int
	list  bool
	json  string
	svg   string
}

func parse(args []string, stderr io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("table", flag.ContinueOnError)
	flags.SetOutput(stderr)
	c.Register(flags, "")
	flags.IntVar(&c.procs, "procs", 0, "GOMAXPROCS of the processes that are measured; 0: as many as there are")
	flags.BoolVar(&c.list, "list", false, "list works and contenders, and measure nothing")
	flags.StringVar(&c.json, "json", "", "a file for everything that was measured, in JSON")
	flags.StringVar(&c.svg, "svg", "", "a folder for a plot of each work; the tables link to them")
	if err := flags.Parse(args); err != nil {
		return c, fmt.Errorf("flags: %w", err)
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("flags: %q is none; works are named by -works", flags.Arg(0))
	}
	return c, c.Check()
}
