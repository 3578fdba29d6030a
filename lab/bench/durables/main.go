// Durables measures durable functions, the same work on DBOS, and bare writes:
//
//	go run . steps                      steps per second: SQLite, Postgres, DBOS on Postgres
//	go run . latency                    a step's commit, as a multiple of a bare synced write
//	go run . restart -instances 100000  suspended ones: memory, and time until all can be claimed
//	go run . timers -instances 1000000  sleeping ones that are due within a minute: how late
//	go run . resume                     time until others continue the work of a killed worker
//	go run . plan                       needs of up to 10⁹ instances, and the first limit reached
//
// The Postgres server is started for the measurement, with its default settings: it syncs each
// commit. Compare only figures of the same run.
//
//	work.go     the durable functions; work_async.go is generated from it
//	steps.go    steps per second
//	dbos.go     the same on DBOS
//	latency.go  the time of one commit
//	restart.go  suspended instances
//	timers.go   sleeping instances
//	resume.go   a worker of three is killed
//	plan.go     a model of needs, fitted to measurements
//	stores.go   the stores on which the last three are measured
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// size is the size of a measurement.
type size struct {
	workflows, steps, parallel, instances, commits, kills, slots int
	within, lease                                                time.Duration
	limits
}

// errUsage lists the commands.
var errUsage = errors.New("durables: go run . steps | latency | restart | timers | resume | plan [flags]")

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	var n size
	flags := flag.NewFlagSet("durables "+args[0], flag.ContinueOnError)
	flags.IntVar(&n.workflows, "workflows", 1000, "steps, resume: how many workflows run in all")
	flags.IntVar(&n.steps, "steps", 20, "steps: how many each of them has")
	flags.IntVar(&n.parallel, "at-a-time", 32, "steps: how many of them run at a time")
	flags.IntVar(&n.commits, "commits", 2000, "latency: how many commits are measured")
	flags.IntVar(&n.instances, "instances", 100_000, "restart, timers, plan: how many instances are suspended")
	flags.IntVar(&n.kills, "kills", 5, "resume: how many workers are killed, one after another")
	flags.IntVar(&n.slots, "slots", 1024, "timers: how many instances the engine runs at a time")
	flags.DurationVar(&n.within, "within", time.Minute, "timers: the time in which all are due")
	flags.DurationVar(&n.lease, "lease", 2*time.Second, "resume: of the workers")
	flags.Int64Var(&n.disk, "disk", 1e12, "plan: bytes of the disk of a host")
	flags.Int64Var(&n.memory, "memory", 16e9, "plan: bytes of memory of a worker")
	flags.DurationVar(&n.start, "start", 5*time.Minute, "plan: how long a worker may take to start")
	flags.DurationVar(&n.every, "every", 24*time.Hour, "plan: the time in which each instance makes one step")
	flags.IntVar(&n.state, "state", 1000, "plan: bytes of the state of an instance")
	stores := flags.String("stores", "sqlite,postgres,nats", "timers, resume, plan: which of sqlite, postgres, nats, cluster")
	file := flags.String("file", "", "restart, resume, plan: the store of a process that these start")
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
	case "timers":
		return measureTimers(ctx, n, *stores, out)
	case "plan":
		if *file != "" {
			return startWorker(ctx, *stores, *file, out)
		}
		return measurePlan(ctx, n, *stores, out)
	case "resume":
		if *file != "" {
			return serveResume(ctx, *stores, *file, n.lease, out)
		}
		return measureResume(ctx, n, *stores, out)
	}
	return errUsage
}
