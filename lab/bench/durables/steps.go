package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/pgstore"
	"github.com/movenext/movenext/durable/pgstore/pgtest"
	"github.com/movenext/movenext/durable/sqlitestore"
	"github.com/movenext/movenext/durable/stores"
)

// contender runs one workflow of a number of steps.
type contender struct {
	name  string
	run   func(ctx context.Context, id string, steps int) (sum int, err error)
	close func() error
}

// measureSteps prints how many steps per second each contender makes.
func measureSteps(ctx context.Context, n size, out io.Writer) (err error) {
	dir, server, end, err := begin(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	fmt.Fprintf(out, "%d workflows of %d steps, %d at a time\n", n.workflows, n.steps, n.parallel)
	var base float64
	for _, open := range []func() (*contender, error){
		func() (*contender, error) { return openDBOS(ctx, server) },
		func() (*contender, error) { return openPostgres(ctx, server) },
		func() (*contender, error) { return openSQLite(ctx, filepath.Join(dir, "steps.db")) },
	} {
		c, err := open()
		if err != nil {
			return err
		}
		took, err := runAll(ctx, c, n)
		if err := errors.Join(err, c.close()); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		rate := float64(n.workflows*n.steps) / took.Seconds()
		if base == 0 {
			base = rate
		}
		fmt.Fprintf(out, "%-22s %8.0f steps a second  %5.2f ×\n", c.name, rate, rate/base)
	}
	return nil
}

// begin makes a directory and a Postgres server in it.
func begin(ctx context.Context) (dir string, server *pgtest.Server, end func() error, err error) {
	dir, err = os.MkdirTemp("", "durables")
	if err != nil {
		return "", nil, nil, err
	}
	soon, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	server, err = pgtest.Start(soon, "")
	if err != nil {
		return "", nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, server, func() error {
		server.Stop()
		return errors.Join(os.RemoveAll(server.Dir()), os.RemoveAll(dir))
	}, nil
}

// runAll runs workflows, and checks their results.
func runAll(ctx context.Context, c *contender, n size) (time.Duration, error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failures []error
	begin := time.Now()
	for first := range n.parallel {
		wg.Go(func() {
			for i := first; i < n.workflows; i += n.parallel {
				sum, err := c.run(ctx, fmt.Sprintf("workflow-%d", i), n.steps)
				if err == nil && sum != n.steps {
					err = fmt.Errorf("workflow %d made %d of %d steps", i, sum, n.steps)
				}
				if err != nil {
					mu.Lock()
					failures = append(failures, err)
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(begin), errors.Join(failures...)
}

func openSQLite(ctx context.Context, file string) (*contender, error) {
	return timedSQLite(ctx, file, nil)
}

func timedSQLite(ctx context.Context, file string, called func()) (*contender, error) {
	s, err := sqlitestore.Open(file)
	if err != nil {
		return nil, err
	}
	return onEngine(ctx, "movenext on SQLite", s, s.Close, called)
}

func openPostgres(ctx context.Context, server *pgtest.Server) (*contender, error) {
	return timedPostgres(ctx, server, nil)
}

func timedPostgres(ctx context.Context, server *pgtest.Server, called func()) (*contender, error) {
	s, err := pgstore.Open(ctx, server.Address())
	if err != nil {
		return nil, err
	}
	return onEngine(ctx, "movenext on Postgres", s, s.Close, called)
}

// onEngine returns a contender on an engine. Its steps call called, if that is not nil.
func onEngine(ctx context.Context, name string, s stores.Store, closed func() error, called func()) (*contender, error) {
	e, err := durable.Open(ctx, s, durable.Log(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, errors.Join(err, closed())
	}
	served := durable.Serve(e, WorkDurable, &bench{called})
	return &contender{name, func(ctx context.Context, id string, steps int) (int, error) {
		h, err := served.Start(ctx, id, steps)
		if err != nil {
			return 0, err
		}
		return h.Wait(ctx)
	}, func() error { return errors.Join(e.Shutdown(context.Background()), closed()) }}, nil
}
