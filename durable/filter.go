package durable

import (
	"context"
	"errors"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// Filter selects instances: by Function, Status, Labels, and the times Created and Updated, each a
// [Period]; only ids greater than After, and at most Limit, or 100. Bare leaves points and values
// out. Zero fields match all. See [stores.Filter].
type Filter = stores.Filter

// Period is a span of time: it begins with From and ends before Until. A zero bound is open.
type Period = stores.Period

// checkFilter returns an error if no instance can have a text of the filter.
func checkFilter(f Filter) error {
	return errors.Join(checkText("function", f.Function), checkText("id", f.After), checkLabels(f.Labels))
}

// List describes the matching instances, in the order of their ids. To get the next page, set
// After to the ID of the last one. The error is that of the store, or says that no instance can
// have a text of f: see [MaxText].
func (e *Engine) List(ctx context.Context, f Filter) ([]*Instance, error) {
	if err := checkFilter(f); err != nil {
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
	if err := checkFilter(f); err != nil {
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
