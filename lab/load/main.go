// Command load runs a very large number of short jobs on schedulers and checks that every job is
// accounted for. Jobs panic, are canceled, wait inside other work, or are submitted after
// a shutdown in the middle. Still
//
//	submitted = completed + faulted + canceled + refused
//
// holds exactly, by the jobs' own account and by the scheduler's metrics. Each job's value,
// outcome, and number of calls of its function match its dice, and no goroutine and no memory is
// left. The command exits with 1 if any of this fails, or if no job ends for two
// minutes.
//
//	go -C lab run ./load [-jobs 10000000] [-producers 16] [-seed 1]
//		[-scheduler pool,workstealing] [-for 2h]
//
// With -for it soaks: it repeatedly loads all schedulers for that time, and disturbs them. See
// soak.go.
//
// After half of the jobs the scheduler is shut down: it runs queued work for a short time, then
// abandons the rest, and refuses later submissions. Abandoned jobs count as refused. What the
// jobs of a load do is reproducible, but their order is not.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	jobs := flag.Int64("jobs", 10_000_000, "jobs for each scheduler")
	producers := flag.Int("producers", 16, "goroutines that start jobs")
	which := flag.String("scheduler", "", "names, separated by commas; none: all but those that keep records")
	seed := flag.Uint64("seed", 1, "of the dice")
	length := flag.Duration("for", 0, "soak for so long, under disturbances, instead of one load")
	flag.Parse()
	chosen, err := choose(*which)
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(2)
	}
	if *length > 0 {
		os.Exit(soakFor(os.Stdout, chosen, *length, *seed))
	}
	if !report(os.Stdout, chosen, max(2, *jobs), max(1, *producers), *seed) {
		os.Exit(1)
	}
}

// soakFor runs a soak, and returns the exit status.
func soakFor(out io.Writer, chosen []candidate, length time.Duration, seed uint64) (status int) {
	dice := rand.New(rand.NewPCG(seed, 0))
	if status, done := underStops(out, dice); done {
		return status
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	ctx, cancelTime := context.WithTimeout(ctx, length)
	defer cancelTime()
	s := &soak{chosen: chosen, dice: dice, maxJobs: maxRoundJobs}
	if !s.run(ctx, out) {
		return 1
	}
	return 0
}

// choose returns the candidates of these names.
func choose(names string) (chosen []candidate, err error) {
	all := candidates()
	if names == "" {
		return slices.DeleteFunc(all, func(v candidate) bool { return v.onRequest }), nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(v candidate) bool { return v.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no scheduler is named %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// timeout limits the time without the end of a job, after which a load is aborted.
const timeout = 2 * time.Minute

// report loads each candidate and prints a table. It returns false if any account does not
// balance.
func report(out io.Writer, chosen []candidate, jobs int64, producers int, seed uint64) (balanced bool) {
	balanced = true
	const row = "%s\t%v\t%v\t%v\t%v\t%v\t%v\t\n"
	t := tabwriter.NewWriter(out, 18, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, row, "scheduler", "submitted", "completed", "faulted", "canceled", "refused", "took")
	_ = t.Flush()
	for _, v := range chosen {
		r := load(v, jobs, producers, seed, timeout)
		fmt.Fprintf(t, row, v.name, r.submitted.Load(), r.completed.Load(), r.faulted.Load(),
			r.canceled.Load(), r.refused.Load(), r.took.Round(time.Millisecond))
		_ = t.Flush() // each row as soon as it is known
		if r.err != nil {
			balanced = false
			fmt.Fprintf(out, "%s: %v\n", v.name, r.err)
		}
	}
	return balanced
}
