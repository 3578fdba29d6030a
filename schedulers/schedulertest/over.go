package schedulertest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// RunOver runs the checks for schedulers that are put over another one
// ([schedulers.Layered]): the capabilities of the scheduler beneath must reach the work
// above. Each check is a subtest with a scheduler that make puts over the suite's own.
// [Run] checks the obligations of every scheduler, with a scheduler beneath of your
// choice.
//
// A shim may lack a capability of its own: it need not consent to anything, say. But it
// must pass on the capabilities that work uses through its worker: timers and announced
// waits concern the scheduler beneath.
func RunOver(t *testing.T, make func(tb testing.TB, beneath schedulers.Scheduler) Scheduler) {
	t.Helper()
	for _, c := range overChecks() {
		t.Run(c.name, func(t *testing.T) { c.run(&over{TB: t, make: make, beneath: newBase()}) })
	}
}

// over is the environment of a check of RunOver.
type over struct {
	testing.TB
	make    func(testing.TB, schedulers.Scheduler) Scheduler
	beneath *base
}

type overCheck struct {
	name string
	run  func(*over)
}

func overChecks() []overCheck {
	return []overCheck{
		{"the scheduler names the one beneath", saysBeneath},
		{"work sees the scheduler above as that of its worker", seesAbove},
		{"a hint names no worker of the scheduler above", hintsBeneath},
		{"a wait is announced to the worker beneath", announcesBlock},
		{"a wait for work of the scheduler above names its home to the worker beneath", announcesHome},
		{"a worker beneath that refuses a wait is heard", hearsRefusal},
		{"a worker beneath that pumps may pump", letsPump},
		{"timers are those of the scheduler beneath", passesTimers},
		{"work runs in place only if the scheduler beneath consents", asksForConsent},
		{"MaxConcurrency is not above that of the scheduler beneath", staysBelowLimit},
		{"a refusal beneath is a refusal above", passesRefusal},
		{"Shutdown leaves the scheduler beneath alone", leavesBeneathAlone},
	}
}

// inside calls f as work of a scheduler over the base, which is then shut down.
func (o *over) inside(f func(s Scheduler, on schedulers.Worker)) {
	o.Helper()
	s, ran := o.make(o.TB, o.beneath), false
	err := s.Submit(call(func(on schedulers.Worker) {
		ran = true
		f(s, on)
	}), schedulers.Hint{})
	if err != nil {
		o.Fatalf("Submit returned %v", err)
	}
	o.beneath.drain()
	if !ran {
		o.Fatal("work did not run although all work submitted beneath has")
	}
	o.end(s)
}

func (o *over) end(s Scheduler) {
	o.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(context.Background()) }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				o.Errorf("Shutdown returned %v", err)
			}
			return
		default:
			o.beneath.drain()
			runtime.Gosched()
		}
	}
}

func saysBeneath(o *over) {
	s := o.make(o.TB, o.beneath)
	switch l, ok := s.(schedulers.Layered); {
	case !ok:
		o.Error("the scheduler is not a schedulers.Layered")
	case l.Beneath() != schedulers.Scheduler(o.beneath):
		o.Errorf("Beneath returned %v", l.Beneath())
	case !schedulers.RunsOn(s, o.beneath):
		o.Error("RunsOn is false")
	}
	o.end(s)
}

func seesAbove(o *over) {
	o.inside(func(s Scheduler, on schedulers.Worker) {
		switch {
		case on == nil:
			o.Error("work was given no worker")
		case on.Scheduler() == schedulers.Scheduler(o.beneath):
			o.Error("the worker's scheduler is the one beneath: work that it starts would bypass the one above")
		case !schedulers.RunsOn(on.Scheduler(), o.beneath):
			o.Error("the worker's scheduler does not run on the one beneath")
		}
	})
}

func hintsBeneath(o *over) {
	o.inside(func(s Scheduler, on schedulers.Worker) {
		if err := s.Submit(call(func(schedulers.Worker) {}), schedulers.Hint{From: on}); err != nil {
			o.Errorf("Submit returned %v", err)
		}
	})
	for _, from := range o.beneath.hints {
		if from != nil && from != o.beneath.worker() {
			o.Errorf("a hint names a %T to the scheduler beneath, which does not know such workers", from)
		}
	}
}

func announcesBlock(o *over) {
	o.inside(func(_ Scheduler, on schedulers.Worker) {
		b, ok := on.(schedulers.Blocker)
		if !ok {
			o.Error("the worker is not a schedulers.Blocker")
			return
		}
		unblock, err := b.Block()
		if err != nil {
			o.Errorf("Block returned %v", err)
			return
		}
		unblock()
	})
	if got, want := o.beneath.told, []string{"Block", "unblock"}; !slices.Equal(got, want) {
		o.Errorf("the worker beneath was told %q, want %q", got, want)
	}
}

func announcesHome(o *over) {
	o.inside(func(s Scheduler, on schedulers.Worker) {
		b, ok := on.(dispatch.HomeBlocker)
		if !ok {
			o.Error("the worker is not a dispatch.HomeBlocker")
			return
		}
		if unblock, err := b.BlockFor(s, make(chan struct{})); err == nil {
			unblock()
		}
	})
	if got, want := o.beneath.told, []string{"BlockFor own work", "unblock"}; !slices.Equal(got, want) {
		o.Errorf("the worker beneath was told %q, want %q", got, want)
	}
}

func hearsRefusal(o *over) {
	o.beneath.refuseWaits = true
	o.inside(func(s Scheduler, on schedulers.Worker) {
		err := schedulers.Wait(context.Background(), on, s, make(chan struct{}))
		if !errors.Is(err, schedulers.ErrWouldDeadlock) {
			o.Errorf("Wait returned %v, want ErrWouldDeadlock", err)
		}
	})
}

func letsPump(o *over) {
	o.beneath.pumps = true
	done, unneeded := make(chan struct{}), make(chan struct{})
	o.inside(func(s Scheduler, on schedulers.Worker) {
		for _, f := range []func(){func() { close(done) }, func() { close(unneeded) }} {
			if err := s.Submit(call(func(schedulers.Worker) { f() }), schedulers.Hint{From: on}); err != nil {
				o.Errorf("Submit returned %v", err)
				return
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		o.beneath.idle = cancel // nothing is left to run: a wait that continued would never end
		if err := schedulers.Wait(ctx, on, s, done); err != nil {
			o.Errorf("Wait for work that is queued returned %v", err)
		}
		o.beneath.idle = nil
	})
}

func passesTimers(o *over) {
	o.inside(func(s Scheduler, _ schedulers.Worker) {
		clock, ok := s.(schedulers.Timers)
		if !ok {
			o.Error("the scheduler is not a schedulers.Timers")
			return
		}
		clock.StartTimer(&schedulers.Timer{}, time.Hour)
		clock.StopTimer(&schedulers.Timer{})
	})
	if got, want := o.beneath.told, []string{"StartTimer", "StopTimer"}; !slices.Equal(got, want) {
		o.Errorf("the scheduler beneath was told %q, want %q", got, want)
	}
}

func asksForConsent(o *over) {
	o.inside(func(s Scheduler, on schedulers.Worker) {
		c, ok := s.(schedulers.Consenter)
		if ok && c.MayRunInPlace(call(func(schedulers.Worker) {}), on) {
			o.Error("MayRunInPlace is true, but false beneath")
		}
	})
}

func staysBelowLimit(o *over) {
	o.inside(func(s Scheduler, _ schedulers.Worker) {
		l, ok := s.(schedulers.Limiter)
		if !ok {
			return
		}
		if n, most := l.MaxConcurrency(), o.beneath.MaxConcurrency(); n < 1 || n > most {
			o.Errorf("MaxConcurrency is %d, and %d beneath", n, most)
		}
	})
}

func passesRefusal(o *over) {
	o.beneath.refuseWork = true
	s := o.make(o.TB, o.beneath)
	err := s.Submit(call(func(schedulers.Worker) { o.Error("work ran that was refused") }), schedulers.Hint{})
	if !errors.Is(err, errBase) || !errors.Is(err, schedulers.ErrRejected) {
		o.Errorf("Submit returned %v, want an error that wraps the one from beneath", err)
	}
	o.end(s)
}

func leavesBeneathAlone(o *over) {
	o.inside(func(Scheduler, schedulers.Worker) {})
	if slices.Contains(o.beneath.told, "Shutdown") {
		o.Error("the scheduler beneath was shut down")
	}
}
