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

// Programs with a planted bug, each of which most schedules do not show.

// shop sells what it has in stock.
type shop struct{ stock, sold int }

// buy reads the stock, and then writes a value that it has computed from it.
//
//movenext:async
func (s *shop) buy() {
	stock := s.stock
	if stock == 0 {
		return
	}
	job.Yield()
	s.stock = stock - 1
	s.sold++
}

// lostUpdate is a shop that sells one item twice.
//
//movenext:async
func lostUpdate(ctx context.Context) error {
	s := &shop{stock: 1}
	first := job.Go(ctx, func(context.Context) error { s.buy(); return nil }, job.Named("first"))
	second := job.Go(ctx, func(context.Context) error { s.buy(); return nil }, job.Named("second"))
	_, _ = first.Await()
	_, _ = second.Await()
	if s.sold > 1 {
		return fmt.Errorf("sold %d of 1", s.sold)
	}
	return nil
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

// twoSections starts its machines hot: both take their first step in its own.
//
//movenext:async
func twoSections(ctx context.Context) error {
	var c counter
	first, second := c.incrementAsync(ctx), c.incrementAsync(ctx)
	_, _ = first.Await()
	_, _ = second.Await()
	if c.n != 2 {
		return fmt.Errorf("counted %d of 2", c.n)
	}
	return nil
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
	there := job.Go(ctx, func(ctx context.Context) error { return both(ctx, &a, &b) }, job.Named("there"))
	back := job.Go(ctx, func(ctx context.Context) error { return both(ctx, &b, &a) }, job.Named("back"))
	job.Yield()
	b.Unlock()
	_, err := there.Await()
	_, other := back.Await()
	return errors.Join(err, other)
}

// bell is a hand-made event.
type bell struct {
	rung   bool
	waiter *job.Source[job.Void]
}

// wait asks whether the bell has rung, and only later says that it waits.
//
//movenext:async
func (b *bell) wait() {
	if b.rung {
		return
	}
	job.Yield()
	b.waiter = job.NewSource[job.Void]()
	_, _ = b.waiter.Job().Await()
}

func (b *bell) ring() {
	b.rung = true
	if b.waiter != nil {
		b.waiter.TrySetResult(job.Void{})
	}
}

// lostWakeUp rings between the question and the wait.
//
//movenext:async
func lostWakeUp(ctx context.Context) error {
	b := new(bell)
	waiter := job.Go(ctx, func(context.Context) error { b.wait(); return nil }, job.Named("waiter"))
	job.Yield()
	job.Yield()
	job.Yield()
	b.ring()
	_, err := waiter.Await()
	return err
}

// complete completes a source unless that was done before, as it believes.
//
//movenext:async
func complete(done *bool, s *job.Source[int], n int) error {
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

//movenext:async
func doubleCompletion(ctx context.Context) error {
	done, s := false, job.NewSource[int]()
	a := job.Go(ctx, func(context.Context) error { return complete(&done, s, 1) })
	b := job.Go(ctx, func(context.Context) error { return complete(&done, s, 2) })
	_, err := a.Await()
	_, other := b.Await()
	return errors.Join(err, other)
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
//
//movenext:async
func leakOnCancel(ctx context.Context) error {
	s := job.NewSource[int]()
	job.Go(context.WithoutCancel(ctx), func(context.Context) error {
		_, err := s.Job().Await()
		return err
	}, job.Named("reader"))
	_, err := job.Go(ctx, func(ctx context.Context) error { return answer(ctx, s) }).Await()
	return err
}

// steps takes some steps, and counts them.
//
//movenext:async
func steps(n int, count *int) {
	for range n {
		job.Yield()
		*count++
	}
}

// overtaking is wrong if a machine takes twenty steps while another waits for one.
//
//movenext:async
func overtaking(ctx context.Context) error {
	var done int
	late := false
	runner := job.Go(ctx, func(context.Context) error { steps(25, &done); return nil })
	walker := job.Go(ctx, func(context.Context) error {
		begin := done
		job.Yield()
		late = done-begin >= 20
		return nil
	})
	_, _ = runner.Await()
	_, _ = walker.Await()
	if late {
		return errors.New("overtaken by 20")
	}
	return nil
}

// reserve takes the last seat some time later, unless it is taken.
//
//movenext:async
func reserve(ctx context.Context, seats *int, after time.Duration) error {
	if err := job.Sleep(ctx, after); err != nil {
		return err
	}
	free := *seats > 0
	job.Yield()
	if free {
		*seats--
	}
	return nil
}

// oversell has two clients whose timers are a millisecond apart.
//
//movenext:async
func oversell(ctx context.Context) error {
	seats := 1
	a := job.Go(ctx, func(ctx context.Context) error { return reserve(ctx, &seats, 10*time.Millisecond) })
	b := job.Go(ctx, func(ctx context.Context) error { return reserve(ctx, &seats, 11*time.Millisecond) })
	_, _ = a.Await()
	_, _ = b.Await()
	if seats < 0 {
		return errors.New("oversold")
	}
	return nil
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

// popAndPutBack takes two nodes, keeps the second one, and puts the first one back.
//
//movenext:async
func (s *stack) popAndPutBack() {
	first := s.pop()
	second := s.pop()
	if second != nil {
		second.free = true
	}
	if first != nil {
		s.push(first)
	}
}

//movenext:async
func aba(ctx context.Context) error {
	s := new(stack)
	for range 3 {
		s.push(new(node))
	}
	a := job.Go(ctx, func(context.Context) error { s.pop(); return nil })
	b := job.Go(ctx, func(context.Context) error { s.popAndPutBack(); return nil })
	_, _ = a.Await()
	_, _ = b.Await()
	if s.top != nil && s.top.free {
		return errors.New("a node that was taken is on the stack")
	}
	return nil
}
