package jobtest_test

import (
	"context"

	"github.com/movenext/movenext/job"
)

// awaited is a program that waits for a machine.
func awaited(start func(context.Context) *job.Job[job.Void]) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := start(ctx).Wait(ctx)
		return err
	}
}
