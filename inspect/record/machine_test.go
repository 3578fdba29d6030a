package record_test

import (
	"context"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// twice is suspended up to two times.
//
//movenext:async
func twice(ctx context.Context, a, b *job.Job[int]) (int, error) {
	x, err := a.Await()
	if err != nil {
		return 0, err
	}
	y, err := b.Await()
	return x + y, err
}
