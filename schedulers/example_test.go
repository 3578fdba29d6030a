package schedulers_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// lifo is a scheduler of another package: its method runs all work, the newest first.
type lifo struct{ works []schedulers.Work }

func (l *lifo) Submit(w schedulers.Work, _ schedulers.Hint) error {
	if w == nil {
		return fmt.Errorf("lifo: work is nil: %w", schedulers.ErrRejected)
	}
	l.works = append(l.works, w)
	return nil
}

func (l *lifo) runAll() {
	for len(l.works) > 0 {
		newest := l.works[len(l.works)-1]
		l.works = l.works[:len(l.works)-1]
		newest.Run(nil)
	}
}

// say is work that prints.
type say string

func (s say) Run(schedulers.Worker) { fmt.Println(s) }
func (s say) Abandon(reason error)  { fmt.Println(s, "was abandoned:", reason) }

// A scheduler is one method.
func ExampleScheduler() {
	s := &lifo{}
	for _, what := range []say{"first", "second", "third"} {
		if err := s.Submit(what, schedulers.Hint{}); err != nil {
			fmt.Println(err)
		}
	}
	s.runAll()
	// Output:
	// third
	// second
	// first
}

// If a scheduler runs work with RunOn, functions that the work calls find the worker without
// a context.
func ExampleRunOn() {
	w := waiting(func() { fmt.Println("on worker", schedulers.Here().ID()) })
	schedulers.RunOn(w, &directWorker{})
	fmt.Println(schedulers.Here())
	// Output:
	// on worker 1
	// <nil>
}

// A wait without a worker finds the worker by itself.
func ExampleHere() {
	w := waiting(func() {
		if b, ok := schedulers.Here().(schedulers.Blocker); ok {
			unblock, err := b.Block()
			if err != nil {
				return // the wait would last forever
			}
			defer unblock()
		}
		fmt.Println("waits")
	})
	schedulers.RunOn(w, &directWorker{})
	// Output: waits
}

// waiting is work that is a function.
type waiting func()

func (f waiting) Run(schedulers.Worker) { f() }
func (waiting) Abandon(error)           {}

// A context determines where jobs that are started with it run.
func ExampleWith() {
	s := &lifo{}
	ctx := schedulers.With(context.Background(), s)
	fmt.Println(schedulers.FromContext(ctx) == schedulers.Scheduler(s))
	fmt.Println(schedulers.FromContext(context.Background()))
	// Output:
	// true
	// <nil>
}

// The panic of a scheduler must not end a caller that has other work to complete.
func ExampleTrySubmit() {
	err := schedulers.TrySubmit(nil, say("nothing"), schedulers.Hint{})
	fmt.Println(errors.Is(err, schedulers.ErrRejected), err)
	// Output:
	// true schedulers: no scheduler: schedulers: work was rejected
}

// Code checks for an optional capability, and has a fallback if it is missing.
func ExampleLimiter() {
	var s schedulers.Scheduler = &lifo{}
	if l, ok := s.(schedulers.Limiter); ok {
		fmt.Println("at most", l.MaxConcurrency(), "at a time")
	} else {
		fmt.Println("says nothing about a limit")
	}
	// Output:
	// says nothing about a limit
}

func ExampleFlags_Has() {
	flags := schedulers.PreferFairness | schedulers.Resumed
	fmt.Println(flags.Has(schedulers.Resumed), flags.Has(schedulers.LongRunning))
	// Output:
	// true false
}

// urgent is a scheduler on top of another one, and implements Layered.
type urgent struct{ schedulers.Scheduler }

func (u urgent) Beneath() schedulers.Scheduler { return u.Scheduler }

func ExampleSame() {
	one := &lifo{}
	ctx := schedulers.With(context.Background(), one)
	fmt.Println(dispatch.Same(dispatch.HomeOf(ctx), one))
	// Output: true
}

func ExampleRunsOn() {
	one, other := &lifo{}, &lifo{}
	var s schedulers.Layered = urgent{one}
	fmt.Println(schedulers.RunsOn(urgent{one}, one), schedulers.RunsOn(urgent{one}, other), s.Beneath() == schedulers.Scheduler(one))
	// Output: true false true
}

// here is a scheduler that runs work in Submit.
type here struct{ lifo }

func (h *here) Submit(w schedulers.Work, _ schedulers.Hint) error {
	w.Run(nil)
	return nil
}

func (h *here) RunsInPlace() bool { return true }

// A loop that wants helpers must not submit them to a scheduler that would run them on the
// goroutine of the loop.
func ExampleRunsInPlace() {
	var s dispatch.InPlacer = &here{}
	fmt.Println(s.RunsInPlace(), dispatch.RunsInPlace(urgent{&s.(*here).lifo}), dispatch.RunsInPlace(&lifo{}))
	// Output: true false false
}

// Work that waits for a channel of its own announces the wait to its scheduler.
func ExampleWait() {
	closed := make(chan struct{})
	go close(closed)
	ctx := context.Background() // with the context of a job, its worker learns of the wait
	fmt.Println(schedulers.Wait(ctx, schedulers.WorkerFrom(ctx), nil, closed))
	// Output: <nil>
}

// A scheduler keeps callbacks of its users in hooks.
func ExampleNewHook() {
	before := schedulers.OnHookPanic(func(p *schedulers.HookPanic) { fmt.Println("reported:", p) })
	defer func() { schedulers.OnHookPanic(before) }()

	onIdle := schedulers.NewHook("mine.OnIdle", func(workers int) { fmt.Println(10/workers, "work items each") })
	fmt.Println(onIdle.Call(2))
	fmt.Println(onIdle.Call(0))
	// Output:
	// 5 work items each
	// true
	// reported: the hook mine.OnIdle panicked: runtime error: integer divide by zero
	// false
}

// A hook without a parameter.
func ExampleNewHook0() {
	onWake := dispatch.NewHook0("mine.OnWake", func() { fmt.Println("work has come") })
	onWake.Call(struct{}{})
	// Output:
	// work has come
}

// A single function logs the panics of all hooks.
func ExampleOnHookPanic() {
	before := schedulers.OnHookPanic(func(p *schedulers.HookPanic) { fmt.Println(p.Hook, "has failed:", p.Value) })
	defer func() { schedulers.OnHookPanic(before) }()
	dispatch.NewHook0("mine.OnWake", func() { panic("no window") }).Call(struct{}{})
	// Output:
	// mine.OnWake has failed: no window
}
