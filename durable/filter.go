package durable

import (
	"context"
	"errors"
	"time"

	"github.com/movenext/movenext/durable/internal/nilctx"
)

// Filter selects instances; zero fields match all.
type Filter struct {
	Function string
	Status   Status
	Labels   map[string]string // an instance must have all of them

	// Created and Updated are periods of the times of that name. An instance that has ended was
	// updated when it ended.
	Created, Updated Period

	After string // only ids greater than this
	Limit int    // 0: 100

	// Bare leaves the checkpoints out: the State of a record is nil, and an [Instance] has no
	// point and no values. A store then need not read them.
	Bare bool
}

// Period is a span of time. A zero bound is open; with another one, a time that is zero is not in
// the period.
type Period struct {
	From  time.Time // is in it
	Until time.Time // is not in it, like all later times
}

// Contains reports whether a time is in the period. It is for stores.
func (p Period) Contains(t time.Time) bool {
	if p == (Period{}) {
		return true
	}
	return !t.IsZero() && !t.Before(p.From) && (p.Until.IsZero() || t.Before(p.Until))
}

// Matches reports whether a filter selects a record. It is for stores.
func (f Filter) Matches(r *Record) bool {
	for k, v := range f.Labels {
		if got, ok := r.Labels[k]; !ok || got != v {
			return false
		}
	}
	return (f.Function == "" || f.Function == r.Function) && (f.Status == "" || f.Status == r.Status) && r.ID > f.After &&
		f.Created.Contains(r.Created) && f.Updated.Contains(r.Updated)
}

// Most returns the maximum number of records that a filter selects.
func (f Filter) Most() int {
	if f.Limit <= 0 {
		return 100
	}
	return f.Limit
}

// check returns an error if no instance can have a text of the filter.
func (f Filter) check() error {
	return errors.Join(checkText("function", f.Function), checkText("id", f.After), checkLabels(f.Labels))
}

// List describes the matching instances, in the order of their ids. To get the next page, set
// After to the ID of the last one. The error is that of the store, or says that no instance can
// have a text of f: see [MaxText].
func (e *Engine) List(ctx context.Context, f Filter) ([]*Instance, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	records, err := e.store.List(nilctx.Background(ctx), f)
	if err != nil {
		return nil, err
	}
	var list []*Instance
	for _, r := range records {
		if f.Bare {
			list = append(list, describeAs(r, nil))
		} else {
			list = append(list, e.describe(r))
		}
	}
	return list, nil
}

// countPage is the number of records that Count reads at a time.
const countPage = 10_000

// Count returns the number of matching instances; the fields Limit and Bare of f do not matter. It
// blocks while it reads their records, without the checkpoints, a page after the other. So an
// instance that changes in the meantime may be counted as it was or as it is. The errors are those
// of [Engine.List].
func (e *Engine) Count(ctx context.Context, f Filter) (n int, err error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	f.Limit, f.Bare = countPage, true
	for {
		page, err := e.store.List(nilctx.Background(ctx), f)
		if err != nil {
			return 0, err
		}
		n += len(page)
		if len(page) < f.Limit {
			return n, nil
		}
		f.After = page[len(page)-1].ID
	}
}
