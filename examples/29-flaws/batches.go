package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/roundrobin"
)

// batches is a round-robin of queues, as a first version might look.
type batches struct {
	mu     sync.Mutex
	queues []*queue
}

type queue struct {
	of     *batches
	mu     sync.Mutex
	items  []func()
	closed bool
}

func (b *batches) create() *queue {
	b.mu.Lock()
	defer b.mu.Unlock()
	q := &queue{of: b}
	b.queues = append(b.queues, q)
	return q
}

// submit queues item. The test calls between at the place where another goroutine may
// run.
func (q *queue) submit(item func(), between func()) error {
	if q.closed { // flaw: this answer may be false before the item is in
		return errors.New("the queue is closed")
	}
	between()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, item)
	return nil
}

// close refuses new items. A queue without items is removed at once.
func (q *queue) close() {
	q.of.mu.Lock()
	defer q.of.mu.Unlock()
	q.closed = true
	if len(q.items) == 0 {
		for i, o := range q.of.queues {
			if o == q {
				q.of.queues = append(q.of.queues[:i], q.of.queues[i+1:]...)
				return
			}
		}
	}
}

// work runs the items that the workers of the pool would run.
func (b *batches) work() (ran int) {
	for _, q := range b.queues {
		for _, item := range q.items {
			item()
			ran++
		}
	}
	return ran
}

// closedModel closes a queue of the model in the middle of a submission.
func closedModel() string {
	b := &batches{}
	q := b.create()
	err := q.submit(func() {}, q.close)
	return fmt.Sprintf("accepted: %t, items that run: %d", err == nil, b.work())
}

// closedHere closes a queue at the same time as an item is submitted, so many times.
func closedHere(ctx context.Context, times int) string {
	workers := pool.New(pool.Workers(2, 2))
	tenants := roundrobin.New(workers)
	var ran atomic.Int64
	accepted, refused, lost := 0, 0, 0
	for range times {
		q, err := tenants.CreateQueue()
		if err != nil {
			return err.Error()
		}
		var closing sync.WaitGroup
		closing.Go(func() { q.Close() })
		_, err = job.Go(ctx, func(context.Context) error { ran.Add(1); return nil }, job.On(q)).Wait(ctx)
		closing.Wait()
		switch {
		case err == nil:
			accepted++
		case errors.Is(err, schedulers.ErrShutdown):
			refused++
		default:
			lost++
		}
	}
	if err := errors.Join(tenants.Shutdown(ctx), workers.Shutdown(ctx)); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("accepted and run, or refused: %t, lost: %d", accepted == int(ran.Load()) && accepted+refused == times, lost)
}
