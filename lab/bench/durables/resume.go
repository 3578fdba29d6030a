package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// processes is the number of processes that run the workflows of a resume.
const processes = 3

// stepTime is the duration of each of their steps.
const stepTime = 20 * time.Millisecond

// measureResume kills one process of three, again and again, and prints how long it takes until
// other processes have each of its workflows.
func measureResume(ctx context.Context, n size, list string, out io.Writer) error {
	fmt.Fprintf(out, "%d workflows on %d workers with a lease of %v, %d kills\n", n.workflows, processes, n.lease, n.kills)
	for _, kind := range kindsOf(list) {
		k, err := keep(ctx, kind)
		if err == nil {
			err = errors.Join(k.resume(ctx, n, out), k.close())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// worker is a process that runs workflows.
type worker struct {
	process *exec.Cmd
	name    string // of its engine, as records show it
}

// resume is measureResume for one store.
func (k *keptStore) resume(ctx context.Context, n size, out io.Writer) (err error) {
	var running []*worker
	defer func() {
		for _, w := range running {
			w.kill()
		}
	}()
	e, err := durable.Open(ctx, k.Store, durable.Client(), durable.Log(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Shutdown(context.Background())) }()
	served := durable.Serve(e, WorkDurable, &bench{})
	var took []time.Duration
	for round := range n.kills {
		for len(running) < processes {
			w, err := k.hire(ctx, n.lease)
			if err != nil {
				return err
			}
			running = append(running, w)
		}
		for i := range n.workflows {
			if _, err := served.Start(ctx, fmt.Sprintf("%d-%d", round, i), 1_000_000); err != nil {
				return err
			}
		}
		at, left, err := k.busiest(ctx, running)
		if err != nil {
			return err
		}
		some, err := k.killAndAwait(ctx, running[at], left)
		if err != nil {
			return err
		}
		took = append(took, some...)
		running = slices.Delete(running, at, at+1)
		for i := range n.workflows {
			if err := e.Terminate(ctx, fmt.Sprintf("%d-%d", round, i)); err != nil {
				return err
			}
		}
	}
	slices.Sort(took)
	fmt.Fprintf(out, "%-9s %d workflows were continued elsewhere: p50 %v, the last after %v\n", k.kind, len(took),
		took[len(took)/2].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
	return nil
}

// hire starts a worker process.
func (k *keptStore) hire(ctx context.Context, lease time.Duration) (w *worker, err error) {
	w = &worker{process: exec.CommandContext(ctx, os.Args[0], "resume", "-stores", k.kind, "-file", k.address, "-lease", lease.String())}
	w.process.Env, w.process.Stderr = append(os.Environ(), "DURABLES_AGAIN=1"), os.Stderr
	says, err := w.process.StdoutPipe()
	if err == nil {
		err = w.process.Start()
	}
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fscan(bufio.NewReader(says), &w.name); err != nil {
		w.kill()
		return nil, fmt.Errorf("a worker does not start: %w", err)
	}
	return w, nil
}

// kill kills the process like kill -9.
func (w *worker) kill() {
	_ = w.process.Process.Kill()
	_ = w.process.Wait() // the error says that it was killed
}

// busiest waits until workers run workflows, and returns the worker that runs the most, and
// which.
func (k *keptStore) busiest(ctx context.Context, running []*worker) (index int, runs map[string]bool, err error) {
	for len(runs) == 0 {
		list, err := k.List(ctx, durable.Filter{Status: durable.Running, Limit: 10_000})
		if err != nil {
			return 0, nil, err
		}
		for i, w := range running {
			of := map[string]bool{}
			for _, r := range list {
				if r.Owner == w.name {
					of[r.ID] = true
				}
			}
			if len(of) > len(runs) {
				index, runs = i, of
			}
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return 0, nil, err
		}
	}
	return index, runs, nil
}

// killAndAwait kills a worker, and returns for each of its workflows the time until another
// worker had it.
func (k *keptStore) killAndAwait(ctx context.Context, w *worker, left map[string]bool) (took []time.Duration, err error) {
	w.kill()
	begin := time.Now()
	for len(left) > 0 {
		for id := range left {
			r, err := k.Load(ctx, id)
			if err != nil {
				return nil, err
			}
			if r.Owner != w.name {
				took = append(took, time.Since(begin))
				delete(left, id)
			}
		}
		if err := pause(ctx, time.Millisecond); err != nil {
			return nil, err
		}
	}
	return took, nil
}

// leasing is a store that records the name of its engine.
type leasing struct {
	stores.Store
	name chan string // takes one
}

// Lease implements [stores.Store].
func (l leasing) Lease(ctx context.Context, worker string, until time.Time) error {
	select {
	case l.name <- worker:
	default: // it is known
	}
	return l.Store.Lease(ctx, worker, until)
}

// Notify implements [stores.Notifier].
func (l leasing) Notify(f func()) (stop func()) { return l.Store.(stores.Notifier).Notify(f) }

// serveResume is such a worker process. It prints the name of its engine, and runs until it is
// killed.
func serveResume(ctx context.Context, kind, address string, lease time.Duration, out io.Writer) error {
	s, closed, err := reach(ctx, kind, address)
	if err != nil {
		return err
	}
	name := make(chan string, 1)
	e, err := durable.Open(ctx, leasing{s, name}, durable.Lease(lease), durable.Log(slog.New(slog.DiscardHandler)))
	if err != nil {
		return errors.Join(err, closed())
	}
	durable.Serve(e, WorkDurable, &bench{func() { time.Sleep(stepTime) }})
	fmt.Fprintln(out, <-name)
	<-ctx.Done()
	return errors.Join(e.Shutdown(context.Background()), closed())
}
