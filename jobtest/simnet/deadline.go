package simnet

import (
	"context"
	"net"
	"time"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/job"
)

// deadline limits the reads or the writes of an end. The lock of the stream guards it.
type deadline struct {
	stream *stream
	passed bool
	closed bool
	cancel context.CancelFunc // of the timer, or nil
	number int                // of the deadline that was set last
}

func (d *deadline) set(t time.Time) error {
	left := d.stream.net.until(t)
	ctx, number, err := d.reset(left, t.IsZero())
	if ctx != nil {
		_ = d.expireAsync(ctx, left, number) // without the lock, which it takes
	}
	return err
}

// until returns how long it is until t on the clock of the network.
func (n *Network) until(t time.Time) time.Duration {
	if c := ambient.ClockOf(ambient.Home(n.ctx)); c != nil {
		return ambient.TimeUntil(t, c)
	}
	return time.Until(t)
}

// reset sets the deadline to the remaining time. It returns the context of its timer, if it needs
// one, and its number.
func (d *deadline) reset(left time.Duration, none bool) (ctx context.Context, number int, err error) {
	d.stream.mu.Lock()
	defer d.stream.mu.Unlock()
	if d.closed {
		return nil, 0, net.ErrClosed
	}
	d.drop()
	d.passed = !none && left <= 0
	switch {
	case d.passed:
		d.stream.changed.open()
	case !none:
		ctx, d.cancel = context.WithCancel(context.WithoutCancel(d.stream.net.ctx))
	}
	return ctx, d.number, nil
}

// drop removes the deadline; the stream's lock is held.
func (d *deadline) drop() {
	d.number++
	if d.cancel != nil {
		d.cancel()
		d.cancel = nil
	}
}

func (d *deadline) stop() {
	d.stream.mu.Lock()
	defer d.stream.mu.Unlock()
	d.drop()
	d.closed = true
}

//movenext:async
func (d *deadline) expire(ctx context.Context, after time.Duration, number int) {
	if job.Sleep(ctx, after) != nil {
		return
	}
	d.pass(number)
}

// pass ends the waiting operations, unless the deadline has been moved.
func (d *deadline) pass(number int) {
	d.stream.mu.Lock()
	defer d.stream.mu.Unlock()
	if d.number == number {
		d.passed = true
		d.drop()
		d.stream.changed.open()
	}
}
