package record_test

import (
	"context"
	"io"
	"testing"

	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

// BenchmarkAJob makes and runs a job, which is eight events: those of its life, of its
// work, and of a worker that starts for it and ends.
func BenchmarkAJob(b *testing.B) {
	for name, recorded := range map[string]bool{"recorded": true, "not recorded": false} {
		b.Run(name, func(b *testing.B) {
			s := manual.New()
			ctx := schedulers.With(context.Background(), s)
			if recorded {
				r := record.Start(io.Discard, record.MaxBytes(1<<40))
				defer func() {
					if err := r.Stop(); err != nil {
						b.Error(err)
					}
				}()
			}
			for b.Loop() {
				job.Go(ctx, func(context.Context) error { return nil })
				s.RunAll()
			}
		})
	}
}
