package workset

import (
	"context"
	"errors"

	"github.com/movenext/movenext/internal/interleave"
)

// ErrNoItems is returned by [WaitAny] for an empty list, in which no item can ever end.
var ErrNoItems = errors.New("workset: no items to wait for")

// Item is one work item of a set. All methods are safe for concurrent use. The
// caller may drop an Item at any time.
type Item struct{ t ticket }

// Done returns a channel that is closed when the work has ended or was abandoned. The
// channel is made on the first call.
func (it *Item) Done() <-chan struct{} { return it.t.Done() }

// Err returns the reason if the work was abandoned. It returns nil if the work
// has ended, or is queued or running.
func (it *Item) Err() error {
	_, reason := it.t.Gone()
	return reason
}

// Wait blocks until the work has ended, and returns nil, or was abandoned, and returns
// the reason. It returns the cause of ctx if that ends first. A nil ctx never ends.
func (it *Item) Wait(ctx context.Context) error {
	if err := wait(ctx, it.Done()); err != nil {
		return err
	}
	return it.Err()
}

// WaitAll blocks until each item has ended or was abandoned. It returns the reasons of
// the abandoned ones, joined, or nil. Items may be of different sets. It returns the
// cause of ctx if that ends first. A nil ctx never ends.
func WaitAll(ctx context.Context, items ...*Item) error {
	var abandoned []error
	for _, it := range items {
		if err := wait(ctx, it.Done()); err != nil {
			return err
		}
		abandoned = append(abandoned, it.Err())
	}
	return errors.Join(abandoned...)
}

// WaitAny blocks until one of the items has ended or was abandoned. It returns
// the item's index (the lowest, if several have already ended) and the reason if
// it was abandoned, or nil. It returns -1 and the cause of ctx if that ends
// first, and -1 and [ErrNoItems] for an empty list. A nil ctx never ends. A wait
// that is over leaves nothing behind in the items.
func WaitAny(ctx context.Context, items ...*Item) (int, error) {
	if len(items) == 0 {
		return -1, ErrNoItems
	}
	r := &race{done: make(chan struct{})}
	for i, it := range items {
		if !it.t.enter(r, i) {
			break // this item has ended, and it has the lowest index
		}
	}
	err := wait(ctx, r.done)
	for _, it := range items {
		it.t.leave(r)
	}
	if err != nil {
		return -1, err
	}
	return r.winner, items[r.winner].Err()
}

// race is a wait for the first of several items.
type race struct {
	mu     interleave.Mutex
	over   bool
	winner int // written before done is closed
	done   chan struct{}
}

func (r *race) finish(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.over, r.winner = true, i
		close(r.done)
	}
}
