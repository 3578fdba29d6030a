// Scaling prints how work is expected to scale on more cores than the machine at hand has, and
// what its bottleneck is.
//
//	go run ./cmd/scaling                      1 to 64 cores
//	go run ./cmd/scaling -cores 4,96 -move 90
//
// It measures nothing: package scaling simulates the lines that cores share, at the costs that
// the flags state. With -measure 200000 it prints the two costs of the machine at hand instead.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/movenext/movenext/lab/bench/internal/scaling"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	costs := scaling.Measured
	flags := flag.NewFlagSet("scaling", flag.ContinueOnError)
	flags.SetOutput(stderr)
	list := flags.String("cores", "1,2,4,8,16,32,64", "numbers of cores, separated by commas")
	flags.Float64Var(&costs.Local, "local", costs.Local, "nanoseconds of a locked instruction")
	flags.Float64Var(&costs.Move, "move", costs.Move, "nanoseconds of one whose cache line another core has")
	measure := flags.Int("measure", 0, "print these costs of this machine, measured in so many rounds")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *measure > 0 {
		c := scaling.Measure(*measure)
		_, err := fmt.Fprintf(stdout, "-local %.1f -move %.1f\n", c.Local, c.Move)
		return err
	}
	cores, err := numbers(*list)
	if err != nil {
		return err
	}
	return printTable(stdout, costs, cores)
}

func numbers(list string) ([]int, error) {
	var all []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-cores: %q is not a number of cores", text)
		}
		all = append(all, n)
	}
	return all, nil
}

// printTable prints a row for each work: operations a microsecond for each number of cores, and
// the bottleneck on the most, with the number from which on it is one.
func printTable(stdout io.Writer, costs scaling.Costs, cores []int) error {
	var b strings.Builder
	b.WriteString("| operations a microsecond, by cores |")
	for _, n := range cores {
		fmt.Fprintf(&b, " %d |", n)
	}
	b.WriteString(" bottleneck |\n|---|" + strings.Repeat("--:|", len(cores)) + "---|\n")
	for _, w := range scaling.Works() {
		fmt.Fprintf(&b, "| %s |", w.Name)
		bottleneck, from := "", 0
		for _, n := range cores {
			p := w.Predict(costs, n)
			fmt.Fprintf(&b, " %.3g |", p.PerMicrosecond)
			if p.Bottleneck != bottleneck {
				bottleneck, from = p.Bottleneck, n
			}
		}
		if bottleneck == "" {
			b.WriteString(" none |\n")
			continue
		}
		fmt.Fprintf(&b, " %s, from %d on |\n", bottleneck, from)
	}
	_, err := io.WriteString(stdout, b.String())
	return err
}
