// User-mode scheduling, by hand: an entry point that decides which worker runs, and a log of the
// reasons for its calls. The reader blocks in a marked call, so the thread is notified and runs
// the other workers. When the answer arrives, the reader does not continue by itself, but appears
// on the completion list and waits to be picked.
//
// The document behind it, step by step: docs/sources/ums.md.
package main

import (
	"fmt"
	"time"

	"github.com/movenext/movenext/schedulers/ums"
)

// scheduler has its own ready queue, first in, first out. No worker touches it, so it needs no
// lock.
type scheduler struct {
	list  *ums.CompletionList
	ready []*ums.Worker
	names map[*ums.Worker]string
	alive int
	idle  func() // called before the thread waits
}

func (s *scheduler) add(name string, fn func(*ums.Worker)) {
	s.names[s.list.NewWorker(fn)] = name
	s.alive++
}

// entry is the entry point.
func (s *scheduler) entry(t *ums.Thread, a ums.Activation) {
	switch a.Reason {
	case ums.Startup:
		fmt.Println("entry point: startup, parameter:", a.Param)
	case ums.WorkerYielded:
		fmt.Println("entry point:", s.names[a.Worker], "has yielded, parameter:", a.Param)
		s.ready = append(s.ready, a.Worker)
	case ums.WorkerBlocked:
		fmt.Println("entry point: a worker is blocked,", a.Cause)
	}
	s.drain(0)
	for s.alive > 0 {
		if len(s.ready) == 0 {
			s.idle()
			s.drain(ums.Forever)
			continue
		}
		next := s.ready[0]
		s.ready = s.ready[1:]
		if err := t.Execute(next); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println("  executes", s.names[next])
		return
	}
	fmt.Println("  no worker is left: the thread leaves the scheduling mode")
}

// drain moves the workers on the completion list to the ready queue, and cleans
// up those that have ended.
func (s *scheduler) drain(wait time.Duration) {
	for _, w := range s.list.Dequeue(wait) {
		if w.State() != ums.Terminated {
			fmt.Printf("  from the list: %s, %v\n", s.names[w], w.State())
			s.ready = append(s.ready, w)
			continue
		}
		fmt.Printf("  from the list: %s, %v, cleaned up\n", s.names[w], w.State())
		s.alive--
		if err := w.Delete(); err != nil {
			fmt.Println(err)
		}
	}
}

func main() {
	s := &scheduler{list: ums.NewCompletionList(), names: map[*ums.Worker]string{}}
	answer := make(chan string)
	s.add("reader", func(w *ums.Worker) {
		var text string
		w.Call(func() { text = <-answer })
		fmt.Println("  the reader has read:", text)
	})
	s.add("counter", func(w *ums.Worker) {
		for i := range 2 {
			w.Yield(fmt.Sprint("counted to ", i+1))
		}
	})
	s.idle = func() { // no worker is ready: now the disk answers
		fmt.Println("  waits for the list")
		answer <- "forty-two"
	}
	fmt.Println("the thread ends:", ums.EnterSchedulingMode(s.list, s.entry, "processor 0"))
}
