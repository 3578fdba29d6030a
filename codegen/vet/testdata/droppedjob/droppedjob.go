package droppedjob

import (
	"context"

	"example.com/vet/twins"

	"github.com/movenext/movenext/job"
)

//movenext:async
func machine(ctx context.Context, repo *twins.Repo) error {
	twins.FetchAsync(ctx, "a") // want `nobody waits for this job: its error or panic gets lost \[droppedjob\]`

	repo.LoadAsync(ctx, 1) // want `nobody waits`

	job.Go(ctx, func(context.Context) error { return nil }) // want `nobody waits`

	_ = twins.FetchAsync(ctx, "meant")
	j := twins.FetchAsync(ctx, "b")
	_, err := j.Await()
	return err
}

func plain(ctx context.Context, s *job.Scope) {
	twins.PauseAsync(ctx) // want `nobody waits`

	go twins.PauseAsync(ctx) // want `nobody waits`

	defer twins.PauseAsync(ctx) // want `nobody waits`

	func() {
		job.Run(ctx, value) // want `nobody waits`
	}()

	job.Spawn(s, value) // the scope waits
	s.Go(func(context.Context) error { return nil })
}

func value(context.Context) (int, error) { return 1, nil }
