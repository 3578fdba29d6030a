// Growth measures how the cost of an operation grows with the number of jobs, with the
// number of goroutines that start them, and with the number of workers.
//
//	go run ./cmd/growth                                      all three, hours
//	go run ./cmd/growth -axes producers -works W1 -procs 2   one of them
//
// A flat line means that a contender scales. Each size is measured as a separate field:
// contenders in separate processes, round after round.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"

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
		fmt.Fprintln(os.Stderr, "growth:", err)
		return 1
	}
	return 0
}

// config holds the values of the flags.
type config struct {
	options.Options
	axes      []axis
	from, to  int   // jobs
	producers []int // of their axis
	workers   []int
	procs     []int // one table for each
	svg       string
}

// defaults are the contenders of a readable picture; a flag adds the others.
const defaults = `^(movenext( workstealing)?(: .*)?|goroutines|goroutine \+ channel|pond|ants)$`

func parse(args []string, stderr io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("growth", flag.ContinueOnError)
	flags.SetOutput(stderr)
	c.Register(flags, "W1,W2,W4,W5,W7")
	c.Contenders = defaults
	flags.Lookup("contenders").DefValue = defaults
	axes := flags.String("axes", "jobs,producers,workers", "what grows, separated by commas")
	flags.IntVar(&c.from, "from", 1_000, "the least number of jobs")
	flags.IntVar(&c.to, "to", 10_000_000, "the greatest number of jobs")
	producers := flags.String("producers", "1,2,4,8,16", "numbers of producers")
	workers := flags.String("workers", "1,2,4,8,16,32,64", "numbers of workers")
	procs := flags.String("procs", processors(), "values of GOMAXPROCS, with a table for each")
	flags.StringVar(&c.svg, "svg", "", "a folder for a plot of each table; the tables link to them")
	if err := flags.Parse(args); err != nil {
		return c, fmt.Errorf("flags: %w", err)
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("flags: %q is none; works are named by -works", flags.Arg(0))
	}
	if c.from < 1 || c.to < c.from {
		return c, fmt.Errorf("flags: from %d to %d jobs is not a range", c.from, c.to)
	}
	var errs [4]error
	c.axes, errs[0] = parseAxes(*axes)
	c.producers, errs[1] = numbers("producers", *producers)
	c.workers, errs[2] = numbers("workers", *workers)
	c.procs, errs[3] = numbers("procs", *procs)
	return c, errors.Join(append(errs[:], c.Check())...)
}

// processors is one, two, and all that the machine has.
func processors() string {
	all := []int{1, 2, runtime.NumCPU()}
	slices.Sort(all)
	var names []string
	for _, n := range slices.Compact(all) {
		names = append(names, strconv.Itoa(n))
	}
	return strings.Join(names, ",")
}

// numbers reads a list of numbers of at least one.
func numbers(name, list string) (all []int, err error) {
	for _, text := range strings.Split(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("flags: -%s: %q is not a number of at least 1", name, text)
		}
		all = append(all, n)
	}
	return all, nil
}
