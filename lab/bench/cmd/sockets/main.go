//go:build linux

// Command sockets compares servers: one goroutine per connection with package net, machines with
// package netio, event loops written with callbacks, and a bare epoll loop as the lower bound.
// Server and client are separate processes; the client is the same for all.
//
//	go run ./cmd/sockets                      all workloads, nine rounds: an hour
//	go run ./cmd/sockets -rounds 3 -only idle,echo
//	go run ./cmd/sockets -list
//
// In each round the contenders take turns, and a ratio compares two neighbours in one round. A
// table shows the median of the ratios, and in brackets the smallest and the largest.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/lab/bench/internal/report"
	"github.com/movenext/movenext/lab/bench/internal/stats"
)

// settings are what the flags say.
type settings struct {
	rounds      int
	connections int // that are idle
	busy        int // that exchange messages
	secure      int // with TLS, whose handshakes take long
	last        time.Duration
	only        []string
}

func main() {
	if name := os.Getenv(childVariable); name != "" {
		exit(serveAs(name, os.Stdin, os.Stdout))
	}
	var s settings
	var only string
	var list bool
	flag.IntVar(&s.rounds, "rounds", 9, "how often each contender takes its turn")
	flag.IntVar(&s.connections, "connections", 9000, "how many connections are idle")
	flag.IntVar(&s.busy, "busy", 1000, "how many connections exchange messages")
	flag.IntVar(&s.secure, "secure", 2000, "how many connections with TLS are idle")
	flag.DurationVar(&s.last, "last", 3*time.Second, "how long messages are exchanged in one turn")
	flag.StringVar(&only, "only", "", "workloads, separated by commas; all if empty")
	flag.BoolVar(&list, "list", false, "list the workloads and their contenders")
	flag.Parse()
	if only != "" {
		s.only = strings.Split(only, ",")
	}
	if list {
		for _, w := range works {
			fmt.Fprintf(os.Stdout, "%-12s %s: %s\n", w.name, w.title, strings.Join(namesOf(w), ", "))
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(run(ctx, s, os.Stdout))
}

func exit(err error) {
	if err == nil {
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func namesOf(w work) (names []string) {
	for _, c := range w.contenders {
		names = append(names, c.name)
	}
	return names
}

// run runs the selected works, and writes a table for each.
func run(ctx context.Context, s settings, out io.Writer) error {
	if s.rounds < 1 || s.connections < 1 || s.busy < 1 || s.secure < 1 || s.last <= 0 {
		return errors.New("sockets: rounds, numbers of connections and times are positive")
	}
	for _, name := range s.only {
		if !slices.ContainsFunc(works, func(w work) bool { return w.name == name }) {
			return fmt.Errorf("sockets: %q is not a workload; -list names them", name)
		}
	}
	here := report.Here()
	fmt.Fprintf(out, "%s; %s; %d rounds.\n", here.Machine, here.Go, s.rounds)
	for _, w := range works {
		if len(s.only) > 0 && !slices.Contains(s.only, w.name) {
			continue
		}
		results, err := contest(ctx, s, w)
		if err != nil {
			return err
		}
		table(out, w, results)
	}
	return nil
}

// figures are the results of one turn, by name.
type figures map[string]float64

// contest runs the contenders of a work in turn. The result has the figures of each, round by
// round.
func contest(ctx context.Context, s settings, w work) (map[string][]figures, error) {
	results := map[string][]figures{}
	for round := range s.rounds {
		for _, c := range w.contenders {
			fmt.Fprintf(os.Stderr, "\r%s, round %d of %d: %-30s", w.name, round+1, s.rounds, c.name)
			f, err := turn(ctx, s, w, c)
			if err != nil {
				return nil, fmt.Errorf("sockets: %s, %s: %w", w.name, c.name, err)
			}
			results[c.name] = append(results[c.name], f)
		}
	}
	fmt.Fprintf(os.Stderr, "\r%60s\r", "")
	return results, nil
}

// turn runs a work once, against a server in a separate process.
func turn(ctx context.Context, s settings, w work, c contender) (figures, error) {
	child, err := start(ctx, c.name)
	if err != nil {
		return nil, err
	}
	f, err := w.run(s, child)
	return f, errors.Join(err, child.stop())
}

// table writes the medians of a work. The first contender is the base of the ratios.
func table(out io.Writer, w work, results map[string][]figures) {
	fmt.Fprintf(out, "\n## %s\n\n", w.title)
	head, line := []string{"server"}, []string{"---"}
	for _, q := range w.quantities {
		head, line = append(head, q.name, "×"), append(line, "--:", "--:")
	}
	report.Row(out, head...)
	report.Row(out, line...)
	base := results[w.contenders[0].name]
	for _, c := range w.contenders {
		cells := []string{c.name}
		for _, q := range w.quantities {
			values, ratios := q.valuesIn(results[c.name]), []float64{}
			for i, v := range values {
				ratios = append(ratios, v/q.valuesIn(base)[i])
			}
			ratio, _ := stats.Over(ratios) // there is a round at least
			cells = append(cells, report.Number(stats.Median(values)),
				fmt.Sprintf("%.2f (%.2f–%.2f)", ratio.Median, ratio.Least, ratio.Most))
		}
		report.Row(out, cells...)
	}
}

// quantity is a column of a table.
type quantity struct{ name, key string }

func (q quantity) valuesIn(all []figures) (values []float64) {
	for _, f := range all {
		values = append(values, f[q.key])
	}
	return values
}
