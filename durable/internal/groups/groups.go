// Package groups helps stores to write together what arrives while an earlier write is under way.
package groups

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrClosed is the error of a queue that has been closed.
var ErrClosed = errors.New("groups: the queue is closed")

// Queue makes the writes to a key one after the other. Those that arrive in the meantime are made
// together, in order; those of different keys at the same time. Set Write before the first use.
// All methods are safe for concurrent use.
type Queue[T any] struct {
	// Write makes the writes of a group, at least one. Its error is the answer to all of them.
	// ctx ends when the callers of all have gone.
	Write func(ctx context.Context, key string, group []T) error

	mu      sync.Mutex
	waiting map[string][]*call[T] // of the keys that are being written
	closed  bool
	writers sync.WaitGroup
}

// call is a call of Do.
type call[T any] struct {
	ctx  context.Context
	item T
	done chan error
}

// maxGroup is the number of writes that are made together.
const maxGroup = 256

// Do makes a write, and blocks until it has been made or ctx has ended. In the second case it may
// have been made, and Write may still have the item.
func (q *Queue[T]) Do(ctx context.Context, key string, item T) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c := &call[T]{ctx, item, make(chan error, 1)}
	if err := q.add(key, c); err != nil {
		return err
	}
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// add adds a call to those that wait, and starts a writer if the key has none.
func (q *Queue[T]) add(key string, c *call[T]) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	if list, busy := q.waiting[key]; busy {
		q.waiting[key] = append(list, c)
		return nil
	}
	if q.waiting == nil {
		q.waiting = map[string][]*call[T]{}
	}
	q.waiting[key] = nil
	q.writers.Go(func() {
		for group := []*call[T]{c}; len(group) > 0; group = q.next(key) {
			q.write(key, group)
		}
	})
	return nil
}

// next returns calls that wait and whose callers have not gone. If there are none, the key is not
// written any more.
func (q *Queue[T]) next(key string) (group []*call[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.waiting[key]
	n := 0
	for ; n < len(list) && len(group) < maxGroup; n++ {
		if list[n].ctx.Err() == nil {
			group = append(group, list[n])
		}
	}
	q.waiting[key] = slices.Delete(list, 0, n)
	if len(group) == 0 {
		delete(q.waiting, key)
	}
	return group
}

func (q *Queue[T]) write(key string, group []*call[T]) {
	var items []T
	var callers []context.Context
	for _, c := range group {
		items, callers = append(items, c.item), append(callers, c.ctx)
	}
	ctx, stop := WhileAny(callers)
	defer stop()
	err := q.Write(ctx, key, items)
	for _, c := range group {
		c.done <- err
	}
}

// Close refuses further writes, and blocks until those that have begun are done.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.writers.Wait()
}

// WhileAny returns a context with the values of the first of some contexts, which ends when all of
// them have ended. stop releases it.
func WhileAny(list []context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(list[0]))
	var left atomic.Int64
	left.Store(int64(len(list)))
	var ends []func() bool
	for _, one := range list {
		ends = append(ends, context.AfterFunc(one, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		}))
	}
	return ctx, func() {
		for _, end := range ends {
			end()
		}
		cancel()
	}
}
