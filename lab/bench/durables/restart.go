package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/sqlitestore"
	"github.com/movenext/movenext/durable/stores"
)

// measureRestart suspends instances, and starts a process that finds all of them again.
func measureRestart(ctx context.Context, n size, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "durables")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "restart.db")
	if err := suspend(ctx, file, n.instances, out); err != nil {
		return err
	}
	again := exec.CommandContext(ctx, os.Args[0], "restart", "-file", file, "-instances", strconv.Itoa(n.instances))
	again.Stdout, again.Stderr = out, os.Stderr
	again.Env = append(os.Environ(), "DURABLES_AGAIN=1")
	return again.Run()
}

// open opens the store and an engine on it.
func open(ctx context.Context, file string, opts ...durable.Option) (*sqlitestore.Store, *durable.Engine, error) {
	s, err := sqlitestore.Open(file)
	if err != nil {
		return nil, nil, err
	}
	e, err := durable.Open(ctx, s, append([]durable.Option{durable.Log(slog.New(slog.DiscardHandler))}, opts...)...)
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return s, e, nil
}

// heap returns the bytes of the heap in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// suspend starts instances that wait, and reports their cost in memory.
func suspend(ctx context.Context, file string, instances int, out io.Writer) (err error) {
	s, e, err := open(ctx, file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Shutdown(context.Background()), s.Close()) }()
	served := durable.Serve(e, ApproveDurable, &bench{})
	start := func(first, last, at int) error {
		var wg sync.WaitGroup
		failures := make([]error, at)
		for w := range at {
			wg.Go(func() {
				for i := first + w; i < last && failures[w] == nil; i += at {
					_, failures[w] = served.Start(ctx, name(i), Order{Customer: name(i), Items: []string{"cup", "pot"}})
				}
			})
		}
		wg.Wait()
		return errors.Join(errors.Join(failures...), waitUntil(ctx, s, e, last))
	}
	const warm = 1000 // they fill the caches of the store
	if err := start(0, min(warm, instances), 64); err != nil {
		return err
	}
	before, began := heap(), time.Now()
	if err := start(min(warm, instances), instances, 64); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d instances suspended in %v\n", instances, time.Since(began).Round(time.Millisecond))
	fmt.Fprintf(out, "kept in memory by the engine: %d instances; the heap has grown by %.1f bytes for each\n",
		e.Metrics().Running, max(0, float64(heap())-float64(before))/float64(instances))
	return nil
}

func name(i int) string { return fmt.Sprintf("order-%07d", i) }

// waitUntil returns when all instances wait.
func waitUntil(ctx context.Context, s *sqlitestore.Store, e *durable.Engine, instances int) error {
	for {
		last, err := s.Load(ctx, name(instances-1))
		if err != nil {
			return err
		}
		if last.Status == durable.Waiting && e.Metrics().Running == 0 {
			return nil
		}
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// reopen is the restarted process. All instances are due: their times passed while no process
// ran.
func reopen(ctx context.Context, file string, instances int, out io.Writer) (err error) {
	began := time.Now()
	s, e, err := open(ctx, file, durable.Client())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Shutdown(context.Background()), s.Close()) }()
	durable.Serve(e, ApproveDurable, &bench{})
	if _, err := e.Get(ctx, name(0)); err != nil {
		return err
	}
	opened := time.Since(began)
	claimed := map[string]bool{}
	later := time.Now().Add(100 * time.Hour)
	for len(claimed) < instances {
		due, _, err := s.Take(ctx, stores.Taking{Now: later, Hide: time.Hour, Functions: []string{ApproveDurable.Name}, Limit: 1000})
		if err != nil {
			return err
		}
		if len(due) == 0 {
			return fmt.Errorf("%d of %d instances can be claimed", len(claimed), instances)
		}
		for _, d := range due {
			claimed[d.ID] = true
		}
	}
	fmt.Fprintf(out, "after a restart: the first is found after %v, all %d are handed out after %v\n",
		opened.Round(time.Millisecond), len(claimed), time.Since(began).Round(time.Millisecond))
	return nil
}
