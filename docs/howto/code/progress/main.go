// Progress of many jobs, drawn as a bar by a loop with its own beat.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// copyFiles reports after each file how many are done. It never waits for an observer.
//
//movenext:async
func copyFiles(ctx context.Context, files []time.Duration, done *coord.Watch[int]) error {
	defer done.Close()
	for i, takes := range files {
		if err := job.Sleep(ctx, takes); err != nil {
			return err
		}
		_ = done.Set(i + 1) // it is open until this function ends
	}
	return nil
}

// draw draws a bar for each version that it sees: at most one in each interval, and the
// last one.
//
//movenext:async
func draw(ctx context.Context, done *coord.Observer[int], of int, interval time.Duration, out func(string)) error {
	for {
		n, err := done.Next(ctx)
		if errors.Is(err, coord.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		out(fmt.Sprintf("[%-10s] %3d %%", strings.Repeat("#", 10*n/of), 100*n/of))
		if err := job.Sleep(ctx, interval); err != nil {
			return err
		}
	}
}

// every calls f at each multiple of interval since it was started. Where f takes longer
// than that, it skips beats instead of running late.
//
//movenext:async
func every(ctx context.Context, now func() time.Duration, interval time.Duration, f func(context.Context, int) error) error {
	began := now()
	for {
		beat := int((now()-began)/interval) + 1
		if err := job.Sleep(ctx, began+time.Duration(beat)*interval-now()); err != nil {
			return err
		}
		if err := f(ctx, beat); err != nil {
			return err
		}
	}
}

var errEnough = errors.New("enough")

func main() {
	// A simulation has its own clock, so the program takes no time.
	s := simulation.New(1)
	ctx := schedulers.With(context.Background(), s)
	files := make([]time.Duration, 40)
	for i := range files {
		files[i] = time.Duration(i) * 10 * time.Millisecond
	}
	done := coord.NewWatch(0)
	drawn := drawAsync(ctx, done.Observe(), len(files), 2*time.Second, func(bar string) {
		fmt.Printf("%4.1f s  %s\n", s.Now().Seconds(), bar)
	})
	copied := copyFilesAsync(ctx, files, done)
	fmt.Println(errors.Join(s.Run(), drawn.Err(), copied.Err()))

	// The second beat takes so long that the third is skipped.
	beats := everyAsync(ctx, s.Now, time.Second, func(ctx context.Context, beat int) error {
		fmt.Println("beat", beat)
		switch beat {
		case 2:
			_, err := job.SleepAsync(ctx, 1500*time.Millisecond).Await()
			return err
		case 5:
			return errEnough
		}
		return nil
	})
	fmt.Println(s.Run(), beats.Err())
}
