// Package batch starts jobs together. It is plain Go, without annotated functions.
package batch

import (
	"context"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/root"
)

// Batch starts jobs, and knows when all have ended.
type Batch struct {
	ctx  context.Context
	jobs []*job.Job[job.Void]
}

// New returns a batch without jobs.
func New(ctx context.Context) *Batch { return &Batch{ctx: ctx} }

// Submit starts a job that calls fn.
func (b *Batch) Submit(fn root.Action) { b.jobs = append(b.jobs, job.Go(b.ctx, fn)) }

// End returns the job that ends with the last one.
func (b *Batch) End() *job.Job[[]job.Void] { return job.WhenAll(b.jobs...) }
