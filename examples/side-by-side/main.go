// Five small but realistic programs, each written twice: with goroutines, as a Go programmer
// would write it, and with machines. The command runs the two forms in turn and prints their
// figures side by side. Machines need less memory wherever many operations wait; goroutines win
// where few wait and many values are passed between them.
//
//	go run ./examples/side-by-side
package main

//go:generate go tool movenext .

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/movenext/movenext/job"
)

// program is one of the five, in both forms. A form returns what it has computed.
type program struct {
	name, size       string
	n                int // for the figures
	few              int // for a test
	goroutines, twin func(context.Context, int) (int, error)
}

// form is a form as a function that blocks.
func form(twin func(context.Context, int) *job.Job[int]) func(context.Context, int) (int, error) {
	return func(ctx context.Context, n int) (int, error) { return twin(ctx, n).Wait(context.WithoutCancel(ctx)) }
}

var programs = []program{
	{"crawler", "50 000 pages, 2 000 at once", 50_000, 300, crawlWithGoroutines, form(crawlWithMachinesAsync)},
	{"chat", "50 000 members, 5 messages to all", 50_000, 200, chatWithGoroutines, form(chatWithMachinesAsync)},
	{"orders", "50 000 orders under way", 50_000, 200, ordersWithGoroutines, form(ordersWithMachinesAsync)},
	{"actors", "100 000 accounts, 40 000 transfers", 100_000, 50, actorsWithGoroutines, form(actorsWithMachinesAsync)},
	{"processor", "300 000 records, 4 workers", 300_000, 2000, processWithGoroutines, form(processWithMachinesAsync)},
}

func main() {
	rounds := flag.Int("rounds", 3, "how often each form runs; the figures are medians")
	flag.Parse()
	if err := compare(os.Stdout, programs, max(1, *rounds), func(p program) int { return p.n }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// compare runs both forms of each program in turn and prints the figures. It fails if they
// do not compute the same.
func compare(out io.Writer, programs []program, rounds int, size func(program) int) error {
	_, _ = fmt.Fprintln(out, "| program | goroutines | | machines | | machines / goroutines | |")
	_, _ = fmt.Fprintln(out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	_, _ = fmt.Fprintln(out, "| | time | memory | time | memory | time | memory |")
	for _, p := range programs {
		var g, m []figures
		for range rounds {
			a, err := measure(p.goroutines, size(p))
			if err != nil {
				return fmt.Errorf("%s with goroutines: %w", p.name, err)
			}
			b, err := measure(p.twin, size(p))
			if err != nil {
				return fmt.Errorf("%s with machines: %w", p.name, err)
			}
			if a.result != b.result {
				return fmt.Errorf("%s: goroutines compute %d, machines %d", p.name, a.result, b.result)
			}
			g, m = append(g, a), append(m, b)
		}
		x, y := median(g), median(m)
		_, _ = fmt.Fprintf(out, "| %s: %s | %d ms | %.1f MB | %d ms | %.1f MB | %.2f | %s |\n", p.name, p.size,
			x.took.Milliseconds(), x.megabytes(), y.took.Milliseconds(), y.megabytes(),
			float64(y.took)/float64(max(1, x.took)), ratio(y.memory, x.memory))
	}
	return nil
}

// ratio compares two amounts of memory, unless the second is too little to compare with.
func ratio(a, b uint64) string {
	const little = 1e6
	if b < little {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}
