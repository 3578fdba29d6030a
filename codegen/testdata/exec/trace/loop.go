package trace

import (
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// loop is a scheduler of one worker that never makes another: a machine that
// blocks on it instead of suspending hangs, and the test sees it.
type loop struct {
	mu     sync.Mutex
	filled sync.Cond
	queue  []schedulers.Work
	closed bool

	// spread runs each piece of work on a goroutine of its own: a plain form that waits in one for another
	// does not wait for itself.
	spread bool
}

func newLoop() *loop {
	l := &loop{}
	l.filled.L = &l.mu
	go l.work()
	return l
}

func (l *loop) Submit(w schedulers.Work, _ schedulers.Hint) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return schedulers.ErrShutdown
	}
	if l.spread {
		go w.Run(l)
		return nil
	}
	l.queue = append(l.queue, w)
	l.filled.Signal()
	return nil
}

func (l *loop) Scheduler() schedulers.Scheduler { return l }
func (l *loop) ID() int                         { return 1 }

func (l *loop) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.filled.Signal()
}

// do submits a function.
func do(s schedulers.Scheduler, f func()) {
	if err := s.Submit(task(f), schedulers.Hint{}); err != nil {
		panic(err)
	}
}

type task func()

func (f task) Run(schedulers.Worker) { f() }
func (f task) Abandon(error)         {}

// work runs what is submitted. A panic or Goexit that reaches it is a defect of
// the runtime: the crash shows it.
func (l *loop) work() {
	ended := false
	defer func() {
		if !ended {
			go l.work()
		}
	}()
	for {
		l.mu.Lock()
		for len(l.queue) == 0 && !l.closed {
			l.filled.Wait()
		}
		if len(l.queue) == 0 {
			l.mu.Unlock()
			ended = true
			return
		}
		w := l.queue[0]
		l.queue = l.queue[1:]
		l.mu.Unlock()
		w.Run(l)
	}
}
