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
	of          *function
	since       time.Duration // the time of the last event
	suspensions uint64
}

// hearJob processes an event in the life of a job.
func (c *Collector) hearJob(e inspect.Event) {
	if e.Kind == inspect.Made {
		c.made(e)
		return
	}
	c.lives.with(e.Job, func(l *life) (over bool) {
		took := e.Time - l.since
		l.since = e.Time
		switch e.Kind {
		case inspect.Started:
			l.of.start.AddTime(took)
		case inspect.Suspended:
			l.of.run.AddTime(took)
			l.suspensions++
		case inspect.Resumed:
			l.of.suspended.AddTime(took)
		case inspect.Ended:
			l.of.run.AddTime(took)
			l.of.suspensions.Add(l.suspensions)
			l.of.live.Add(-1)
			return true
		case inspect.Made:
		}
		return false
	})
}

// made starts the life of a job.
func (c *Collector) made(e inspect.Event) {
	name := e.Place.Function
	if name == "" {
		name = e.Job.Name()
	}
	if name == "" {
		name = "unnamed"
	}
	l := &life{since: e.Time, of: c.functions.of(truncate.Name(name), func() *function { return new(function) })}
	if c.lives.add(e.Job, l) {
		l.of.live.Add(1)
	}
}

func (f *function) read(name string, by uint64) Function {
	return Function{
		Name: name, Live: by * uint64(max(0, f.live.Load())),
		Start:       Histogram(f.start.Seconds(by)),
		Run:         Histogram(f.run.Seconds(by)),
		Suspended:   Histogram(f.suspended.Seconds(by)),
		Suspensions: Histogram(f.suspensions.Numbers(by)),
	}
}

// lives are the jobs that have not ended.
type lives struct{ shards [shards]livesShard }

type livesShard struct {
	mu sync.Mutex
	of map[job.Handle]*life
}

func (l *lives) shard(h job.Handle) *livesShard {
	return &l.shards[maphash.Comparable(seed, h)%shards]
}

// add adds a life, unless there are too many.
func (l *lives) add(h job.Handle, of *life) bool {
	s := l.shard(h)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[job.Handle]*life{}
	}
	if len(s.of) >= most {
		return false
	}
	s.of[h] = of
	return true
}

// with calls f with the life of a job, if it is known, and removes it if f reports its end.
func (l *lives) with(h job.Handle, f func(*life) (over bool)) {
	s := l.shard(h)
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.of[h]; of != nil && f(of) {
		delete(s.of, h)
	}
}
