package metrics

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// maxQueued is the maximum number of records that wait for a slow handler.
const maxQueued = 1024

// logger is one call of Log.
type logger struct {
	log     *slog.Logger
	handle  schedulers.Hook[record] // passes a record to the handler
	records chan record
	missed  atomic.Uint64
}

type record struct {
	level slog.Level
	text  string
	attrs []slog.Attr
}

// Log writes single events to a logger. A job that faults is a warning. Workers that a scheduler
// injects, and canceled jobs, are information. All other events of jobs, and the start and end of
// workers, are for debugging. Events below the logger's level cost little. [OneIn] logs only some
// of the jobs. A nil logger logs nothing. stop waits until all events heard before it are
// written; it may be called more than once.
//
// Events happen in the middle of a scheduler's work, where no handler may wait. So a separate
// goroutine writes them. If it cannot keep up, events are dropped, and the next record reports
// how many. A record at which the handler panics is lost, and the panic is reported as that of a
// hook.
func Log(to *slog.Logger, opts ...Option) (stop func()) {
	if to == nil {
		return func() {}
	}
	l := &logger{log: to, records: make(chan record, maxQueued)}
	l.handle = schedulers.NewHook("metrics.Log", func(r record) {
		to.LogAttrs(context.Background(), r.level, r.text, r.attrs...)
	})
	ended := make(chan struct{})
	go l.write(ended)
	works := schedulers.Observe(l.hearWork, schedulers.Only(schedulers.Injected, schedulers.WorkerStarted, schedulers.WorkerEnded))
	jobs := inspect.Observe(l.hearJob, inspect.Sample(sampleOf(opts)))
	return sync.OnceFunc(func() {
		works()
		jobs()
		l.records <- record{} // the last one: an event in transit finds no reader
		<-ended
	})
}

// write writes records up to an empty one. A handler that calls runtime.Goexit loses its record
// and its goroutine, and the next record has another goroutine.
func (l *logger) write(ended chan<- struct{}) {
	returned := false
	defer func() {
		if !returned {
			go l.write(ended)
		}
	}()
	l.writeRecords()
	returned = true
	close(ended)
}

func (l *logger) writeRecords() {
	for r := range l.records {
		if r.text == "" {
			return
		}
		if n := l.missed.Swap(0); n > 0 {
			r.attrs = append(r.attrs, slog.Uint64("dropped", n))
		}
		l.handle.Call(r)
	}
}

func (l *logger) add(level slog.Level, text string, attrs func() []slog.Attr) {
	if !l.log.Enabled(context.Background(), level) {
		return
	}
	select {
	case l.records <- record{level, text, attrs()}:
	default:
		l.missed.Add(1)
	}
}

func (l *logger) hearWork(e schedulers.Event) {
	level := slog.LevelDebug
	if e.Kind == schedulers.Injected {
		level = slog.LevelInfo
	}
	l.add(level, "movenext: "+e.Kind.String(), func() []slog.Attr {
		attrs := []slog.Attr{slog.String("scheduler", truncate.Name(schedulers.NameOf(e.Scheduler)))}
		if e.Worker != 0 {
			attrs = append(attrs, slog.Int("worker", e.Worker))
		}
		if e.Count != 0 {
			attrs = append(attrs, slog.Int("count", e.Count))
		}
		return attrs
	})
}

func (l *logger) hearJob(e inspect.Event) {
	level := slog.LevelDebug
	switch {
	case e.Kind != inspect.Ended:
	case e.Status == job.Faulted:
		level = slog.LevelWarn
	case e.Status == job.Canceled:
		level = slog.LevelInfo
	}
	l.add(level, "movenext: job "+e.Kind.String(), func() []slog.Attr {
		attrs := []slog.Attr{slog.Uint64("job", e.Job.ID())}
		if name := e.Job.Name(); name != "" {
			attrs = append(attrs, slog.String("name", truncate.Name(name)))
		}
		if e.Place.Function != "" {
			attrs = append(attrs, slog.String("place", truncate.Text(e.Place.String(), 1<<10)))
		}
		if e.Kind == inspect.Suspended {
			attrs = append(attrs, slog.String("waits", e.Waits))
		}
		if e.Kind == inspect.Ended {
			attrs = append(attrs, slog.String("status", e.Status.String()))
		}
		return attrs
	})
}
