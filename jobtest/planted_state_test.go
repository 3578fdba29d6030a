package jobtest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

// Programs of plain functions with a planted bug: state of the program's own, timers and
// cancellation.

// gate is closed by the first caller that leaves.
type gate struct {
	c      chan struct{}
	closed bool
}

func (g *gate) leave(_ context.Context) error {
	if g.closed {
		return nil
	}
	job.Yield()
	close(g.c)
	g.closed = true
	return nil
}

func closedTwice(ctx context.Context) error {
	g := &gate{c: make(chan struct{})}
	return all(ctx, g.leave, g.leave)
}

// once calls its function once, unless a second caller comes while it runs.
type once struct {
	done bool
	runs int
}

func (o *once) do(_ context.Context) error {
	if o.done {
		return nil
	}
	job.Yield()
	o.runs++
	o.done = true
	return nil
}

func onceTwice(ctx context.Context) error {
	o := new(once)
	err := all(ctx, o.do, o.do, o.do)
	if o.runs > 1 {
		return fmt.Errorf("ran %d times", o.runs)
	}
	return err
}

// buffer is freed with its last user.
type buffer struct {
	users int
	freed bool
}

// use believes that a buffer with users stays.
func (b *buffer) use(_ context.Context) error {
	if b.users == 0 {
		return nil
	}
	job.Yield()
	b.users++
	job.Yield()
	if b.freed {
		return errors.New("used after it was freed")
	}
	b.drop()
	return nil
}

func (b *buffer) drop() {
	if b.users--; b.users == 0 {
		b.freed = true
	}
}

func (b *buffer) owner(_ context.Context) error {
	job.Yield()
	b.drop()
	return nil
}

func usedAfterFree(ctx context.Context) error {
	b := &buffer{users: 1}
	return all(ctx, b.use, b.use, b.owner)
}

// ring has room for values of one producer.
type ring struct {
	slots [4]int
	tail  int
}

func (r *ring) put(n int) plain {
	return func(context.Context) error {
		for range 2 {
			at := r.tail
			job.Yield()
			r.slots[at] = n
			r.tail = at + 1
			job.Yield()
		}
		return nil
	}
}

func overwritten(ctx context.Context) error {
	r := new(ring)
	err := all(ctx, r.put(1), r.put(2))
	if r.tail != 4 {
		return fmt.Errorf("%d of 4 values are there", r.tail)
	}
	return err
}

// feed is a queue with an end.
type feed struct {
	items []int
	ended bool
	sum   int
}

func (f *feed) produce(_ context.Context) error {
	for i := range 3 {
		f.items = append(f.items, i+1)
		job.Yield()
	}
	f.ended = true
	return nil
}

// consume looks for the end before it looks for items.
func (f *feed) consume(_ context.Context) error {
	for !f.ended {
		if len(f.items) > 0 {
			f.sum += f.items[0]
			f.items = f.items[1:]
		}
		job.Yield()
	}
	return nil
}

func notDrained(ctx context.Context) error {
	f := new(feed)
	err := all(ctx, f.produce, f.consume)
	if f.sum != 6 {
		return fmt.Errorf("the sum is %d", f.sum)
	}
	return err
}

// message is published with a flag.
type message struct {
	ready bool
	text  string
}

func (m *message) write(_ context.Context) error {
	m.ready = true
	job.Yield()
	m.text = "hello"
	return nil
}

func (m *message) read(_ context.Context) error {
	for !m.ready {
		job.Yield()
	}
	if m.text == "" {
		return errors.New("read before it was written")
	}
	return nil
}

func publishedEarly(ctx context.Context) error {
	m := new(message)
	return all(ctx, m.read, m.write)
}

// server takes what is urgent first.
type server struct{ urgent, normal, passed int }

func (s *server) ask(_ context.Context) error {
	for range 12 {
		s.urgent++
		job.Yield()
	}
	return nil
}

func (s *server) askNormally(_ context.Context) error {
	s.normal++
	return nil
}

func (s *server) serve(_ context.Context) error {
	for range 26 {
		switch {
		case s.urgent > 0:
			s.urgent--
			if s.normal > 0 {
				s.passed++
			}
		case s.normal > 0:
			s.normal--
			s.passed = 0
		}
		if s.passed > 8 {
			return errors.New("a normal request has waited for 9 urgent ones")
		}
		job.Yield()
	}
	return nil
}

func starvation(ctx context.Context) error {
	s := new(server)
	return all(ctx, s.serve, s.ask, s.askNormally)
}

// order is paid back if it does not come in time.
type order struct{ delivered, refunded bool }

func (o *order) deliver(ctx context.Context) error {
	if err := job.Sleep(ctx, 10*time.Millisecond); err != nil {
		return err
	}
	o.delivered = true
	return nil
}

func (o *order) wait(ctx context.Context, delivery *job.Job[job.Void]) error {
	if _, err := job.WaitTimeout(ctx, delivery, time.Second).Wait(ctx); err != nil {
		o.refunded = true
	}
	return nil
}

func refundedAndDelivered(ctx context.Context) error {
	o := new(order)
	delivery := job.Go(ctx, o.deliver)
	err := all(ctx, func(ctx context.Context) error { return o.wait(ctx, delivery) })
	if o.refunded && o.delivered {
		return errors.New("refunded and delivered")
	}
	return err
}

// lease has one holder, for ten milliseconds.
type lease struct{ holder int }

func (l *lease) expire(ctx context.Context) error {
	err := job.Sleep(ctx, 10*time.Millisecond)
	l.holder = 0
	return err
}

// lead writes as the holder, without another look at the lease.
func (l *lease) lead(ctx context.Context, me int) error {
	if l.holder != 0 {
		return nil
	}
	l.holder = me
	end := job.Go(ctx, l.expire)
	job.Yield()
	if l.holder != me {
		return errors.New("written without the lease")
	}
	_, err := end.Wait(ctx)
	return err
}

func leaseExpires(ctx context.Context) error {
	l := new(lease)
	return all(ctx,
		func(ctx context.Context) error { return l.lead(ctx, 1) },
		func(ctx context.Context) error { return l.lead(ctx, 2) })
}

// card counts its charges. An answer may be lost on its way.
type card struct{ charges int }

func (c *card) charge(ctx context.Context) error {
	c.charges++
	if jobtest.Fault(ctx, "the answer is lost") {
		return errors.New("no answer")
	}
	return nil
}

func (c *card) pay(ctx context.Context) error {
	for range 3 {
		if c.charge(ctx) == nil {
			return nil
		}
		job.Yield()
	}
	return nil
}

func chargedTwice(ctx context.Context) error {
	c := new(card)
	err := all(ctx, c.pay)
	if c.charges > 1 {
		return fmt.Errorf("charged %d times", c.charges)
	}
	return err
}

// letters are read one by one.
type letters struct {
	unread []int
	read   int
	safe   bool // a letter is taken when it has been read
}

func (l *letters) readAll(ctx context.Context) error {
	for len(l.unread) > 0 {
		rest := l.unread[1:]
		if !l.safe {
			l.unread = rest
		}
		if err := job.Sleep(ctx, time.Millisecond); err != nil {
			return err
		}
		l.unread = rest
		l.read++
	}
	return nil
}

func (l *letters) run(ctx context.Context) error {
	l.unread = []int{1, 2, 3}
	_, err := job.Go(ctx, l.readAll).Wait(context.WithoutCancel(ctx))
	if l.read+len(l.unread) != 3 {
		return fmt.Errorf("%d of 3 letters are left", l.read+len(l.unread))
	}
	return err
}

func cancelLosesAValue(ctx context.Context) error { return new(letters).run(ctx) }

func cancelKeepsAllValues(ctx context.Context) error { return (&letters{safe: true}).run(ctx) }
