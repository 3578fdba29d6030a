package jobtest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

// More programs with a planted bug: state of the program's own, timers and cancellation.

// together ends when the jobs of all functions have. Each begins in a turn of its own.
//
//movenext:async
func together(ctx context.Context, starts ...func(context.Context) *job.Job[job.Void]) error {
	var all []*job.Job[job.Void]
	for _, start := range starts {
		all = append(all, job.Go(ctx, func(ctx context.Context) error {
			_, err := start(ctx).Await()
			return err
		}))
	}
	_, err := job.WhenAll(all...).Await()
	return err
}

// gate is closed by the first caller that leaves.
type gate struct {
	c      chan struct{}
	closed bool
}

//movenext:async
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
	_, err := togetherAsync(ctx, g.leaveAsync, g.leaveAsync).Wait(ctx)
	return err
}

// once calls its function once, unless a second caller comes while it runs.
type once struct {
	done bool
	runs int
}

//movenext:async
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
	_, err := togetherAsync(ctx, o.doAsync, o.doAsync, o.doAsync).Wait(ctx)
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
//
//movenext:async
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

//movenext:async
func (b *buffer) owner(_ context.Context) error {
	job.Yield()
	b.drop()
	return nil
}

func usedAfterFree(ctx context.Context) error {
	b := &buffer{users: 1}
	_, err := togetherAsync(ctx, b.useAsync, b.useAsync, b.ownerAsync).Wait(ctx)
	return err
}

// ring has room for values of one producer.
type ring struct {
	slots [4]int
	tail  int
}

//movenext:async
func (r *ring) put(n int) error {
	for range 2 {
		at := r.tail
		job.Yield()
		r.slots[at] = n
		r.tail = at + 1
		job.Yield()
	}
	return nil
}

func overwritten(ctx context.Context) error {
	r := new(ring)
	_, err := togetherAsync(ctx,
		func(context.Context) *job.Job[job.Void] { return r.putAsync(1) },
		func(context.Context) *job.Job[job.Void] { return r.putAsync(2) }).Wait(ctx)
	if r.tail != 4 {
		return fmt.Errorf("%d of 4 values are there", r.tail)
	}
	return err
}

// peterson is the lock of Gary Peterson (1981) for two parties, whose first two steps may be
// in the wrong order.
type peterson struct {
	wants     [2]bool
	turn      int
	inside    int
	turnFirst bool
}

//movenext:async
func (p *peterson) enter(me int) error {
	if p.turnFirst {
		p.turn = 1 - me
		job.Yield()
	}
	p.wants[me] = true
	if !p.turnFirst {
		job.Yield()
		p.turn = 1 - me
	}
	job.Yield()
	for p.wants[1-me] && p.turn == 1-me {
		job.Yield()
	}
	if p.inside++; p.inside > 1 {
		return errors.New("two are inside")
	}
	job.Yield()
	p.inside--
	p.wants[me] = false
	return nil
}

func (p *peterson) run(ctx context.Context) error {
	_, err := togetherAsync(ctx,
		func(context.Context) *job.Job[job.Void] { return p.enterAsync(0) },
		func(context.Context) *job.Job[job.Void] { return p.enterAsync(1) }).Wait(ctx)
	return err
}

func petersonTurnFirst(ctx context.Context) error { return (&peterson{turnFirst: true}).run(ctx) }

func petersonRight(ctx context.Context) error { return new(peterson).run(ctx) }

// feed is a queue with an end.
type feed struct {
	items []int
	ended bool
	sum   int
}

//movenext:async
func (f *feed) produce(_ context.Context) error {
	for i := range 3 {
		f.items = append(f.items, i+1)
		job.Yield()
	}
	f.ended = true
	return nil
}

// consume looks for the end before it looks for items.
//
//movenext:async
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
	_, err := togetherAsync(ctx, f.produceAsync, f.consumeAsync).Wait(ctx)
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

//movenext:async
func (m *message) write(_ context.Context) error {
	m.ready = true
	job.Yield()
	m.text = "hello"
	return nil
}

//movenext:async
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
	_, err := togetherAsync(ctx, m.readAsync, m.writeAsync).Wait(ctx)
	return err
}

// server takes what is urgent first.
type server struct{ urgent, normal, passed int }

//movenext:async
func (s *server) ask(_ context.Context) error {
	for range 12 {
		s.urgent++
		job.Yield()
	}
	return nil
}

//movenext:async
func (s *server) askNormally(_ context.Context) error {
	s.normal++
	return nil
}

//movenext:async
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
	_, err := togetherAsync(ctx, s.serveAsync, s.askAsync, s.askNormallyAsync).Wait(ctx)
	return err
}

// order is paid back if it does not come in time.
type order struct{ delivered, refunded bool }

//movenext:async
func (o *order) deliver(ctx context.Context) error {
	if err := job.Sleep(ctx, 10*time.Millisecond); err != nil {
		return err
	}
	o.delivered = true
	return nil
}

//movenext:async
func (o *order) wait(ctx context.Context, delivery *job.Job[job.Void]) error {
	if _, err := job.WaitTimeout(ctx, delivery, time.Second).Await(); err != nil {
		o.refunded = true
	}
	return nil
}

func refundedAndDelivered(ctx context.Context) error {
	o := new(order)
	delivery := o.deliverAsync(ctx)
	_, err := job.WhenAll(o.waitAsync(ctx, delivery), delivery).Wait(ctx)
	if o.refunded && o.delivered {
		return errors.New("refunded and delivered")
	}
	return err
}

// lease has one holder, for ten milliseconds.
type lease struct{ holder int }

//movenext:async
func (l *lease) expire(ctx context.Context) error {
	err := job.Sleep(ctx, 10*time.Millisecond)
	l.holder = 0
	return err
}

// lead writes as the holder, without another look at the lease.
//
//movenext:async
func (l *lease) lead(ctx context.Context, me int) error {
	if l.holder != 0 {
		return nil
	}
	l.holder = me
	end := l.expireAsync(ctx)
	job.Yield()
	if l.holder != me {
		return errors.New("written without the lease")
	}
	_, err := end.Await()
	return err
}

func leaseExpires(ctx context.Context) error {
	l := new(lease)
	_, err := togetherAsync(ctx,
		func(ctx context.Context) *job.Job[job.Void] { return l.leadAsync(ctx, 1) },
		func(ctx context.Context) *job.Job[job.Void] { return l.leadAsync(ctx, 2) }).Wait(ctx)
	return err
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

//movenext:async
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
	_, err := togetherAsync(ctx, c.payAsync).Wait(ctx)
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

//movenext:async
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
	_, err := togetherAsync(ctx, l.readAllAsync).Wait(context.WithoutCancel(ctx))
	if l.read+len(l.unread) != 3 {
		return fmt.Errorf("%d of 3 letters are left", l.read+len(l.unread))
	}
	return err
}

func cancelLosesAValue(ctx context.Context) error { return new(letters).run(ctx) }

func cancelKeepsAllValues(ctx context.Context) error { return (&letters{safe: true}).run(ctx) }
