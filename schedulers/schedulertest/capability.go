package schedulertest

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
)

// capabilityChecks apply to schedulers that claim the capability.
func capabilityChecks() []check {
	meter := func(has capabilities, c config) bool { return has.meter && queues(has, c) }
	snapshotter := func(has capabilities, c config) bool { return has.snapshotter && queues(has, c) }
	limiter := func(has capabilities, _ config) bool { return has.limiter }
	consenter := func(has capabilities, _ config) bool { return has.consenter }
	return []check{
		{"metrics add up while work is held", meter, metricsWhileHeld},
		{"metrics add up after the end", meter, metricsAfterEnd},
		{"metrics count what was abandoned", meter, metricsAbandoned},
		{"a snapshot lists the queued work and nothing else", snapshotter, snapshotLists},
		{"no more works run at a time than MaxConcurrency says", limiter, limitRespected},
		{"work that was run in place is not run a second time by its entry", consenter, consentHonoured},
		{"MayRunInPlace answers for every kind of worker", consenter, consentAnswers},
	}
}

// sums describes how m disagrees with the ledger, or returns "".
func (l *ledger) sums(m schedulers.Metrics) string {
	l.mu.Lock()
	t := l.tally
	l.mu.Unlock()
	for _, c := range []struct {
		name string
		got  uint64
		want int
	}{
		{"Submitted", m.Submitted, t.accepted},
		{"Refused", m.Refused, t.refused},
		{"Completed", m.Completed, t.ended},
		{"Abandoned", m.Abandoned, t.dropped},
		{"Running", m.Running, t.began - t.ended},
		{"Queued", m.Queued, t.accepted - t.began - t.dropped},
	} {
		if c.got != uint64(c.want) {
			return fmt.Sprintf("Metrics().%s is %d, want %d", c.name, c.got, c.want)
		}
	}
	return ""
}

// metricsAgree waits until the metrics agree with the ledger. Counters may lag behind the
// end of Run for a moment.
func (l *ledger) metricsAgree() {
	l.Helper()
	late := l.deadline()
	for {
		fault := l.sums(l.sched.(schedulers.Meter).Metrics())
		if fault == "" {
			return
		}
		select {
		case <-late:
			l.Fatalf("%s, even after %v", fault, l.timeout)
		default:
			runtime.Gosched()
		}
	}
}

func metricsWhileHeld(e *env) {
	l := e.ledger(e.new())
	for range 100 {
		l.submit(nil, schedulers.Hint{})
	}
	l.awaitSettled()
	l.metricsAgree()
	open := l.gate(16, schedulers.Hint{})
	for range 100 {
		_ = l.offer(l.probe(nil), schedulers.Hint{})
	}
	l.until("no work began", func(t tally) bool { return t.began > 100 })
	l.metricsAgree()
	open()
	l.finish()
	l.metricsAgree()
}

func metricsAfterEnd(e *env) {
	l := e.ledger(e.new())
	const panics = 30
	for n := range 300 {
		l.submit(func(on schedulers.Worker) {
			switch {
			case n < panics:
				panic(errDeliberate)
			case n < 2*panics:
				runtime.Goexit()
			default:
				l.submit(nil, schedulers.Hint{From: on})
			}
		}, schedulers.Hint{Flags: schedulers.Flags(n % 8)})
	}
	l.finish()
	for range 7 {
		_ = l.offer(l.probe(nil), schedulers.Hint{})
	}
	l.metricsAgree()
	m := l.sched.(schedulers.Meter).Metrics()
	if m.Panicked != panics {
		l.Errorf("Metrics().Panicked is %d, want %d", m.Panicked, panics)
	}
	if m.Workers != 0 {
		l.Errorf("Metrics().Workers is %d after Shutdown has returned nil", m.Workers)
	}
}

func metricsAbandoned(e *env) {
	l, open := e.stuck()
	l.giveUp()
	open()
	l.awaitSettled()
	l.metricsAgree()
}

// snapshotLists takes a snapshot while no work can end, so that everything listed was
// accepted and has not been run to its end.
func snapshotLists(e *env) {
	l := e.ledger(e.new())
	const before = 50
	for range before {
		l.submit(nil, schedulers.Hint{})
	}
	l.awaitSettled()
	open := l.gate(16, schedulers.Hint{})
	for range 100 {
		_ = l.offer(l.probe(nil), schedulers.Hint{})
	}
	listed := l.fullSnapshot()
	seen := make(map[*probe]bool)
	for _, w := range listed {
		p, ok := w.(*probe)
		switch {
		case !ok:
			l.Errorf("Snapshot lists a %T that was never submitted", w)
			continue
		case p.id < before:
			l.Errorf("Snapshot lists work %d, which has ended", p.id)
		case seen[p]:
			l.Errorf("Snapshot lists work %d twice", p.id)
		}
		seen[p] = true
	}
	clear(listed) // the snapshot is a copy: this must not affect the queue
	open()
	l.finish()
	if rest := l.sched.(schedulers.Snapshotter).Snapshot(); len(rest) > 0 {
		l.Errorf("Snapshot lists %d works after all have ended", len(rest))
	}
}

// fullSnapshot returns a snapshot that lists all queued work. Work that has left the queue
// and has not begun is in no list, so this may take several attempts.
func (l *ledger) fullSnapshot() []schedulers.Work {
	l.Helper()
	waiting := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.tally.accepted - l.tally.began
	}
	late := l.deadline()
	for {
		most := waiting()
		listed := l.sched.(schedulers.Snapshotter).Snapshot()
		least := waiting()
		if len(listed) > most {
			l.Errorf("Snapshot lists %d works when no more than %d were queued", len(listed), most)
		}
		if len(listed) >= least {
			return listed
		}
		select {
		case <-late:
			l.Errorf("Snapshot lists %d works when %d were queued", len(listed), least)
			return listed
		default:
			runtime.Gosched()
		}
	}
}

func limitRespected(e *env) {
	l := e.ledger(e.new())
	measureLimit(l)
	l.finish()
}

// measureLimit runs many short work items and compares how many of them ran at
// the same time with the scheduler's limit.
func measureLimit(l *ledger) {
	l.Helper()
	limit := l.sched.(schedulers.Limiter).MaxConcurrency()
	if limit < 0 {
		l.Fatalf("MaxConcurrency is %d; 0 means no limit", limit)
	}
	var now, most atomic.Int64
	var node func(depth int) func(schedulers.Worker)
	node = func(depth int) func(schedulers.Worker) {
		return func(on schedulers.Worker) {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			if depth > 0 {
				l.submit(node(depth-1), schedulers.Hint{From: on})
				l.submit(node(depth-1), schedulers.Hint{From: on})
			}
			for range 20 {
				runtime.Gosched() // gives a work item beyond the limit time to start
			}
			now.Add(-1)
		}
	}
	for range 20 {
		l.submit(node(4), schedulers.Hint{})
	}
	l.awaitSettled()
	if limit > 0 && most.Load() > int64(limit) {
		l.Errorf("%d works ran at the same time, and MaxConcurrency is %d", most.Load(), limit)
	}
}

// consentHonoured claims queued work as a waiter does: by a flag in the work itself. The
// entry stays queued and must still be called once, although nothing is left to do.
func consentHonoured(e *env) {
	l := e.ledger(e.new())
	asker := l.sched.(schedulers.Consenter)
	var bodies atomic.Int64
	const rounds = 200
	for range rounds {
		l.submit(func(on schedulers.Worker) {
			var claimed atomic.Bool
			child := l.probe(func(schedulers.Worker) {
				if claimed.CompareAndSwap(false, true) {
					bodies.Add(1)
				}
			})
			if l.offer(child, schedulers.Hint{From: on}) != nil {
				return
			}
			if asker.MayRunInPlace(child, on) && claimed.CompareAndSwap(false, true) {
				bodies.Add(1)
			}
		}, schedulers.Hint{})
	}
	l.until("an entry whose work was claimed was not called", func(t tally) bool { return t.ended == 2*rounds })
	l.finish()
	if bodies.Load() != rounds {
		l.Errorf("%d of %d bodies ran", bodies.Load(), rounds)
	}
}

func consentAnswers(e *env) {
	l := e.ledger(e.new())
	asker := l.sched.(schedulers.Consenter)
	other := e.ledger(e.new()).worker()
	own := l.worker()
	open := l.gate(16, schedulers.Hint{})
	queued := l.submit(nil, schedulers.Hint{})
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		defer func() {
			if r := recover(); r != nil {
				l.Errorf("MayRunInPlace panicked: %v", r)
			}
		}()
		for _, by := range []schedulers.Worker{nil, other, own, stranger{scheduler: l.sched}} {
			asker.MayRunInPlace(queued, by)
		}
	}()
	e.await(answered, "MayRunInPlace blocks")
	open()
	l.finish()
}
