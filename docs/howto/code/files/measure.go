package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
)

const (
	degree = 8
	rounds = 7
)

// measure prints how long each way to read many small files takes for a file, as the median
// of some rounds. There are a hundred files in each folder. The ways take turns, so that
// each meets the same noise.
func measure(ctx context.Context, w io.Writer, dir string, folders int) error {
	if err := plant(dir, folders, 100, 1000); err != nil {
		return err
	}
	var names []string
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	ways := []struct {
		what string
		read func([]string) error
	}{
		{"a loop", func(names []string) error { return readAll(names) }},
		{"eight goroutines", inGoroutines},
		{"a machine, a job for each file, eight at a time", func(names []string) error { return discard(oneByOneAsync(ctx, names)) }},
		{"a machine, a job for each hundred files, eight at a time", func(names []string) error { return discard(inBatchesAsync(ctx, names)) }},
	}
	times := make([][]time.Duration, len(ways))
	for range rounds {
		for i, way := range ways {
			began := time.Now()
			if err := way.read(names); err != nil {
				return err
			}
			times[i] = append(times[i], time.Since(began))
		}
	}
	for i, way := range ways {
		slices.Sort(times[i])
		each := times[i][rounds/2] / time.Duration(len(names))
		fmt.Fprintf(w, "%-58s %8v a file\n", way.what, each.Round(100*time.Nanosecond))
	}
	return nil
}

func discard(j *job.Job[job.Void]) error {
	_, err := j.Wait(context.Background())
	return err
}

func readAll(names []string) error {
	for _, name := range names {
		if _, err := os.ReadFile(name); err != nil {
			return err
		}
	}
	return nil
}

func inGoroutines(names []string) error {
	errs := make([]error, degree)
	var all sync.WaitGroup
	for i := range degree {
		all.Go(func() { errs[i] = readAll(names[i*len(names)/degree : (i+1)*len(names)/degree]) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

//movenext:async
func oneByOne(ctx context.Context, names []string) error {
	return parallel.ForEach(ctx, names, func(ctx context.Context, name string) error {
		_, err := read(ctx, name).Await()
		return err
	}, parallel.Degree(degree))
}

//movenext:async
func inBatches(ctx context.Context, names []string) error {
	return parallel.ForEach(ctx, slices.Collect(slices.Chunk(names, 100)), func(ctx context.Context, batch []string) error {
		_, err := job.Blocking(ctx, func(context.Context) (job.Void, error) { return job.Void{}, readAll(batch) }).Await()
		return err
	}, parallel.Degree(degree))
}
