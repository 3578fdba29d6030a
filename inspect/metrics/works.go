package metrics

import (
	"hash/maphash"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/internal/histogram"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/schedulers"
)

// scheduler sums up the schedulers of one name.
type scheduler struct {
	counts [schedulers.Injected + 1]atomic.Uint64 // by kind

	start, run, blocked, parked, depth histogram.Histogram
}

// hearWork processes an event of a scheduler. The scheduler calls it in the middle of an
// operation, so it must not call the scheduler.
func (c *Collector) hearWork(e schedulers.Event) {
	if int(e.Kind) >= len((*scheduler)(nil).counts) {
		return // of a scheduler from elsewhere
	}
	s := c.schedulers.get(truncate.Name(schedulers.NameOf(e.Scheduler)), func() *scheduler { return new(scheduler) })
	n := uint64(1)
	if e.Kind == schedulers.Stolen || e.Kind == schedulers.Moved || e.Kind == schedulers.Injected {
		n = uint64(max(0, e.Count))
	}
	s.counts[e.Kind].Add(n)
	switch e.Kind {
	case schedulers.Submitted:
		n := s.queued()
		s.depth.Add((n - min(n, 1)) * uint64(c.oneIn)) // not counting itself
		c.queueTimes.begin(e.Work, e.Time)
	case schedulers.Begun:
		if since, ok := c.queueTimes.end(e.Work); ok {
			s.start.AddTime(e.Time - since)
		}
	case schedulers.Refused, schedulers.Abandoned, schedulers.Inlined:
		c.queueTimes.end(e.Work)
	case schedulers.Ended:
		s.run.AddTime(e.Took)
	case schedulers.Unblocked:
		s.blocked.AddTime(e.Took)
	case schedulers.Unparked:
		s.parked.AddTime(e.Took)
	default:
	}
}

// difference returns how many events of one kind have no counterpart.
func (s *scheduler) difference(kind schedulers.EventKind, ends ...schedulers.EventKind) uint64 {
	n := s.counts[kind].Load()
	for _, k := range ends {
		n -= min(n, s.counts[k].Load()) // some began before the collector did
	}
	return n
}

func (s *scheduler) queued() uint64 {
	return s.difference(schedulers.Submitted, schedulers.Begun, schedulers.Refused, schedulers.Abandoned, schedulers.Inlined)
}

func (s *scheduler) read(name string, oneIn uint64) Scheduler {
	count := func(k schedulers.EventKind) uint64 { return oneIn * s.counts[k].Load() }
	return Scheduler{
		Name:      name,
		Submitted: count(schedulers.Submitted), Refused: count(schedulers.Refused),
		Begun: count(schedulers.Begun), Ended: count(schedulers.Ended),
		Abandoned: count(schedulers.Abandoned), Inlined: count(schedulers.Inlined),
		Stolen: s.counts[schedulers.Stolen].Load(), Injected: s.counts[schedulers.Injected].Load(),
		Queued:  oneIn * s.queued(),
		Running: oneIn * s.difference(schedulers.Begun, schedulers.Ended),
		Workers: s.difference(schedulers.WorkerStarted, schedulers.WorkerEnded),
		Start:   Histogram(s.start.Seconds(oneIn)),
		Run:     Histogram(s.run.Seconds(oneIn)),
		Blocked: Histogram(s.blocked.Seconds(1)),
		Parked:  Histogram(s.parked.Seconds(1)),
		Depth:   Histogram(s.depth.Numbers(oneIn)),
	}
}

// timeTable holds the times at which work items were queued. A work item is in one queue at a
// time, and is queued again only after it has begun, so it can be a key until then.
type timeTable struct{ shards [shards]timesShard }

type timesShard struct {
	mu    sync.Mutex
	since map[schedulers.Work]time.Duration
}

const (
	shards   = 64
	maxKnown = 100_000 / shards // entries of each shard
)

var seed = maphash.MakeSeed()

// shard returns the shard of w, or nil if w is not a pointer, and so may not be comparable.
func (t *timeTable) shard(w schedulers.Work) *timesShard {
	v := reflect.ValueOf(w)
	if v.Kind() != reflect.Pointer {
		return nil
	}
	return &t.shards[maphash.Comparable(seed, v.Pointer())%shards]
}

func (t *timeTable) begin(w schedulers.Work, now time.Duration) {
	s := t.shard(w)
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since == nil {
		s.since = map[schedulers.Work]time.Duration{}
	}
	if len(s.since) < maxKnown {
		s.since[w] = now
	}
}

func (t *timeTable) end(w schedulers.Work) (since time.Duration, ok bool) {
	s := t.shard(w)
	if s == nil {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	since, ok = s.since[w]
	delete(s.since, w)
	return since, ok
}
