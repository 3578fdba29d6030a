package main

import (
	"context"
	"iter"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

//movenext:async
func pause(ctx context.Context, j *job.Job[int]) (int, error) {
	v, err := j.Await()
	return v + 1000, err
}

//movenext:async
func serve(ctx context.Context, next func() *job.Job[int], calls bool) error {
	for {
		if calls {
			if _, err := pause(ctx, next()); err != nil {
				return err
			}
		} else if _, err := next().Await(); err != nil {
			return err
		}
	}
}

//movenext:async
func count(n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
	}
}

//movenext:async
func sum(n int) (total int, err error) {
	for v, err := range count(n) {
		if err != nil {
			return total, err
		}
		total += v
	}
	return total + 1000, nil
}
