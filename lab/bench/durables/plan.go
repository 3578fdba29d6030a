package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// needs is the resources that sleeping instances need of one store. The model: they are linear in
// the number of instances, and the bytes are also linear in the size of their states.
type needs struct {
	writes float64       // per second, with 64 writers
	fixed  float64       // bytes on the store's disks per instance, all replicas together
	each   float64       // additional bytes per byte of its state
	memory float64       // bytes of a worker per instance
	start  time.Duration // of a worker, per instance, until it knows which instances are due
	disks  float64       // number of disks over which fixed and each are spread
	off    residuals
}

// residuals are the largest distances of measurements from the lines, relative to the largest
// value.
type residuals struct{ bytes, memory, start float64 }

// Sizes of the states to which the bytes are fitted.
const smallState, largeState = 500, 4500

// limits are the resources of one host.
type limits struct {
	disk   int64         // bytes
	memory int64         // bytes for a worker
	start  time.Duration // that is acceptable
	every  time.Duration // in which each instance makes one step
	state  int
}

// measurePlan measures the needs of instances. It prints the needs of other numbers of instances,
// and which of the limits is reached first.
func measurePlan(ctx context.Context, n size, list string, out io.Writer) error {
	steps, err := engineAlone(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "a worker makes %.0f steps a second, on %d processors, without a store\n", steps, runtime.GOMAXPROCS(0))
	fmt.Fprintf(out, "each instance makes a step every %v and has %d bytes; a host has %s of disk, %s of memory and %v to start\n",
		n.every, n.state, human(n.disk), human(n.memory), n.start)
	for _, kind := range kindsOf(list) {
		of, err := measureNeeds(ctx, kind, n.instances)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		fmt.Fprintf(out, "\n%s: %.0f writes a second; %.0f bytes of disk and %.2f for each of the state; %.0f bytes of a worker; %v of its start\n",
			kind, of.writes, of.fixed, of.each, of.memory, of.start)
		fmt.Fprintf(out, "measured at %d sizes up to %d; off the lines at most: bytes %.1f %%, memory %.1f %%, start %.1f %%\n",
			points, n.instances, 100*of.off.bytes, 100*of.off.memory, 100*of.off.start)
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

// human returns a number of bytes in readable form.
func human(n int64) string {
	f, unit := float64(n), 0
	for f >= 1000 && unit < 4 {
		f, unit = f/1000, unit+1
	}
	return fmt.Sprintf("%.3g %s", f, []string{"B", "kB", "MB", "GB", "TB"}[unit])
}

// engineAlone returns the number of steps per second of an engine whose store is in memory.
func engineAlone(ctx context.Context) (rate float64, err error) {
	s := durable.NewMemory()
	c, err := onEngine(ctx, "memory", s, func() error { return nil }, nil)
	if err != nil {
		return 0, err
	}
	n := size{workflows: 200, steps: 50, parallel: 32}
	took, err := runAll(ctx, c, n)
	return float64(n.workflows*n.steps) / took.Seconds(), errors.Join(err, c.close())
}

// measureNeeds fits a store's needs: lines through the needs of several numbers of instances, so
// that the needs of an empty store do not count.
func measureNeeds(ctx context.Context, kind string, instances int) (need needs, err error) {
	small, err := fill(ctx, kind, instances, smallState)
	if err != nil {
		return need, err
	}
	large, err := fill(ctx, kind, instances, largeState)
	need = small
	need.off.bytes = max(need.off.bytes, large.off.bytes)
	need.each = max(0, (large.fixed-small.fixed)/(largeState-smallState))
	need.fixed = max(0, small.fixed-smallState*need.each)
	need.disks = 1
	if kind == "cluster" {
		need.disks = 3
	}
	return need, err
}

// usage is the resources used by a number of instances.
type usage struct {
	bytes, heap int64
	start       time.Duration
}

// fill fills a store, and returns the needs of an instance with a state of that size.
func fill(ctx context.Context, kind string, instances, state int) (need needs, err error) {
	k, err := keep(ctx, kind)
	if err != nil {
		return need, err
	}
	defer func() { err = errors.Join(err, k.close()) }()
	model := stores.Record{Function: NapDurable.Name, Run: "measured", Status: durable.Waiting, State: []byte(strings.Repeat("x", state))}
	var count, bytes, memory, start []float64
	var took time.Duration
	for i := range points {
		began := time.Now()
		if err := k.copies(ctx, &model, fmt.Sprint(i, "-"), instances/points, func(int) time.Time { return never }); err != nil {
			return need, err
		}
		took += time.Since(began)
		t, err := k.measureUsage(ctx)
		if err != nil {
			return need, err
		}
		count, bytes = append(count, float64((i+1)*(instances/points))), append(bytes, float64(t.bytes))
		memory, start = append(memory, float64(t.heap)), append(start, float64(t.start))
	}
	need.writes = count[points-1] / took.Seconds()
	need.fixed, need.off.bytes = line(count, bytes)
	need.memory, need.off.memory = line(count, memory)
	each, off := line(count, start)
	need.start, need.off.start = time.Duration(each), off
	return need, nil
}

// points is the number of measurements per store.
const points = 6

// line returns the slope of the line through points. It is the median of the slopes between all
// pairs (Theil 1950, Sen 1968), so that single outliers hardly matter. off is the largest
// distance of a point from the line, relative to the largest value. A slope is never negative. It
// is zero if it cannot be distinguished from noise: if the line rises by less than four times the
// median distance.
func line(x, y []float64) (slope, off float64) {
	var slopes, heights []float64
	for i := range x {
		for j := range i {
			slopes = append(slopes, (y[i]-y[j])/(x[i]-x[j]))
		}
	}
	slope = max(0, middle(slopes))
	for i := range x {
		heights = append(heights, y[i]-slope*x[i])
	}
	height := middle(heights)
	var distances []float64
	for _, h := range heights {
		distances = append(distances, math.Abs(h-height))
	}
	if off = slices.Max(distances); slope*(slices.Max(x)-slices.Min(x)) < 4*middle(distances) {
		slope = 0
	}
	if largest := slices.Max(y); largest > 0 {
		off /= largest
	}
	return slope, off
}

func middle(list []float64) float64 {
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// measureUsage measures the files of the store, and starts a worker in another process three
// times.
func (k *keptStore) measureUsage(ctx context.Context) (t usage, err error) {
	if t.bytes, err = k.bytes(); err != nil {
		return t, err
	}
	var heaps, starts []float64
	for range 3 {
		worker := exec.CommandContext(ctx, os.Args[0], "plan", "-stores", k.kind, "-file", k.address)
		worker.Env, worker.Stderr = append(os.Environ(), "DURABLES_AGAIN=1"), os.Stderr
		text, err := worker.Output()
		if err != nil {
			return t, err
		}
		var bytes, nanoseconds float64
		if _, err := fmt.Sscan(string(text), &bytes, &nanoseconds); err != nil {
			return t, err
		}
		heaps, starts = append(heaps, bytes), append(starts, nanoseconds)
	}
	t.heap, t.start = int64(middle(heaps)), time.Duration(middle(starts))
	return t, nil
}

// startWorker is that process: it prints the memory that it uses once it knows which instances
// are due, and how many nanoseconds it needed.
func startWorker(ctx context.Context, kind, address string, out io.Writer) error {
	began := time.Now()
	s, closed, err := reach(ctx, kind, address)
	if err != nil {
		return err
	}
	_, _, err = s.Take(ctx, stores.Taking{Now: time.Now(), Hide: time.Second, Functions: []string{NapDurable.Name}, Limit: 1})
	took := time.Since(began)
	fmt.Fprintln(out, heap(), took.Nanoseconds())
	return errors.Join(err, closed())
}

// bytes returns the size of the store's files, without reused write logs.
func (k *keptStore) bytes() (n int64, err error) {
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

// unlessGone returns nil for a file that a server has deleted in the meantime.
func unlessGone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
