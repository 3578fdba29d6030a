package schedulertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// eventChecks require that the events of a scheduler, if it reports any
// ([schedulers.Observe]), add up. A listener that draws queues and workers has no other
// information: if one event is missing, a work item stays in its picture forever.
func eventChecks() []check {
	tells := func(has capabilities, _ config) bool { return has.tells }
	giveUp := func(has capabilities, c config) bool { return has.tells && queues(has, c) }
	samples := func(has capabilities, c config) bool { return has.tells && notInPlace(has, c) }
	return []check{
		{"the events of works and workers balance, in the order of each worker", tells, eventsBalance},
		{"the events of abandoned and refused works balance", giveUp, eventsOfAbandoned},
		{"events of one work in n are all of its events", samples, eventsSampled},
		{"a listener that calls runtime.Goexit loses no work", tells, eventsHeardByExiting},
	}
}

// eventsBalance runs a tree of work items that submit, wait, panic and exit at random.
func eventsBalance(e *env) {
	a := listen()
	defer a.stop()
	l := e.ledger(e.new())
	ctx, over := context.WithCancel(context.Background())
	l.Cleanup(over)                       // releases the work items that still wait
	random := rand.New(rand.NewPCG(1, 2)) // used on this goroutine only, so in a fixed order
	for range e.times(300) {
		l.submit(l.randomWork(ctx, random, 3), schedulers.Hint{Flags: randomFlags(random)})
	}
	l.finish()
	a.finish(e)
}

func randomFlags(random *rand.Rand) schedulers.Flags {
	return schedulers.Flags(random.IntN(int(schedulers.Resumed) << 1))
}

// randomWork returns a work item that submits up to three others, and may wait for one of
// them, panic or exit.
func (l *ledger) randomWork(ctx context.Context, random *rand.Rand, depth int) func(schedulers.Worker) {
	type child struct {
		body  func(schedulers.Worker)
		flags schedulers.Flags
	}
	var children []child
	if depth > 0 {
		for range random.IntN(4) {
			children = append(children, child{l.randomWork(ctx, random, depth-1), randomFlags(random)})
		}
	}
	end, waits := random.IntN(10), random.IntN(3) == 0
	return func(on schedulers.Worker) {
		for i, c := range children {
			if i > 0 || !waits {
				l.submit(c.body, schedulers.Hint{From: on, Flags: c.flags})
				continue
			}
			done := make(chan struct{})
			l.submit(func(on schedulers.Worker) { defer close(done); c.body(on) }, schedulers.Hint{From: on, Flags: c.flags})
			if _, tells := on.(schedulers.Blocker); tells {
				// An error means that the wait would never end.
				_ = schedulers.Wait(ctx, on, on.Scheduler(), done)
			}
		}
		switch end {
		case 0:
			panic(errDeliberate)
		case 1:
			runtime.Goexit()
		}
	}
}

func eventsOfAbandoned(e *env) {
	a := listen()
	defer a.stop()
	l, open := e.stuck()
	l.giveUp()
	if err := l.offer(l.probe(nil), schedulers.Hint{}); !errors.Is(err, schedulers.ErrShutdown) {
		l.Errorf("Submit after Shutdown returned %v, want ErrShutdown", err)
	}
	open()
	l.awaitSettled()
	l.shutdown()
	a.finish(e)
}

// eventsSampled listens to the events of a sample of the work items.
func eventsSampled(e *env) {
	a := listen(schedulers.OneIn(4))
	defer a.stop()
	l := e.ledger(e.new())
	works := e.times(4000)
	for range works {
		l.submit(nil, schedulers.Hint{})
	}
	l.finish()
	a.finish(e)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.told {
		if n := b.count[schedulers.Submitted]; n > works/2 {
			e.Errorf("%v has told of %d of %d submissions, not of about one in four", schedulers.NameOf(b.scheduler), n, works)
		}
	}
}

// eventsHeardByExiting has a listener that exits when it hears the first events of each kind, as a
// test's listener does that calls FailNow.
func eventsHeardByExiting(e *env) {
	var mu sync.Mutex
	exits := map[schedulers.EventKind]int{}
	stop := schedulers.Observe(func(v schedulers.Event) {
		mu.Lock()
		defer mu.Unlock()
		if exits[v.Kind]++; exits[v.Kind] <= 3 {
			runtime.Goexit()
		}
	})
	defer stop()
	survive(e, func(schedulers.Worker) { panic(errDeliberate) }, schedulers.Hint{})
	stop()
	mu.Lock()
	defer mu.Unlock()
	if exits[schedulers.Submitted] == 0 {
		e.Errorf("the scheduler has told no listener of work")
	}
}

// audit counts the events of all schedulers.
type audit struct {
	stop func()

	mu    sync.Mutex
	told  []*teller
	moved chan struct{} // closed and replaced by each event
}

// teller holds the sums of the events that one scheduler has reported.
type teller struct {
	scheduler schedulers.Scheduler
	foreign   bool // it already ran before the check, which did not make it
	count     map[schedulers.EventKind]int
	lanes     map[int]*lane
	faults    []string
}

// lane is one worker.
type lane struct {
	alive         bool
	begun         []schedulers.Work // begun and not ended, the innermost last
	waits, sleeps int
}

func listen(opts ...schedulers.ObserveOption) *audit {
	a := &audit{moved: make(chan struct{})}
	a.stop = schedulers.Observe(a.hear, opts...)
	return a
}

func (a *audit) hear(e schedulers.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.tellerOf(e)
	if b.foreign {
		return
	}
	b.count[e.Kind]++
	if e.Time == 0 || e.Took < 0 {
		b.faults = append(b.faults, fmt.Sprintf("%v has no time", e))
	}
	if fault := b.follow(e); fault != "" {
		b.faults = append(b.faults, fmt.Sprintf("%v: %s", e, fault))
	}
	close(a.moved)
	a.moved = make(chan struct{})
}

// tellerOf returns the teller of the event's scheduler; mu is held.
func (a *audit) tellerOf(e schedulers.Event) *teller {
	for _, b := range a.told {
		if dispatch.Same(b.scheduler, e.Scheduler) {
			return b
		}
	}
	b := &teller{scheduler: e.Scheduler, count: map[schedulers.EventKind]int{}, lanes: map[int]*lane{}}
	// A thread without a worker may sleep before there is any work.
	threadSleeps := e.Kind == schedulers.Parked && e.Worker == 0
	b.foreign = e.Kind != schedulers.Submitted && e.Kind != schedulers.WorkerStarted && !threadSleeps
	a.told = append(a.told, b)
	return b
}

// heard reports whether any scheduler has reported an event of its work.
func (a *audit) heard() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.told {
		if b.count[schedulers.Submitted] > 0 {
			return true
		}
	}
	return false
}

// follow records an event and returns how it contradicts the earlier ones, or "".
func (t *teller) follow(e schedulers.Event) string {
	if e.Worker == 0 {
		return "" // on no particular worker
	}
	w := t.lanes[e.Worker]
	if w == nil {
		w = &lane{alive: t.count[schedulers.WorkerStarted] == 0} // without events of workers
		t.lanes[e.Worker] = w
	}
	switch e.Kind {
	case schedulers.WorkerStarted:
		if w.alive {
			return "the worker has started before"
		}
		w.alive = true
	case schedulers.WorkerEnded:
		if !w.alive || len(w.begun) > 0 || w.sleeps > 0 {
			return "the worker has ended before, or still runs work or sleeps"
		}
		w.alive = false
	case schedulers.Begun:
		if !w.alive || w.sleeps > w.waits {
			return "the worker has ended, or sleeps"
		}
		w.begun = append(w.begun, e.Work)
	case schedulers.Ended:
		n := len(w.begun) - 1
		if n < 0 || w.begun[n] != e.Work {
			return "it is not the work that has begun last"
		}
		w.begun = w.begun[:n]
	case schedulers.Parked:
		w.sleeps++
	case schedulers.Unparked:
		w.sleeps--
	case schedulers.Blocked:
		w.waits++
	case schedulers.Unblocked:
		w.waits--
	}
	return ""
}

// finish waits until the counts balance, and fails the check with those that do not.
func (a *audit) finish(e *env) {
	e.Helper()
	late := e.deadline()
	for {
		a.mu.Lock()
		wrong, moved := a.wrong(), a.moved
		a.mu.Unlock()
		if len(wrong) == 0 {
			return
		}
		select {
		case <-moved:
		case <-late:
			for _, w := range wrong {
				e.Error(w)
			}
			return
		}
	}
}

// wrong describes the counts that do not balance; mu is held.
func (a *audit) wrong() (all []string) {
	own := 0
	for _, b := range a.told {
		if b.foreign || b.count[schedulers.Submitted] == 0 {
			continue // left over from an earlier check
		}
		own++
		name := schedulers.NameOf(b.scheduler)
		for i, f := range b.faults {
			if i < 5 {
				all = append(all, f)
			}
		}
		n := b.count
		if in, out := n[schedulers.Submitted], n[schedulers.Refused]+n[schedulers.Begun]+n[schedulers.Abandoned]+n[schedulers.Inlined]; in != out {
			all = append(all, fmt.Sprintf("%s: %d works were submitted, but %d begun, %d abandoned, %d inlined, %d refused",
				name, in, n[schedulers.Begun], n[schedulers.Abandoned], n[schedulers.Inlined], n[schedulers.Refused]))
		}
		all = append(all, b.unequal(name, schedulers.Begun, schedulers.Ended)...)
		all = append(all, b.unequal(name, schedulers.Blocked, schedulers.Unblocked)...)
		if !a.isBeneath(b) { // such a scheduler is not shut down
			all = append(all, b.unequal(name, schedulers.Parked, schedulers.Unparked)...)
			all = append(all, b.unequal(name, schedulers.WorkerStarted, schedulers.WorkerEnded)...)
		}
	}
	if own == 0 {
		all = append(all, "no scheduler has told any event")
	}
	return all
}

func (t *teller) unequal(name string, one, other schedulers.EventKind) []string {
	if t.count[one] == t.count[other] {
		return nil
	}
	return []string{fmt.Sprintf("%s: %d events %q, but %d %q", name, t.count[one], one, t.count[other], other)}
}

// isBeneath reports whether another scheduler runs on top of that of t; mu is held.
func (a *audit) isBeneath(b *teller) bool {
	for _, other := range a.told {
		if other != b && schedulers.RunsOn(other.scheduler, b.scheduler) {
			return true
		}
	}
	return false
}
