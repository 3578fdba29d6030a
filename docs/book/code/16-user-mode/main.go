// User-mode scheduling in a hundred lines: a thread that decides, workers that run only
// when they are picked, and the list on which they wait for that.
package main

import "fmt"

// scheduler is an entry point with a ready queue. No worker touches the queue, so it
// needs no lock.
type scheduler struct {
	list  *list
	ready []*worker
	alive int
	next  func(ready []*worker) (at int) // the policy
	idle  func()                         // before it waits
}

func (s *scheduler) add(name string, fn func(*worker)) {
	newWorker(s.list, name, fn)
	s.alive++
}

// entry is called each time the thread is free, with the reason.
func (s *scheduler) entry(a activation) *worker {
	switch a.reason {
	case yielded:
		s.ready = append(s.ready, a.worker)
	case ended:
		s.alive--
	}
	fmt.Print(a.reason, ": ")
	s.ready = append(s.ready, s.list.dequeue(false)...)
	if s.alive == 0 {
		fmt.Println("no worker is left")
		return nil
	}
	if len(s.ready) == 0 {
		s.idle()
		fmt.Print("(waits for the list) ")
		s.ready = s.list.dequeue(true)
	}
	at := s.next(s.ready)
	w := s.ready[at]
	s.ready = append(s.ready[:at], s.ready[at+1:]...)
	fmt.Println("picks", w.name)
	return w
}

func oldest([]*worker) int       { return 0 }
func newest(ready []*worker) int { return len(ready) - 1 }

// story runs a reader that blocks, a counter that yields, and a printer.
func story(policy func([]*worker) int) {
	disk := make(chan struct{})
	s := &scheduler{list: newList(), next: policy}
	s.idle = func() { close(disk) } // the disk answers when all others are done
	s.add("reader", func(w *worker) { w.block(func() { <-disk }) })
	s.add("counter", func(w *worker) { w.yield(); w.yield() })
	s.add("printer", func(*worker) {})
	enter(s.entry)
}

func main() {
	fmt.Println("the oldest first")
	story(oldest)
	fmt.Println("the newest first")
	story(newest)
}
