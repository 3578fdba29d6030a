// A scheduler thread is bound to one completion list, but may serve any list that it has. Here
// two threads have one list each, and share a list of guests: a thread serves its own list first,
// then the guests', and waits for whichever event fires first. So the thread that has nothing
// else to do serves the guests.
//
// The document behind it, step by step: docs/sources/ums.md.
package main

import (
	"fmt"

	"github.com/movenext/movenext/schedulers/ums"
)

// thread is one scheduler thread.
type thread struct {
	name        string
	own, guests *ums.CompletionList
	quit        <-chan struct{}
	ready       []*ums.Worker
}

// collect moves workers from the lists to the ready queue: those of the guests only if the thread
// has no work of its own.
func (t *thread) collect() {
	for _, list := range []*ums.CompletionList{t.own, t.guests} {
		if len(t.ready) > 0 {
			return
		}
		for _, w := range list.Dequeue(0) {
			if w.State() != ums.Terminated {
				t.ready = append(t.ready, w)
			} else if err := w.Delete(); err != nil {
				fmt.Println(err)
			}
		}
	}
}

func (t *thread) entry(on *ums.Thread, _ ums.Activation) {
	for {
		if t.collect(); len(t.ready) > 0 {
			next := t.ready[0]
			t.ready = t.ready[1:]
			next.SetUser(t.name) // the worker can query which thread has picked it
			if err := on.Execute(next); err != nil {
				fmt.Println(err)
			}
			return
		}
		select { // no thread is idle while a list that it serves has workers
		case <-t.own.Event():
		case <-t.guests.Event():
		case <-t.quit:
			return
		}
	}
}

// run enters the scheduling mode on a goroutine, and returns the thread's list and the
// function that waits for its end.
func run(name string, guests *ums.CompletionList, quit <-chan struct{}) (own *ums.CompletionList, wait func() error) {
	own = ums.NewCompletionList()
	t := &thread{name: name, own: own, guests: guests, quit: quit}
	ended := make(chan error, 1)
	go func() { ended <- ums.EnterSchedulingMode(own, t.entry, nil) }()
	return own, func() error { return <-ended }
}

// begin makes a worker that prints which thread has picked it, and returns when that has
// happened. The worker keeps its thread until the returned function is called.
func begin(list *ums.CompletionList, what string) (end func()) {
	begun, open, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	list.NewWorker(func(w *ums.Worker) {
		fmt.Printf("%s: picked by %v\n", what, w.Information().User)
		close(begun)
		<-open // unmarked, so the thread is not notified
		close(done)
	})
	<-begun
	return func() { close(open); <-done }
}

func main() {
	guests, quit := ums.NewCompletionList(), make(chan struct{})
	a, aEnds := run("thread A", guests, quit)
	b, bEnds := run("thread B", guests, quit)

	end := begin(a, "long work of A")
	begin(b, "work of B")()
	begin(guests, "a guest, while A is busy")()
	end()

	end = begin(b, "long work of B")
	begin(guests, "a guest, while B is busy")()
	end()

	close(quit)
	fmt.Println("both threads end:", aEnds(), bEnds())
}
