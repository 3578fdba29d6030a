package droppedjob

import (
	"context"

	"example.com/vet/twins"

	"github.com/movenext/movenext/job"
)

//movenext:async
func machine(ctx context.Context, repo *twins.Repo) error {
	twins.FetchAsync(ctx, "a") // want `this job is dropped; its error or panic is lost; await it, or assign it to _ if that is meant \[droppedjob\]`

	repo.LoadAsync(ctx, 1) // want `this job is dropped`

	job.Go(ctx, func(context.Context) error { return nil }) // want `this job is dropped`

	_ = twins.FetchAsync(ctx, "meant")
	j := twins.FetchAsync(ctx, "b")
	_, err := j.Await()
	return err
}

func plain(ctx context.Context, s *job.Scope) {
	twins.PauseAsync(ctx) // want `this job is dropped`

	go twins.PauseAsync(ctx) // want `this job is dropped`

	defer twins.PauseAsync(ctx) // want `this job is dropped`

	func() {
		job.Run(ctx, value) // want `this job is dropped`
	}()

	job.Spawn(s, value) // the scope waits
	s.Go(func(context.Context) error { return nil })
}

func value(context.Context) (int, error) { return 1, nil }
