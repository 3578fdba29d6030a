package jobtest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// Programs of machines with a planted bug, each of which most schedules do not show.

type start = func(context.Context) *job.Job[job.Void]

// together ends when the jobs of all functions have. Each begins in a turn of its own.
//
//movenext:async
func together(ctx context.Context, starts ...start) error {
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

// machines starts them together, and waits for them.
func machines(ctx context.Context, starts ...start) error {
	_, err := togetherAsync(ctx, starts...).Wait(ctx)
	return err
}

// shop sells what it has in stock.
type shop struct {
	stock, sold int
	lock        *coord.Mutex // nil is the bug
}

// buy reads the stock, and then writes a value that it has computed from it.
//
//movenext:async
func (s *shop) buy(ctx context.Context) error {
	if s.lock != nil {
		if err := s.lock.Lock(ctx); err != nil {
			return err
		}
		defer s.lock.Unlock()
	}
	stock := s.stock
	if stock == 0 {
		return nil
	}
	job.Yield()
	s.stock = stock - 1
	s.sold++
	return nil
}

// lostUpdate is a shop that sells one item twice.
func lostUpdate(ctx context.Context) error {
	s := &shop{stock: 1}
	err := machines(ctx, s.buyAsync, s.buyAsync)
	if s.sold > 1 {
		return fmt.Errorf("sold %d of 1", s.sold)
	}
	return err
}

// counter has a lock, and a method that takes it twice.
type counter struct {
	coord.Mutex
	n int
}

// increment reads the counter in one critical section and writes it in another. The lock
// is free each time, so no machine ever has to wait.
//
//movenext:async
func (c *counter) increment(ctx context.Context) error {
	if err := c.Lock(ctx); err != nil {
		return err
	}
	n := c.n
	c.Unlock()
	if err := c.Lock(ctx); err != nil {
		return err
	}
	c.n = n + 1
	c.Unlock()
	return nil
}

// twoSections starts its machines hot: both take their first step in the caller's.
func twoSections(ctx context.Context) error {
	var c counter
	_, err := job.WhenAll(c.incrementAsync(ctx), c.incrementAsync(ctx)).Wait(ctx)
	if c.n != 2 {
		return fmt.Errorf("counted %d of 2", c.n)
	}
	return err
}

// both locks one account after the other.
//
//movenext:async
func both(ctx context.Context, from, to *coord.Mutex) error {
	if err := from.Lock(ctx); err != nil {
		return err
	}
	defer from.Unlock()
	if err := to.Lock(ctx); err != nil {
		return err
	}
	to.Unlock()
	return nil
}

// lockCycle lets two transfers wait for each other's lock, if there is a turn
// between the two locks of both.
//
//movenext:async
func lockCycle(ctx context.Context) error {
	var a, b coord.Mutex
	if err := b.Lock(ctx); err != nil {
		return err
	}
	var all []*job.Job[job.Void]
	for _, t := range []struct {
		name     string
		from, to *coord.Mutex
	}{{"there", &a, &b}, {"back", &b, &a}} {
		all = append(all, job.Go(ctx, func(ctx context.Context) error { return both(ctx, t.from, t.to) }, job.Named(t.name)))
	}
	job.Yield()
	b.Unlock()
	_, err := job.WhenAll(all...).Await()
	return err
}

// bell is a hand-made event.
type bell struct {
	rung   bool
	waiter *job.Source[job.Void]
}

// wait asks whether the bell has rung, and only later says that it waits.
//
//movenext:async
func (b *bell) wait(_ context.Context) error {
	if b.rung {
		return nil
	}
	job.Yield()
	b.waiter = job.NewSource[job.Void]()
	_, err := b.waiter.Job().Await()
	return err
}

//movenext:async
func (b *bell) ring(_ context.Context) error {
	for range 2 {
		job.Yield()
	}
	b.rung = true
	if b.waiter != nil {
		b.waiter.TrySetResult(job.Void{})
	}
	return nil
}

// lostWakeUp rings between the question and the wait.
func lostWakeUp(ctx context.Context) error {
	b := new(bell)
	return machines(ctx, b.waitAsync, b.ringAsync)
}

// complete completes a source unless that was done before, as it believes.
//
//movenext:async
func complete(_ context.Context, done *bool, s *job.Source[int], n int) error {
	if *done {
		return nil
	}
	job.Yield()
	*done = true
	if !s.TrySetResult(n) {
		return errors.New("completed twice")
	}
	return nil
}

func doubleCompletion(ctx context.Context) error {
	done, s := false, job.NewSource[int]()
	return machines(ctx,
		func(ctx context.Context) *job.Job[job.Void] { return completeAsync(ctx, &done, s, 1) },
		func(ctx context.Context) *job.Job[job.Void] { return completeAsync(ctx, &done, s, 2) })
}

// answer completes a source, or does not if the context has ended.
//
//movenext:async
func answer(ctx context.Context, s *job.Source[int]) error {
	for range 3 {
		if err := ctx.Err(); err != nil {
			return err
		}
		job.Yield()
	}
	s.TrySetResult(42)
	return nil
}

// leakOnCancel leaves a machine behind if the context ends early.
func leakOnCancel(ctx context.Context) error {
	s := job.NewSource[int]()
	readAsync(context.WithoutCancel(ctx), s)
	return machines(ctx, func(ctx context.Context) *job.Job[job.Void] { return answerAsync(ctx, s) })
}

//movenext:async
func read(_ context.Context, s *job.Source[int]) error {
	_, err := s.Job().Await()
	return err
}

// steps returns a machine that takes some steps, and counts them.
func steps(n int, count *int) start {
	return func(ctx context.Context) *job.Job[job.Void] { return stepAsync(ctx, n, count) }
}

//movenext:async
func step(_ context.Context, n int, count *int) error {
	for range n {
		job.Yield()
		*count++
	}
	return nil
}

// walk counts the steps that another machine takes while it waits for one.
//
//movenext:async
func walk(_ context.Context, done, missed *int) error {
	begin := *done
	job.Yield()
	*missed = *done - begin
	return nil
}

// overtaking is wrong if a machine takes twenty steps while another waits for one.
func overtaking(ctx context.Context) error {
	var done, missed int
	_, err := job.WhenAll(stepAsync(ctx, 25, &done), walkAsync(ctx, &done, &missed)).Wait(ctx)
	if missed >= 20 {
		return errors.New("overtaken by 20")
	}
	return err
}

// reserve takes the last seat some time later, unless it is taken. A lock that is nil is the bug.
//
//movenext:async
func reserve(ctx context.Context, lock *coord.Mutex, seats *int, after time.Duration) error {
	if err := job.Sleep(ctx, after); err != nil {
		return err
	}
	if lock != nil {
		if err := lock.Lock(ctx); err != nil {
			return err
		}
		defer lock.Unlock()
	}
	free := *seats > 0
	job.Yield()
	if free {
		*seats--
	}
	return nil
}

// sells has two clients whose timers are a millisecond apart.
//
//movenext:async
func sells(ctx context.Context, lock *coord.Mutex) error {
	seats := 1
	var clients []*job.Job[job.Void]
	for _, after := range []time.Duration{time.Hour, time.Hour + time.Millisecond} {
		clients = append(clients, job.Go(ctx, func(ctx context.Context) error { return reserve(ctx, lock, &seats, after) }))
	}
	_, err := job.WhenAll(clients...).Await()
	if seats < 0 {
		return errors.New("oversold")
	}
	return err
}

func oversell(ctx context.Context) error {
	_, err := sellsAsync(ctx, nil).Wait(ctx)
	return err
}

// node is an element of a hand-made stack.
type node struct {
	next *node
	free bool
}

type stack struct{ top *node }

// pop believes that the stack is unchanged if its top is.
//
//movenext:async
func (s *stack) pop() *node {
	for s.top != nil {
		top := s.top
		next := top.next
		job.Yield()
		if s.top == top {
			s.top = next
			return top
		}
	}
	return nil
}

func (s *stack) push(n *node) { n.next, s.top = s.top, n }

// take takes a node or, if it is greedy, two, of which it puts the first one back.
//
//movenext:async
func (s *stack) take(_ context.Context, greedy bool) error {
	first := s.pop()
	if !greedy {
		return nil
	}
	second := s.pop()
	if second != nil {
		second.free = true
	}
	if first != nil {
		s.push(first)
	}
	return nil
}

func aba(ctx context.Context) error {
	s := new(stack)
	for range 3 {
		s.push(new(node))
	}
	err := machines(ctx,
		func(ctx context.Context) *job.Job[job.Void] { return s.takeAsync(ctx, false) },
		func(ctx context.Context) *job.Job[job.Void] { return s.takeAsync(ctx, true) })
	if s.top != nil && s.top.free {
		return errors.New("a node that was taken is on the stack")
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
	return machines(ctx,
		func(context.Context) *job.Job[job.Void] { return p.enterAsync(0) },
		func(context.Context) *job.Job[job.Void] { return p.enterAsync(1) })
}

func petersonTurnFirst(ctx context.Context) error { return (&peterson{turnFirst: true}).run(ctx) }

func petersonRight(ctx context.Context) error { return new(peterson).run(ctx) }
