// Two pieces of advice for user-mode scheduling, in numbers. First, make few blocking
// calls: each marked call costs an activation of the scheduler and a turn in the queue.
// Second, make no assumption about the thread: a worker continues on whichever thread
// picks it.
//
// The document behind it, step by step: docs/sources/ums.md.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/ums"
)

// work is a function as a work item.
type work func(on *ums.Worker)

func (f work) Run(on schedulers.Worker) { f(on.(*ums.Worker)) }
func (f work) Abandon(error)            {}

// activations runs one worker on one thread and returns how often the thread had
// to decide.
func activations(body func(*ums.Worker)) (n int) {
	s := ums.New(1, ums.Observe(func(e ums.Event) {
		if e.Step == ums.Activated {
			n++
		}
	}))
	submit(s, body)
	if err := s.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	return n
}

// placed records how often each thread executed each worker.
type placed struct {
	mu sync.Mutex
	at map[int]map[int]bool // worker → threads
}

func (p *placed) note(e ums.Event) {
	if e.Step != ums.Executed {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at[e.Worker] == nil {
		p.at[e.Worker] = map[int]bool{}
	}
	p.at[e.Worker][e.Thread] = true
}

// moves runs a worker on two threads, one of which is occupied at a time, and
// returns the number of threads that it has run on.
func moves() int {
	p := &placed{at: map[int]map[int]bool{}}
	s := ums.New(2, ums.Observe(p.note))
	done := make(chan struct{})
	submit(s, func(w *ums.Worker) {
		defer close(done)
		var first, second func()
		w.Call(func() { first = occupy(s) }) // continues on the remaining thread
		w.Call(func() {
			second = occupy(s) // which is occupied now, too
			first()            // so the worker continues on the other one
		})
		second()
	})
	<-done
	if err := s.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	return len(p.at[1])
}

// occupy returns when a thread of s is occupied. It returns the function that frees the
// thread.
func occupy(s *ums.Scheduler) (letGo func()) {
	occupied, open := make(chan struct{}), make(chan struct{})
	submit(s, func(*ums.Worker) {
		close(occupied)
		<-open // not marked, so the thread is not notified
	})
	<-occupied
	return func() { close(open) }
}

func submit(s *ums.Scheduler, body func(*ums.Worker)) {
	if err := s.Submit(work(body), schedulers.Hint{}); err != nil {
		fmt.Println(err)
	}
}

func main() {
	read := func() {} // a short system call, say
	each := activations(func(w *ums.Worker) {
		for range 100 {
			w.Call(read)
		}
	})
	once := activations(func(w *ums.Worker) {
		w.Call(func() {
			for range 100 {
				read()
			}
		})
	})
	fmt.Println("a worker reads a hundred times; how often its thread had to decide")
	fmt.Println("  each read is a marked call:      ", each)
	fmt.Println("  all reads are in one marked call:", once)
	fmt.Println("a worker blocks twice, each time until its thread has other work; there are two threads")
	fmt.Println("  threads that it has run for:      ", moves())
}
