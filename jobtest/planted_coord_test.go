package jobtest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// Programs that use package coord wrongly, and some that use it rightly: what is annotated runs as
// machines, and the rest as plain functions.

// inbox has letters, and a condition for its reader.
type inbox struct {
	mu      coord.Mutex
	filled  *coord.Cond
	letters int
}

// take asks for letters before it has the lock.
func (b *inbox) take(ctx context.Context) error {
	if b.letters == 0 {
		if err := b.mu.Lock(ctx); err != nil {
			return err
		}
		defer b.mu.Unlock()
		if err := b.filled.Wait(ctx); err != nil {
			return err
		}
	}
	b.letters--
	return nil
}

func (b *inbox) put(ctx context.Context) error {
	if err := b.mu.Lock(ctx); err != nil {
		return err
	}
	b.letters++
	b.filled.Broadcast()
	b.mu.Unlock()
	return nil
}

func missedBroadcast(ctx context.Context) error {
	b := new(inbox)
	b.filled = coord.NewCond(&b.mu)
	return all(ctx, b.take, b.put)
}

// box has room for one value. Its producers and consumers wait for the same condition.
type box struct {
	mu     coord.Mutex
	change *coord.Cond
	values int
	all    bool // a change wakes all
}

// turn waits until the box holds from values, and makes them to.
//
//movenext:async
func (b *box) turn(ctx context.Context, from, to int) error {
	if err := b.mu.Lock(ctx); err != nil {
		return err
	}
	defer b.mu.Unlock()
	for b.values != from {
		if err := b.change.Wait(ctx); err != nil {
			return err
		}
	}
	b.values = to
	if b.all {
		b.change.Broadcast()
	} else {
		b.change.Signal()
	}
	return nil
}

func (b *box) run(ctx context.Context) error {
	b.change = coord.NewCond(&b.mu)
	put := func(ctx context.Context) *job.Job[job.Void] { return b.turnAsync(ctx, 0, 1) }
	take := func(ctx context.Context) *job.Job[job.Void] { return b.turnAsync(ctx, 1, 0) }
	return machines(ctx, take, put, put, take)
}

func signalForTheWrong(ctx context.Context) error { return new(box).run(ctx) }

func broadcastToAll(ctx context.Context) error { return (&box{all: true}).run(ctx) }

// ordered calls both with each pair of locks.
func ordered(ctx context.Context, pairs ...[2]*coord.Mutex) error {
	var all []func(context.Context) *job.Job[job.Void]
	for _, p := range pairs {
		all = append(all, func(ctx context.Context) *job.Job[job.Void] { return bothAsync(ctx, p[0], p[1]) })
	}
	return machines(ctx, all...)
}

func cycleOfThree(ctx context.Context) error {
	var a, b, c coord.Mutex
	return ordered(ctx, [2]*coord.Mutex{&a, &b}, [2]*coord.Mutex{&b, &c}, [2]*coord.Mutex{&c, &a})
}

func noCycleOfThree(ctx context.Context) error {
	var a, b, c coord.Mutex
	return ordered(ctx, [2]*coord.Mutex{&a, &b}, [2]*coord.Mutex{&b, &c}, [2]*coord.Mutex{&a, &c})
}

// oldPrinter has one tray, as its permits say.
type oldPrinter struct {
	tray   *coord.Semaphore
	jammed bool
	busy   int
}

// print gives its permit back twice if the printer is jammed.
func (p *oldPrinter) print(ctx context.Context) error {
	if err := p.tray.Acquire(ctx, 1); err != nil {
		return err
	}
	defer p.tray.Release(1)
	if p.jammed {
		p.jammed = false
		p.tray.Release(1)
		return nil
	}
	if p.busy++; p.busy > 1 {
		return errors.New("two print at a time")
	}
	job.Yield()
	p.busy--
	return nil
}

func (p *oldPrinter) jam(_ context.Context) error {
	job.Yield()
	p.jammed = true
	return nil
}

func releasedTwice(ctx context.Context) error {
	p := &oldPrinter{tray: coord.NewSemaphore(1)}
	return all(ctx, p.print, p.print, p.print, p.jam)
}

// point is moved by writers that lock it as readers do.
type point struct {
	mu   coord.RWMutex
	x, y int
}

func (p *point) move(ctx context.Context) error {
	if err := p.mu.RLock(ctx); err != nil {
		return err
	}
	defer p.mu.RUnlock()
	p.x++
	job.Yield()
	p.y++
	return nil
}

func (p *point) look(ctx context.Context) error {
	if err := p.mu.RLock(ctx); err != nil {
		return err
	}
	defer p.mu.RUnlock()
	if p.x != p.y {
		return errors.New("half a write")
	}
	return nil
}

func halfAWrite(ctx context.Context) error {
	p := new(point)
	return all(ctx, p.move, p.look)
}

// lookTwice locks for reading while it does so already.
func (p *point) lookTwice(ctx context.Context) error {
	if err := p.mu.RLock(ctx); err != nil {
		return err
	}
	defer p.mu.RUnlock()
	return p.look(ctx)
}

func (p *point) reset(ctx context.Context) error {
	if err := p.mu.Lock(ctx); err != nil {
		return err
	}
	p.x, p.y = 0, 0
	p.mu.Unlock()
	return nil
}

func readAgain(ctx context.Context) error {
	p := new(point)
	return all(ctx, p.lookTwice, p.reset)
}

// group is counted by its members, when they begin.
type group struct {
	left *coord.Countdown
	done int
}

func (c *group) work(_ context.Context) error {
	c.left.Add(1)
	job.Yield()
	c.done++
	c.left.Done()
	return nil
}

func (c *group) wait(ctx context.Context) error {
	c.left.Done()
	if err := c.left.Wait(ctx); err != nil {
		return err
	}
	if c.done < 2 {
		return fmt.Errorf("waited for %d of 2", c.done)
	}
	return nil
}

func addedLate(ctx context.Context) error {
	c := &group{left: coord.NewCountdown(1)}
	return all(ctx, c.work, c.work, c.wait)
}

// relay has rounds, at the end of which all wait for each other.
type relay struct {
	line   *coord.Barrier
	stop   bool
	leaves bool // a runner that stops says so
}

func (r *relay) run(ctx context.Context) error {
	for range 2 {
		if r.stop {
			if r.leaves {
				r.line.Add(-1)
			}
			return nil
		}
		if _, err := r.line.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *relay) end(_ context.Context) error {
	job.Yield()
	r.stop = true
	return nil
}

func (r *relay) hold(ctx context.Context) error {
	r.line = coord.NewBarrier(3)
	return all(ctx, r.run, r.run, r.run, r.end)
}

func leftTheBarrier(ctx context.Context) error { return new(relay).hold(ctx) }

func leavesTheBarrier(ctx context.Context) error { return (&relay{leaves: true}).hold(ctx) }

// lostSignal wakes two waiters with two signals, of which the event keeps one.
func lostSignal(ctx context.Context) error {
	e := new(coord.AutoResetEvent)
	return all(ctx, e.Wait, e.Wait, func(context.Context) error {
		e.Set()
		job.Yield()
		e.Set()
		return nil
	})
}

// pass sends two values before it receives two.
//
//movenext:async
func pass(ctx context.Context, to, from *coord.Channel[int]) error {
	for range 2 {
		if err := to.Send(ctx, 1); err != nil {
			return err
		}
	}
	for range 2 {
		if _, err := from.Receive(ctx); err != nil {
			return err
		}
	}
	return nil
}

// crossed has two machines, each of which may wait for room at the other.
func crossed(ctx context.Context) error {
	a, b := coord.NewBounded[int](1, coord.WaitForRoom), coord.NewBounded[int](1, coord.WaitForRoom)
	return machines(ctx,
		func(ctx context.Context) *job.Job[job.Void] { return passAsync(ctx, a, b) },
		func(ctx context.Context) *job.Job[job.Void] { return passAsync(ctx, b, a) })
}

//movenext:async
func send(ctx context.Context, c *coord.Channel[int]) error { return c.Send(ctx, 1) }

// firstAnswer asks two, takes one answer, and leaves the slower one with a send.
func firstAnswer(ctx context.Context) error {
	c := coord.NewRendezvous[int]()
	for range 2 {
		sendAsync(context.WithoutCancel(ctx), c)
	}
	_, err := c.Receive(ctx)
	return err
}

// till is locked while money is counted.
type till struct{ mu coord.Mutex }

// count keeps the lock if its context ends.
func (t *till) count(ctx context.Context) error {
	if err := t.mu.Lock(ctx); err != nil {
		return err
	}
	if err := job.Sleep(ctx, time.Millisecond); err != nil {
		return err
	}
	t.mu.Unlock()
	return nil
}

func cancelKeepsTheLock(ctx context.Context) error {
	t := new(till)
	_, err := job.Go(ctx, t.count).Wait(context.WithoutCancel(ctx))
	if !t.mu.TryLock() {
		return errors.New("the lock is held")
	}
	return err
}
