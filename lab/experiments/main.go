// Command experiments answers questions about schedulers by measurements. Each prints a table.
//
//	go -C lab run ./experiments [-processors 4] [-works 200000] [NAME...]
//
// Without a name, it runs all of them. The names are listed below. The output depends on the
// machine and on its load.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// experiment is a question and the code that answers it.
type experiment struct {
	name, question string
	run            func(out io.Writer, processors, items int) error
}

func experiments() []experiment {
	return []experiment{
		{"sharing", "How much work changes processors under work sharing, and under work stealing?", sharing},
		{"spinning", "What does it cost to look for work for longer, and how much sooner does work start?", spinning},
		{"contention", "What is a local queue worth, for work of different sizes?", contention},
		{"locality", "What is it worth to run the newest work first, for data of different sizes?", locality},
		{"threads", "What does an operation cost on a thread of its own, on a goroutine, and in a pool?", threads},
		{"long", "What do long computations do to a pool that does not know that they are long?", longRunning},
		{"shims", "What does a scheduler on top of another one cost for each work item?", shims},
	}
}

func main() {
	processors := flag.Int("processors", 4, "how much runs at a time")
	items := flag.Int("works", 200_000, "number of work items")
	flag.Parse()
	chosen, err := choose(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "experiments:", err)
		os.Exit(2)
	}
	for _, e := range chosen {
		fmt.Fprintln(os.Stdout, e.question)
		if err := e.run(os.Stdout, max(1, *processors), max(1, *items)); err != nil {
			fmt.Fprintln(os.Stderr, "experiments:", err)
			os.Exit(1)
		}
		fmt.Fprintln(os.Stdout)
	}
}

// choose returns the experiments with these names, or all.
func choose(names []string) (chosen []experiment, err error) {
	all := experiments()
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(e experiment) bool { return e.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no experiment is named %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// table begins a table with these columns.
func table(out io.Writer, columns ...string) *tabwriter.Writer {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(columns, "\t"))
	return t
}

func row(t *tabwriter.Writer, cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(t, "\t")
		}
		fmt.Fprint(t, c)
	}
	fmt.Fprintln(t)
}

// compute is the body of the work items: a few nanoseconds for each 10 steps.
func compute(steps int) {
	x := uint32(1)
	for range steps {
		x ^= x << 13
		x ^= x >> 17
	}
	if x == 0 {
		panic("experiments: a generator that has come to a standstill")
	}
}
