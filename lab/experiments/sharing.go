package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// Sharing or stealing: how much work moves between processors? With sharing, a processor that
// makes work gives it to the least loaded one; with stealing, an idle processor takes work from
// others. Both keep the processors busy. The difference is which processors pay for moving work,
// and when: with sharing the busy ones, all the time; with stealing the idle ones.
//
// Three loads are measured: every processor has plenty of work; one processor makes all the work;
// there is almost no work, only one item at a time, which makes the next.

// moves is one measurement.
type moves struct {
	load, strategy string
	items          int
	migrated       uint64
}

func sharing(out io.Writer, processors, items int) error {
	rows, err := migrations(processors, items)
	if err != nil {
		return err
	}
	t := table(out, "load", "strategy", "work items", "migrated", "of 100")
	for _, r := range rows {
		row(t, r.load, r.strategy, r.items, r.migrated, fmt.Sprintf("%.1f", 100*float64(r.migrated)/float64(r.items)))
	}
	return t.Flush()
}

func migrations(processors, items int) (rows []moves, err error) {
	loads := []struct {
		name  string
		roots int
		next  func(left int) []int // sizes of the subtrees of a work item with left items
	}{
		{"plenty everywhere", processors, halves},
		{"plenty at one", 1, halves},
		{"one at a time", 1, chain},
	}
	for _, l := range loads {
		d := newDealer(processors)
		e := &forest{s: d, next: l.next}
		e.run(l.roots, items)
		d.stop()
		rows = append(rows, moves{l.name, "sharing", items, d.migrated.Load()})

		s := workstealing.New(workstealing.Processors(processors), workstealing.Patience(0))
		e = &forest{s: s, next: l.next}
		e.run(l.roots, items)
		if err := s.Shutdown(context.Background()); err != nil {
			return nil, err
		}
		rows = append(rows, moves{l.name, "stealing", items, s.Metrics().Stolen})
	}
	return rows, nil
}

// halves is the shape of a tree: each work item makes two.
func halves(left int) []int { return []int{left / 2, left - left/2} }

// chain is the shape of a chain: each work item makes one other.
func chain(left int) []int { return []int{left} }

// forest is a set of work items that make each other.
type forest struct {
	s    schedulers.Scheduler
	next func(left int) []int
	all  sync.WaitGroup
}

// run runs the given number of work items in the given number of trees, and waits for them.
func (e *forest) run(roots, items int) {
	e.all.Add(items)
	for i := range roots {
		e.submit(nil, items/roots+min(1, max(0, items%roots-i)))
	}
	e.all.Wait()
}

func (e *forest) submit(from schedulers.Worker, items int) {
	if items == 0 {
		return
	}
	if err := e.s.Submit(&piece{e, items}, schedulers.Hint{From: from}); err != nil {
		e.all.Add(-items)
	}
}

// piece represents several work items: itself, and those that it makes.
type piece struct {
	forest *forest
	items  int
}

// Run implements [schedulers.Work].
func (p *piece) Run(worker schedulers.Worker) {
	defer p.forest.all.Done()
	compute(1_000)
	for _, n := range p.forest.next(p.items - 1) {
		p.forest.submit(worker, n)
	}
}

// Abandon implements [schedulers.Work].
func (p *piece) Abandon(error) { p.forest.all.Add(-p.items) }
