// Durables measures durable functions, next to the same work on DBOS and to bare writes:
//
//	go run . steps                      steps a second: SQLite, Postgres, DBOS on Postgres
//	go run . latency                    a step's commit, as a multiple of a bare synced write
//	go run . restart -instances 100000  suspended ones: memory, and when all can be claimed
//
// The Postgres server is started for the measurement, with the settings that it has by default:
// it syncs each commit. Compare figures of one run alone.
//
//	work.go     the durable functions; work_async.go is generated from it
//	steps.go    steps a second
//	dbos.go     the same on DBOS
//	latency.go  the time of one commit
//	restart.go  suspended instances
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

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// size is how much is measured.
type size struct {
	workflows, steps, at, instances, commits int
}

// errUsage says what can be asked for.
var errUsage = errors.New("durables: go run . steps | latency | restart [flags]")

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	var n size
	flags := flag.NewFlagSet("durables "+args[0], flag.ContinueOnError)
	flags.IntVar(&n.workflows, "workflows", 1000, "steps: how many workflows run in all")
	flags.IntVar(&n.steps, "steps", 20, "steps: how many each of them has")
	flags.IntVar(&n.at, "at-a-time", 32, "steps: how many of them run at a time")
	flags.IntVar(&n.commits, "commits", 2000, "latency: how many commits are measured")
	flags.IntVar(&n.instances, "instances", 100_000, "restart: how many instances are suspended")
	file := flags.String("file", "", "restart: the file of suspended instances, for the process that is started again")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "steps":
		return measureSteps(ctx, n, out)
	case "latency":
		return measureLatency(ctx, n, out)
	case "restart":
		if *file != "" {
			return reopen(ctx, *file, n.instances, out)
		}
		return measureRestart(ctx, n, out)
	}
	return errUsage
}
