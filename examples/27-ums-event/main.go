// The event of a completion list fires when the list turns from empty to non-empty, so a thread
// can wait for workers and for something else in one select. It fires once, however many workers
// follow: its receiver takes all of them. And it does not fire for workers that were taken in the
// meantime.
//
// The document behind it, step by step: docs/sources/ums.md.
package main

import (
	"fmt"

	"github.com/movenext/movenext/schedulers/ums"
)

// due reports whether the list's event is due, and takes it.
func due(list *ums.CompletionList) bool {
	select {
	case <-list.Event():
		return true
	default:
		return false
	}
}

// serve is a scheduler thread that waits for workers and for commands, in one select. It
// leaves the scheduling mode when commands is closed.
func serve(list *ums.CompletionList, commands <-chan string) error {
	var ready []*ums.Worker
	return ums.EnterSchedulingMode(list, func(t *ums.Thread, _ ums.Activation) {
		for {
			for _, w := range list.Dequeue(0) {
				if w.State() != ums.Terminated {
					ready = append(ready, w)
				}
			}
			if len(ready) > 0 {
				next := ready[0]
				ready = ready[1:]
				if err := t.Execute(next); err != nil {
					fmt.Println(err)
				}
				return
			}
			select {
			case <-list.Event(): // the list is not empty: check again
			case text, open := <-commands:
				if !open {
					return
				}
				fmt.Println("the thread obeys:", text)
			}
		}
	}, nil)
}

func main() {
	list := ums.NewCompletionList()
	fmt.Println("the list is empty:     ", due(list))
	list.NewWorker(nil)
	list.NewWorker(nil)
	fmt.Println("two workers came:      ", due(list))
	fmt.Println("asked a second time:   ", due(list))
	list.Dequeue(0)
	list.NewWorker(nil)
	list.Dequeue(0)
	fmt.Println("one came and was taken:", due(list))

	commands, ended := make(chan string), make(chan error, 1)
	other := ums.NewCompletionList()
	go func() { ended <- serve(other, commands) }()
	commands <- "dim the light"
	for _, name := range []string{"Ann", "Bob"} {
		done := make(chan struct{})
		other.NewWorker(func(*ums.Worker) { fmt.Println("the thread runs:", name); close(done) })
		<-done
	}
	commands <- "lock the door"
	close(commands)
	fmt.Println("the thread ends:", <-ended)
}
