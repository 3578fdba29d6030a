package schedulertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// thin is a scheduler over another one that does everything right, except for the one
// fault with which it was made. Its method set does not depend on the fault, so a scheduler
// that lacks a capability has another type.
type thin struct {
	over  schedulers.Scheduler
	fault string
}

func (s *thin) Submit(w schedulers.Work, from schedulers.Hint) error {
	if v, ok := from.From.(*guest); ok && s.fault != "hands its own workers down" {
		from.From = v.beneath
	}
	err := s.over.Submit(call(func(on schedulers.Worker) {
		switch s.fault {
		case "hands the worker beneath on":
			w.Run(on)
		case "has workers that announce nothing":
			w.Run(&silent{s, on})
		default:
			w.Run(&guest{silent{s, on}})
		}
	}), from)
	if err != nil && s.fault == "returns another error" {
		return errOther
	}
	return err
}

func (s *thin) Shutdown(ctx context.Context) error {
	if s.fault == "shuts down the scheduler beneath" {
		return s.over.(schedulers.Shutdowner).Shutdown(ctx)
	}
	return nil
}

func (s *thin) Beneath() schedulers.Scheduler {
	if s.fault == "does not name the one beneath" {
		return nil
	}
	return s.over
}

func (s *thin) StartTimer(t *schedulers.Timer, d time.Duration) {
	if s.fault != "has timers of its own" {
		s.over.(schedulers.Timers).StartTimer(t, d)
	}
}

func (s *thin) StopTimer(t *schedulers.Timer) bool {
	return s.fault != "has timers of its own" && s.over.(schedulers.Timers).StopTimer(t)
}

func (s *thin) MayRunInPlace(w schedulers.Work, by schedulers.Worker) bool {
	return s.fault == "consents without asking" || s.over.(schedulers.Consenter).MayRunInPlace(w, by)
}

func (s *thin) MaxConcurrency() int {
	if s.fault == "promises too much concurrency" {
		return 100
	}
	return s.over.(schedulers.Limiter).MaxConcurrency()
}

// silent is a worker of a thin scheduler.
type silent struct {
	of      *thin
	beneath schedulers.Worker
}

func (s *silent) Scheduler() schedulers.Scheduler { return s.of }
func (s *silent) ID() int                         { return s.beneath.ID() }

// guest is a worker that passes on the announcements of its work.
type guest struct{ silent }

func (g *guest) Block() (func(), error) { return g.beneath.(schedulers.Blocker).Block() }

func (g *guest) BlockFor(home schedulers.Scheduler, done <-chan struct{}) (func(), error) {
	if g.of.fault == "forgets whose work it awaits" {
		return g.Block()
	}
	return g.beneath.(dispatch.HomeBlocker).BlockFor(home, done)
}

func (g *guest) Pump(ctx context.Context, home schedulers.Scheduler, done <-chan struct{}) error {
	switch g.of.fault {
	case "ignores refusals":
		return nil
	case "does not pass Pump on":
		return errors.New("thin: nothing to pump")
	}
	return schedulers.Wait(ctx, g.beneath, home, done)
}

var overFaults = []fault{
	{"does not name the one beneath", "the scheduler names the one beneath"},
	{"hands the worker beneath on", "work sees the scheduler above as that of its worker"},
	{"hands its own workers down", "a hint names no worker of the scheduler above"},
	{"has workers that announce nothing", "a wait is announced to the worker beneath"},
	{"has workers that announce nothing", "a wait for work of the scheduler above names its home to the worker beneath"},
	{"forgets whose work it awaits", "a wait for work of the scheduler above names its home to the worker beneath"},
	{"ignores refusals", "a worker beneath that refuses a wait is heard"},
	{"does not pass Pump on", "a worker beneath that pumps may pump"},
	{"has timers of its own", "timers are those of the scheduler beneath"},
	{"consents without asking", "work runs in place only if the scheduler beneath consents"},
	{"promises too much concurrency", "MaxConcurrency is not above that of the scheduler beneath"},
	{"returns another error", "a refusal beneath is a refusal above"},
	{"shuts down the scheduler beneath", "Shutdown leaves the scheduler beneath alone"},
}

func TestASchedulerOverAnotherOneWithoutFaultsPasses(t *testing.T) {
	RunOver(t, func(_ testing.TB, s schedulers.Scheduler) Scheduler { return &thin{over: s} })
}

func TestEachFaultOfASchedulerOverAnotherOneIsFound(t *testing.T) {
	checks, found := map[string]overCheck{}, map[string]bool{}
	for _, c := range overChecks() {
		require.NotContains(t, checks, c.name, "two checks of one name")
		checks[c.name] = c
	}
	for _, f := range overFaults {
		t.Run(f.fault+": "+f.check, func(t *testing.T) {
			c, ok := checks[f.check]
			require.True(t, ok, "no check has this name")
			found[f.check] = true
			r := &recorder{}
			r.run(func() {
				c.run(&over{
					TB:      r,
					make:    func(_ testing.TB, s schedulers.Scheduler) Scheduler { return &thin{over: s, fault: f.fault} },
					beneath: newBase(),
				})
			})
			assert.NotEmpty(t, r.failures(), "finds nothing")
		})
	}
	assert.Len(t, found, len(checks), "each check can fail")
}
