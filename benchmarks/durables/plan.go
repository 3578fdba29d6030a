package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/movenext/movenext/durable"
)

// needs is what sleeping instances take of one store. It is linear in their number, and the bytes
// are linear in the size of their states: that is what is fitted.
type needs struct {
	writes float64       // a second, by 64 writers
	fixed  float64       // bytes on the store's disks for an instance, all replicas together
	each   float64       // and for each byte of its state
	memory float64       // bytes of a worker for an instance
	start  time.Duration // of a worker, for an instance, until it knows what is due
	disks  float64       // over which fixed and each are spread
}

// Sizes of the states from which the bytes are fitted.
const smallState, largeState = 500, 4500

// limits are what one host has.
type limits struct {
	disk   int64         // bytes
	memory int64         // bytes for a worker
	start  time.Duration // that is bearable
	every  time.Duration // in which each instance makes one step
	state  int
}

// measurePlan measures what instances need, and prints what other numbers of them will, and which
// of the limits is met first.
func measurePlan(ctx context.Context, n size, list string, out io.Writer) error {
	steps, err := engineAlone(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "a worker makes %.0f steps a second, on %d processors, without a store\n", steps, runtime.GOMAXPROCS(0))
	fmt.Fprintf(out, "each instance makes a step every %v and has %d bytes; a host has %s of disk, %s of memory and %v to start\n",
		n.every, n.state, human(n.disk), human(n.memory), n.start)
	for _, kind := range kindsOf(list) {
		of, err := needsOf(ctx, kind, n.instances)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		fmt.Fprintf(out, "\n%s: %.0f writes a second; %.0f bytes of disk and %.2f for each of the state; %.0f bytes of a worker; %v of its start\n",
			kind, of.writes, of.fixed, of.each, of.memory, of.start)
		fmt.Fprintln(out, "| instances | steps a second | workers | disk | memory of a worker | its start | first bottleneck |")
		fmt.Fprintln(out, "| --: | --: | --: | --: | --: | --: | --- |")
		for count := 100_000; count <= 1_000_000_000; count *= 10 {
			fmt.Fprintln(out, of.row(count, steps, n.limits))
		}
	}
	return nil
}

// row is a line of the table.
func (of needs) row(count int, worker float64, l limits) string {
	amount := float64(count)
	rate := amount / l.every.Seconds()
	disk := amount * (of.fixed + of.each*float64(l.state))
	memory := amount * of.memory
	start := time.Duration(amount * float64(of.start))
	first, most := "", 0.0
	for _, c := range []struct {
		name string
		part float64
	}{
		{"writes", rate / of.writes},
		{"disk", disk / of.disks / float64(l.disk)},
		{"memory of a worker", memory / float64(l.memory)},
		{"start of a worker", start.Seconds() / l.start.Seconds()},
	} {
		if c.part > most {
			first, most = c.name, c.part
		}
	}
	return fmt.Sprintf("| %.0e | %.0f | %.0f | %s | %s | %v | %s: %.2g × |", amount, rate, 1+rate/worker,
		human(int64(disk)), human(int64(memory)), start.Round(10*time.Millisecond), first, most)
}

// human is a number of bytes for people.
func human(n int64) string {
	f, unit := float64(n), 0
	for f >= 1000 && unit < 4 {
		f, unit = f/1000, unit+1
	}
	return fmt.Sprintf("%.3g %s", f, []string{"B", "kB", "MB", "GB", "TB"}[unit])
}

// engineAlone is how many steps an engine makes a second whose store is in memory.
func engineAlone(ctx context.Context) (rate float64, err error) {
	s := durable.NewMemory()
	c, err := onEngine(ctx, "memory", s, func() error { return nil }, nil)
	if err != nil {
		return 0, err
	}
	n := size{workflows: 200, steps: 50, at: 32}
	took, err := runAll(ctx, c, n)
	return float64(n.workflows*n.steps) / took.Seconds(), errors.Join(err, c.close())
}

// needsOf fits a store's needs: lines through what two numbers of instances take, so that what a
// store takes without any does not count.
func needsOf(ctx context.Context, kind string, instances int) (of needs, err error) {
	small, err := fill(ctx, kind, instances, smallState)
	if err != nil {
		return of, err
	}
	large, err := fill(ctx, kind, instances, largeState)
	of = small
	of.each = max(0, (large.fixed-small.fixed)/(largeState-smallState))
	of.fixed = max(0, small.fixed-smallState*of.each)
	of.disks = 1
	if kind == "cluster" {
		of.disks = 3
	}
	return of, err
}

// taken is what some instances take.
type taken struct {
	bytes, heap int64
	start       time.Duration
}

// fill fills a store, and returns what an instance with a state of that size needs.
func fill(ctx context.Context, kind string, instances, state int) (of needs, err error) {
	k, err := keep(ctx, kind)
	if err != nil {
		return of, err
	}
	defer func() { err = errors.Join(err, k.close()) }()
	model := durable.Record{Function: NapDurable.Name, Run: "measured", Status: durable.Waiting, State: []byte(strings.Repeat("x", state))}
	var at [2]taken
	few := instances / 10
	for i, n := range []int{few, instances - few} {
		began := time.Now()
		if err := k.copies(ctx, &model, fmt.Sprint(i, "-"), n, func(int) time.Time { return never }); err != nil {
			return of, err
		}
		of.writes = float64(n) / time.Since(began).Seconds()
		if at[i], err = k.taken(ctx); err != nil {
			return of, err
		}
	}
	more := float64(instances - few)
	of.fixed = max(0, float64(at[1].bytes-at[0].bytes)/more)
	of.memory = max(0, float64(at[1].heap-at[0].heap)/more)
	of.start = max(0, time.Duration(float64(at[1].start-at[0].start)/more))
	return of, nil
}

// taken looks at the files of the store, and starts a worker as another process.
func (k *kept) taken(ctx context.Context) (t taken, err error) {
	if t.bytes, err = k.bytes(); err != nil {
		return t, err
	}
	worker := exec.CommandContext(ctx, os.Args[0], "plan", "-stores", k.kind, "-file", k.address)
	worker.Env, worker.Stderr = append(os.Environ(), "DURABLES_AGAIN=1"), os.Stderr
	text, err := worker.Output()
	if err == nil {
		_, err = fmt.Sscan(string(text), &t.heap, &t.start)
	}
	return t, err
}

// startWorker is that process: it prints the memory that it uses when it knows what is due, and
// how many nanoseconds it took to know.
func startWorker(ctx context.Context, kind, address string, out io.Writer) error {
	began := time.Now()
	s, closed, err := reach(ctx, kind, address)
	if err != nil {
		return err
	}
	_, _, err = s.Take(ctx, durable.Taking{Now: time.Now(), Hide: time.Second, Functions: []string{NapDurable.Name}, Limit: 1})
	took := time.Since(began)
	fmt.Fprintln(out, heap(), took.Nanoseconds())
	return errors.Join(err, closed())
}

// bytes is the size of the store's files, without logs of writes that are reused.
func (k *kept) bytes() (n int64, err error) {
	err = filepath.WalkDir(k.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == "pg_wal" {
			return filepath.SkipDir
		}
		if err != nil || !e.Type().IsRegular() || strings.HasSuffix(path, "-wal") {
			return unlessGone(err)
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return unlessGone(err)
	})
	return n, err
}

// unlessGone is nil for a file that a server has deleted meanwhile.
func unlessGone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
