package job

import (
	"sync"

	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/schedulers"
)

// lane is a scheduler that runs each work on a goroutine of its own, so many at a time.
//
// It is tempting to take a pool. But a lane is shared by all of a process, and in tests by synctest
// bubbles and the world outside of them: a worker that was started in a bubble and takes work from
// outside would run it on the bubble's clock, and break on its channels. Here a work runs in
// the bubble of who submits it; or, if it had to wait for a place, in the bubble of whose place it gets.
// And there is no timer, which would belong to the bubble where it was first set. Work that
// blocks does not feel the few hundred nanoseconds that a goroutine takes to start.
type lane struct {
	places int

	mu    sync.Mutex
	taken int
	queue []schedulers.Work // waits for a place; the oldest first
}

// Submit implements schedulers.Scheduler.
func (l *lane) Submit(w schedulers.Work, _ schedulers.Hint) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken >= l.places {
		l.queue = append(l.queue, w)
		return nil
	}
	l.taken++
	go l.run(w)
	return nil
}

func (l *lane) run(w schedulers.Work) { runloop.Once(w, nil, l.ended) }

// ended gives a place to the next. It is called though work panics, or exits.
func (l *lane) ended(bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken--
	if len(l.queue) > 0 && l.taken < l.places {
		w := l.queue[0]
		l.queue[0] = nil
		l.queue = l.queue[1:]
		l.taken++
		go l.run(w)
	}
}
