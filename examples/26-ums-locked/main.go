// A worker's context is locked while a debugger inspects it. The attempt to execute it fails, and
// the entry point picks another worker instead of retrying in a loop. The system remembers the
// attempt: when the debugger releases the context, it appears on the completion list, and the
// second attempt succeeds.
//
// The document behind it, step by step: docs/sources/ums.md.
package main

import (
	"errors"
	"fmt"

	"github.com/movenext/movenext/schedulers/ums"
)

// scheduler picks in the order in which workers become ready.
type scheduler struct {
	list  *ums.CompletionList
	ready []*ums.Worker
	names map[*ums.Worker]string
	alive int
}

func (s *scheduler) add(name string, fn func(*ums.Worker)) *ums.Worker {
	w := s.list.NewWorker(fn)
	s.names[w] = name
	s.alive++
	return w
}

// entry is the entry point.
func (s *scheduler) entry(t *ums.Thread, _ ums.Activation) {
	s.drain(s.list.Dequeue(0))
	for s.alive > 0 {
		if len(s.ready) == 0 {
			s.drain(s.list.Dequeue(ums.Forever))
			continue
		}
		next := s.ready[0]
		s.ready = s.ready[1:]
		err := t.Execute(next)
		if err == nil {
			fmt.Println("executes", s.names[next])
			return
		}
		fmt.Printf("cannot execute %s, locked: %t\n", s.names[next], errors.Is(err, ums.ErrLocked))
		// It is in no queue of ours now. The list will have it again.
	}
}

func (s *scheduler) drain(ws []*ums.Worker) {
	for _, w := range ws {
		fmt.Println("from the list:", s.names[w], w.State())
		if w.State() == ums.Terminated {
			s.alive--
			continue
		}
		s.ready = append(s.ready, w)
	}
}

func main() {
	s := &scheduler{list: ums.NewCompletionList(), names: map[*ums.Worker]string{}}
	patient := s.add("the patient", func(*ums.Worker) { fmt.Println("  the patient runs") })
	release := patient.Hold() // the debugger holds the context
	s.add("the other worker", func(*ums.Worker) {
		fmt.Println("  the debugger reads:", patient.Information())
		release()
	})
	fmt.Println("the thread ends:", ums.EnterSchedulingMode(s.list, s.entry, nil))
}
