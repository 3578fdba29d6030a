package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/coord/retry"
	"github.com/movenext/movenext/job"
)

// Limits of deliveries.
const (
	inFlight    = 256 // requests at a time,
	perReceiver = 8   // of which so many to one host
	maxAttempts = 12  // which takes about an hour
	patience    = 10 * time.Second
)

// hook is what a receiver is to be told.
type hook struct {
	ID      int64
	Request string // the id of the request that brought it
	Lane    string
	To      string // the address of the receiver,
	Host    string // and its host
	Body    []byte
}

// world is what deliveries have effects on: the outbox and the receivers. Both forms are in the
// interface, so that a machine suspends in it; a test has another world.
type world interface {
	put(ctx context.Context, h hook) (id int64, err error)
	all(ctx context.Context) ([]hook, error)

	post(ctx context.Context, h hook) error
	postAsync(ctx context.Context, h hook) *job.Job[job.Void]
	remove(ctx context.Context, h hook) error
	removeAsync(ctx context.Context, h hook) *job.Job[job.Void]
}

// numbers are what the page shows.
type numbers struct{ Waiting, Delivered, Retried, Failed int }

var errStopping = errors.New("dispatcher: the service stops")

// dispatcher delivers hooks.
type dispatcher struct {
	world      world
	log        *slog.Logger
	deliveries *job.Scope
	lanes      coord.Serial[string]
	limit      *coord.Limiter[string]
	pauses     func() retry.Policy
	state      *coord.Watch[numbers]

	order  sync.Mutex // in which hooks are saved and begin; a delivery may run under it
	counts sync.Mutex // of changes of state
}

func newDispatcher(ctx context.Context, w world, log *slog.Logger) *dispatcher {
	return &dispatcher{
		world: w, log: log, pauses: growing,
		deliveries: job.NewScope(ctx, job.Supervisor(), job.Named("deliveries")),
		limit:      coord.NewLimiter[string](inFlight, coord.PerKey(perReceiver)),
		state:      coord.NewWatch(numbers{}),
	}
}

// accept saves a hook and begins its delivery: Start lets it queue for its lane before the next
// one is saved.
func (d *dispatcher) accept(ctx context.Context, h hook) error {
	d.order.Lock()
	defer d.order.Unlock()
	if d.deliveries.Context().Err() != nil {
		return errStopping
	}
	id, err := d.world.put(ctx, h)
	if err != nil {
		return err
	}
	h.ID = id
	d.begin(h)
	return nil
}

// restore begins the deliveries of an earlier process.
func (d *dispatcher) restore(ctx context.Context) error {
	hooks, err := d.world.all(ctx)
	d.order.Lock()
	defer d.order.Unlock()
	for _, h := range hooks {
		d.begin(h)
	}
	return err
}

// begin begins a delivery, which runs here until it waits for the first time. order is held.
func (d *dispatcher) begin(h hook) {
	d.change(func(n *numbers) { n.Waiting++ })
	d.deliveries.Start(func(ctx context.Context) *job.Job[job.Void] {
		return d.deliverAsync(withRequest(ctx, h.Request), &h)
	})
}

// drain ends the deliveries and waits for them: pauses end at once, and requests by themselves.
func (d *dispatcher) drain() error {
	d.order.Lock()
	d.deliveries.Cancel(errStopping)
	d.order.Unlock()
	return d.deliveries.Wait()
}

// deliver waits for the lane of h. If its turn does not come because the service stops, attempts
// is never called, and only the error of Do says so. A scope would keep the errors of its
// children for its whole life, so they end here.
//
//movenext:async
func (d *dispatcher) deliver(ctx context.Context, h *hook) {
	err := d.lanes.Do(ctx, h.Lane, func(ctx context.Context) error { return d.attempts(ctx, h) })
	if err != nil {
		d.log.WarnContext(ctx, "not delivered", "hook", h.ID, "lane", h.Lane, "why", err)
	}
}

// attempts delivers h, or gives it up. A pause holds a lane, and neither a goroutine nor a
// permit.
//
//movenext:async
func (d *dispatcher) attempts(ctx context.Context, h *hook) error {
	_, err := retry.Do(ctx, d.pauses(), func(ctx context.Context) (job.Void, error) {
		return job.Void{}, d.attempt(ctx, h)
	}, retry.Attempts(maxAttempts), retry.Notify(func(retry.Failure) {
		d.change(func(n *numbers) { n.Retried++ })
	}))
	outcome := func(n *numbers) { n.Delivered++ }
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		outcome = func(n *numbers) { n.Failed++ }
		d.log.ErrorContext(ctx, "given up", "hook", h.ID, "why", err)
	}
	d.change(func(n *numbers) { n.Waiting--; outcome(n) })
	d.log.InfoContext(ctx, "done", "hook", h.ID, "lane", h.Lane)
	return d.world.remove(context.WithoutCancel(ctx), *h)
}

// attempt makes one request. Once begun, it ends by itself, also when the service stops: nobody
// knows whether a request that was cut off has arrived.
//
//movenext:async
func (d *dispatcher) attempt(ctx context.Context, h *hook) error {
	if err := d.limit.Acquire(ctx, h.Host); err != nil {
		return err
	}
	defer d.limit.Release(h.Host)
	ctx, cancel := job.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return d.world.post(ctx, *h)
}

// growing returns the pauses of one delivery.
func growing() retry.Policy { return retry.Exponential(time.Second, 10*time.Minute) }

// change changes the numbers. Setting the value wakes who observes it, and writes to none of them.
func (d *dispatcher) change(f func(*numbers)) {
	d.counts.Lock()
	defer d.counts.Unlock()
	n := d.state.Value()
	f(&n)
	_ = d.state.Set(n) // closed: nobody observes it any more
}
