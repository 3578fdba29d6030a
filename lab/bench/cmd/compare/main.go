// Compare reports whether this version of the library is slower than another one, and
// fails if it is.
//
//	go run ./cmd/compare -rev v1.2.0            against a revision of this repository
//	go run ./cmd/compare -against ../other      against another checkout
//	go run ./cmd/compare -against ./old-table   against a binary built earlier
//
// Both versions run alternately, pair after pair. The comparison uses each contender's ratio to
// plain goroutines of the same version, since that ratio is stable when the machine's speed
// drifts. It takes the better part of an hour and needs a quiet machine, so it is run by hand,
// and before a release.
//
// The exit status is 0 if nothing is worse, 1 if something is, and 2 if the comparison failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/movenext/movenext/lab/bench/internal/options"
)

// The exit statuses.
const (
	statusFine   = 0
	statusWorse  = 1
	statusFailed = 2
)

// errWorse is the error of a comparison that found something worse.
var errWorse = errors.New("this version is worse")

func main() {
	os.Exit(status())
}

// status runs the command and returns its exit status. It is a function so that its
// deferred calls run before the exit.
func status() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return statusFine
	case errors.Is(err, errWorse):
		fmt.Fprintln(os.Stderr, "compare:", err)
		return statusWorse
	}
	fmt.Fprintln(os.Stderr, "compare:", err)
	return statusFailed
}

// config holds the values of the flags.
type config struct {
	options.Options
	against   string
	rev       string
	pairs     int
	tolerance float64
	procs     int
}

func parse(args []string, stderr io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(stderr)
	c.Register(flags, "")
	for name, value := range map[string]string{"contenders": "^movenext", "scale": "10"} {
		if err := flags.Set(name, value); err != nil {
			return c, fmt.Errorf("flags: %w", err)
		}
		flags.Lookup(name).DefValue = value
	}
	flags.StringVar(&c.against, "against", "", "a checkout of this repository, or a binary of its command table")
	flags.StringVar(&c.rev, "rev", "", "a revision of this repository, instead of -against")
	flags.IntVar(&c.pairs, "pairs", 10, "how often both versions run (-rounds and -repeat have no meaning here)")
	flags.Float64Var(&c.tolerance, "tolerance", 0.2, "by which part a ratio may be worse in the median of the pairs")
	flags.IntVar(&c.procs, "procs", 0, "GOMAXPROCS of the processes that are measured; 0: as many as there are")
	if err := flags.Parse(args); err != nil {
		return c, fmt.Errorf("flags: %w", err)
	}
	switch {
	case flags.NArg() > 0:
		return c, fmt.Errorf("flags: %q is none; works are named by -works", flags.Arg(0))
	case (c.against == "") == (c.rev == ""):
		return c, errors.New("flags: either -against or -rev says what to compare with")
	case c.pairs < 1:
		return c, fmt.Errorf("flags: -pairs is %d, where 1 is the least", c.pairs)
	case c.tolerance <= 0:
		return c, fmt.Errorf("flags: -tolerance is %g, where it has to be above 0", c.tolerance)
	}
	return c, c.Check()
}
