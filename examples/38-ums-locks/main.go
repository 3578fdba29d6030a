// A scheduler must not share a lock with its workers. The worker that holds it may be blocked,
// and continues only when the scheduler picks it; but the scheduler waits for the lock. A lock
// that knows which side calls it reports this at the first attempt. A policy that has to work
// under such a lock, here to write into the workers' log, delegates that to a worker.
//
// The document behind it, step by step: docs/sources/ums.md.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/ums"
)

// work is a function as a work item.
type work func(on *ums.Worker)

func (f work) Run(on schedulers.Worker) { f(on.(*ums.Worker)) }
func (f work) Abandon(error)            {}

// log belongs to the workers.
type log struct{ lock ums.Mutex }

func (l *log) print(side ums.Side, text string) error {
	if err := l.lock.Lock(side); err != nil {
		return err
	}
	defer l.lock.Unlock()
	fmt.Println("log:", text)
	return nil
}

// policy is first in, first out, and wants to log the first worker.
type policy struct {
	s     *ums.Scheduler
	log   *log
	ready []*ums.Worker
	tried bool
}

func (p *policy) Ready(w *ums.Worker) {
	p.ready = append(p.ready, w)
	if p.tried {
		return
	}
	p.tried = true
	if err := p.log.print(ums.SchedulerSide, "never printed"); err != nil {
		fmt.Println("the policy is told:", err)
	}
	err := p.s.Delegate(func(d *ums.Worker) {
		d.Call(func() { // marked, so that the thread continues if this waits for the lock
			if err := p.log.print(ums.WorkerSide, "a worker was ready, says the policy by a worker of its own"); err != nil {
				fmt.Println(err)
			}
		})
	})
	if err != nil {
		fmt.Println(err)
	}
}

func (p *policy) Next() *ums.Worker {
	if len(p.ready) == 0 {
		return nil
	}
	w := p.ready[0]
	p.ready = p.ready[1:]
	return w
}

func main() {
	l := &log{}
	if err := l.print(ums.WorkerSide, "begins"); err != nil { // now it is the workers' lock
		fmt.Println(err)
	}
	p := &policy{log: l}
	p.s = ums.New(1, ums.Decide(p))
	done := make(chan struct{})
	err := p.s.Submit(work(func(*ums.Worker) {
		defer close(done)
		if err := l.print(ums.WorkerSide, "a worker runs"); err != nil {
			fmt.Println(err)
		}
	}), schedulers.Hint{})
	if err != nil {
		fmt.Println(err)
	}
	<-done
	fmt.Println("shut down:", p.s.Shutdown(context.Background()))
}
