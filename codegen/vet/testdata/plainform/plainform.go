package plainform

import (
	"context"
	"iter"

	"example.com/vet/twins"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

func starts(ctx context.Context, url string) *job.Job[int] {
	a := job.Run(ctx, func(ctx context.Context) (int, error) {
		return twins.Fetch(ctx, url) // want `twins\.Fetch blocks the worker of this job; it is not part of an annotated function; mark the function around it //movenext:async \[plainform\]`
	})

	_ = a

	return job.Run(ctx, func(ctx context.Context) (int, error) {
		n, err := twins.Fetch(ctx, url) // want `twins.Fetch blocks the worker of this job`
		return n + 1, err
	})
}

func values(ctx context.Context, repo *twins.Repo) {
	_ = job.Go(ctx, twins.Pause) // want `the job runs the plain form of Pause, which blocks its worker; it is not part of an annotated function; mark the function around it //movenext:async, or call PauseAsync, which suspends \[plainform\]`

	_ = job.Go(ctx, repo.Save) // want `the job runs the plain form of Save`

	j := job.New(ctx, func(context.Context) (int, error) { return 1, nil })
	_ = job.ContinueWith(ctx, j, func(ctx context.Context, j *job.Job[int]) (job.Void, error) {
		return job.Void{}, twins.Pause(ctx) // want `twins.Pause blocks the worker`
	})
}

//movenext:async
func machine(ctx context.Context) error {
	keep := func() error {
		return twins.Pause(ctx) // want `twins\.Pause blocks here; a function literal that is kept or passed on is not part of the asynchronous function; call it where the function does, give it to job\.Run or a scope's Go, or make it a function marked //movenext:async \[plainform\]`
	}
	others := []func() error{keep}
	keep = others[0]
	if err := func() error { return twins.Pause(ctx) }(); err != nil {
		return err
	}
	go func() {
		_ = twins.Pause(ctx)
		_ = job.Go(ctx, func(ctx context.Context) error { return twins.Pause(ctx) }) // a machine, wherever it is made
	}()
	_ = job.Then(ctx, job.FromResult(1), func(ctx context.Context, _ int) (job.Void, error) {
		return job.Void{}, twins.Pause(ctx)
	})
	_ = job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		s.Go(func(ctx context.Context) error { return twins.Pause(ctx) })
		_ = job.Spawn(s, func(ctx context.Context) (int, error) { return twins.Fetch(ctx, "") })
		s.Go(twins.Pause)
		return twins.Pause(ctx)
	})
	kept := []func() error{func() error {
		return job.InScope(ctx, func(ctx context.Context, s *job.Scope) error { // want `job\.InScope blocks here; a function literal that is kept or passed on is not part of the asynchronous function; call it where the function does, give it to job\.Run or a scope's Go, or make it a function marked //movenext:async \[plainform\]`
			s.Go(func(ctx context.Context) error { return twins.Pause(ctx) }) // a machine all the same
			return twins.Pause(ctx)                                           // want `twins.Pause blocks the worker of this job`
		})
	}}
	_ = kept
	go job.InScope(ctx, func(ctx context.Context, s *job.Scope) error { return twins.Pause(ctx) }) // on a goroutine of its own
	j := job.FromResult(1)
	others = append(others, func() error {
		_, _ = j.Await()      // want `j.Await blocks here`
		_, err := j.Wait(ctx) // want `j.Wait blocks here`
		return err
	})
	return nil
}

func spot(ctx context.Context) {
	_ = job.Go(ctx, func(ctx context.Context) error {
		return func() error { return twins.Pause(ctx) }() // want `twins.Pause blocks the worker of this job`
	})
}

// A variable that is only ever given literals and functions with twins makes machines of them.
//
//movenext:async
func known(ctx context.Context, n int) error {
	var visit func(int) error
	visit = func(n int) error {
		if n == 0 {
			return annotated(ctx)
		}
		return visit(n - 1)
	}
	return visit(n)
}

//movenext:async
func annotated(ctx context.Context) error { return twins.Pause(ctx) }

func annotatedAsync(ctx context.Context) *job.Job[job.Void] { return nil }

func annotatedEnter(r *statemachine.Run, ctx context.Context) (*annotatedFrame, error) {
	return nil, nil
}

type annotatedFrame struct{ statemachine.Frame }

func plain(ctx context.Context) error {
	keep := func() error { return twins.Pause(ctx) }
	return keep()
}

//movenext:async
func stream(ctx context.Context) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		yield(twins.Fetch(ctx, ""))
	}
}
