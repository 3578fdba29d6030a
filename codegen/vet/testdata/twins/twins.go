// Package twins has twins written by hand, for the other packages to call.
package twins

import (
	"context"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

func Fetch(ctx context.Context, url string) (int, error) { return len(url), ctx.Err() }

func FetchAsync(ctx context.Context, url string) *job.Job[int] { return job.FromResult(len(url)) }

func Pause(ctx context.Context) error { return ctx.Err() }

func PauseAsync(ctx context.Context) *job.Job[job.Void] { return job.FromResult(job.Void{}) }

func Retry(ctx context.Context, op func(context.Context) error) error { return op(ctx) }

func RetryAsync(ctx context.Context, op func(context.Context) error) *job.Job[job.Void] { return nil }

func RetryEnter(r *statemachine.Run, opEnter func(*statemachine.Run, context.Context) (interface {
	Results(*statemachine.Run) error
}, error), ctx context.Context, op func(context.Context) error) (*RetryFrame, error) {
	return nil, nil
}

type RetryFrame struct{ statemachine.Frame }

type Repo struct{}

func (r *Repo) Load(ctx context.Context, id int) (string, error) { return "", nil }

func (r *Repo) LoadAsync(ctx context.Context, id int) *job.Job[string] { return job.FromResult("") }

func (r *Repo) Save(ctx context.Context) error { return nil }

func (r *Repo) SaveAsync(ctx context.Context) *job.Job[job.Void] { return nil }

func (r *Repo) Count() int { return 0 }

func (r *Repo) CountAsync() *job.Job[int] { return nil }
