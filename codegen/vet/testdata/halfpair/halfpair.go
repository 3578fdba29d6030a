package halfpair

import (
	"context"

	"example.com/vet/twins"

	"github.com/movenext/movenext/job"
)

type plainOnly struct{ *twins.Repo }

// Load overrides.
func (p plainOnly) Load(ctx context.Context, id int) (string, error) { return "other", nil } // want `plainOnly\.Load overrides one form of a pair of twins; LoadAsync still comes from Repo, and the two would be different programs; declare LoadAsync for plainOnly, too \[halfpair\]`

type asyncOnly struct{ *twins.Repo }

func (a asyncOnly) LoadAsync(ctx context.Context, id int) *job.Job[string] { // want `asyncOnly.LoadAsync overrides`
	return job.FromResult("other")
}

func (a asyncOnly) SaveAsync(ctx context.Context) *job.Job[job.Void] { return nil } // want `asyncOnly.SaveAsync overrides`

func (a asyncOnly) CountAsync() *job.Job[int] { return nil } // want `asyncOnly.CountAsync overrides`

type counter interface{ Count() int }

type merged interface {
	counter
	CountAsync() *job.Job[int]
}

type byMerged struct{ merged }

func (byMerged) CountAsync() *job.Job[int] { return nil } // want `byMerged.CountAsync overrides one form of a pair of twins; Count still comes from merged`

type both struct{ *twins.Repo }

func (b both) Load(ctx context.Context, id int) (string, error) { return "other", nil }

func (b both) LoadAsync(ctx context.Context, id int) *job.Job[string] {
	return job.FromResult("other")
}

type plainRepo struct{}

func (plainRepo) Load(ctx context.Context, id int) (string, error) { return "other", nil }

type deep struct{ *twins.Repo }

type mixed struct { // want `mixed gets Load from plainRepo, and LoadAsync from the pair of Repo; the two would be different programs; declare both for mixed, or embed one of the two only \[halfpair\]`
	plainRepo
	deep
}
