package metrics

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/internal/histogram"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/job"
)

// function sums up the jobs of one function.
type function struct {
	live atomic.Int64

	start, run, suspended, suspensions histogram.Histogram
}

// life is the life of a job that has not ended.
type life struct {
	function    *function
	since       time.Duration // the time of the last event
	suspensions uint64
}

// hearJob processes an event in the life of a job.
func (c *Collector) hearJob(e inspect.Event) {
	if e.Kind == inspect.Made {
		c.beginLife(e)
		return
	}
	c.lives.update(e.Job, func(l *life) (over bool) {
		took := e.Time - l.since
		l.since = e.Time
		switch e.Kind {
		case inspect.Started:
			l.function.start.AddTime(took)
		case inspect.Suspended:
			l.function.run.AddTime(took)
			l.suspensions++
		case inspect.Resumed:
			l.function.suspended.AddTime(took)
		case inspect.Ended:
			l.function.run.AddTime(took)
			l.function.suspensions.Add(l.suspensions)
			l.function.live.Add(-1)
			return true
		case inspect.Made:
		}
		return false
	})
}

// beginLife starts the life of a job.
func (c *Collector) beginLife(e inspect.Event) {
	name := e.Place.Function
	if name == "" {
		name = e.Job.Name()
	}
	if name == "" {
		name = "unnamed"
	}
	l := &life{since: e.Time, function: c.functions.get(truncate.Name(name), func() *function { return new(function) })}
	if c.lives.add(e.Job, l) {
		l.function.live.Add(1)
	}
}

func (f *function) read(name string, oneIn uint64) Function {
	return Function{
		Name: name, Live: oneIn * uint64(max(0, f.live.Load())),
		Start:       Histogram(f.start.Seconds(oneIn)),
		Run:         Histogram(f.run.Seconds(oneIn)),
		Suspended:   Histogram(f.suspended.Seconds(oneIn)),
		Suspensions: Histogram(f.suspensions.Numbers(oneIn)),
	}
}

// lives are the jobs that have not ended.
type lives struct{ shards [shards]livesShard }

type livesShard struct {
	mu    sync.Mutex
	byJob map[job.Handle]*life
}

func (l *lives) shard(h job.Handle) *livesShard {
	return &l.shards[maphash.Comparable(seed, h)%shards]
}

// add adds a life, unless there are too many.
func (l *lives) add(h job.Handle, f *life) bool {
	s := l.shard(h)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byJob == nil {
		s.byJob = map[job.Handle]*life{}
	}
	if len(s.byJob) >= maxKnown {
		return false
	}
	s.byJob[h] = f
	return true
}

// update calls f with the life of a job, if it is known, and removes it if f reports its end.
func (l *lives) update(h job.Handle, f func(*life) (over bool)) {
	s := l.shard(h)
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.byJob[h]; known != nil && f(known) {
		delete(s.byJob, h)
	}
}
