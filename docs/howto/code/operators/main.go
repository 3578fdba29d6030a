// What users of other systems look for, in functions of a few lines: operators of streams, as
// Kotlin's flows and TPL Dataflow have them, and the queries of PLINQ that have no function here.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// ticks yields n names, with a pause before each.
//
//movenext:async
func ticks(ctx context.Context, name string, n int, pause time.Duration) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for i := range n {
			err := job.Sleep(ctx, pause)
			if !yield(fmt.Sprint(name, i+1), err) || err != nil {
				return
			}
		}
	}
}

// typed yields what someone types, with the pauses in between.
//
//movenext:async
func typed(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, key := range []struct {
			text  string
			pause int // ms
		}{{"j", 10}, {"jo", 100}, {"job", 100}, {"jobs", 900}} {
			err := job.Sleep(ctx, time.Duration(key.pause)*time.Millisecond)
			if !yield(key.text, err) || err != nil {
				return
			}
		}
	}
}

// show prints the values of a stream.
//
//movenext:async
func show[T any](name string, in *job.Stream[T]) error {
	var all []T
	for v, err := range in.All() {
		if err != nil {
			return err
		}
		all = append(all, v)
	}
	fmt.Printf("%-11s %v\n", name, all)
	return nil
}

func pair(a, b string) string { return a + b }

//movenext:async
func streams(ctx context.Context) error {
	a := func() *job.Stream[string] { return ticksAsync(ctx, "a", 3, 20*time.Millisecond) }
	b := func() *job.Stream[string] { return ticksAsync(ctx, "b", 3, 30*time.Millisecond) }
	suggestions := func(text string) *job.Stream[string] { return ticksAsync(ctx, text+"#", 3, 45*time.Millisecond) }
	return errors.Join(
		show("merge", mergeAsync(ctx, a(), b())),
		show("zip", zipAsync(ctx, a(), b(), pair)),
		show("combine", combineAsync(ctx, a(), b(), pair)),
		show("debounce", debounceAsync(ctx, typedAsync(ctx), 300*time.Millisecond)),
		show("flatLatest", flatLatestAsync(ctx, typedAsync(ctx), suggestions)),
		show("batch", batchAsync(ctx, typedAsync(ctx), 2, 150*time.Millisecond)),
	)
}

func main() {
	s := simulation.New(1) // its clock takes no time
	j := streamsAsync(schedulers.With(context.Background(), s))
	fmt.Println(s.Run(), j.Err())
	queries(context.Background())
}
