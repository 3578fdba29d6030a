package simulation_test

import (
	"context"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/schedulertest"
	"github.com/movenext/movenext/schedulers/simulation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestConformance drives from a goroutine. The suite sees no timers: it uses real time,
// and this clock shows another.
func TestConformance(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler { return &driven{inner: simulation.New(1)} })
}

// driven is a simulation with a goroutine that drives it while work is queued.
type driven struct {
	inner *simulation.Scheduler

	mu      sync.Mutex
	driving bool
	more    bool // was submitted since the driver has looked
}

func (d *driven) Submit(w schedulers.Work, from schedulers.Hint) error {
	err := d.inner.Submit(w, from)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.more = true
		if !d.driving {
			d.driving = true
			go d.drive()
		}
	}
	return err
}

func (d *driven) drive() {
	for d.lookAgain() {
		for d.inner.Step() {
		}
	}
}

func (d *driven) lookAgain() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.driving = d.more
	d.more = false
	return d.driving
}

func (d *driven) Shutdown(ctx context.Context) error { return d.inner.Shutdown(ctx) }

func (d *driven) Metrics() schedulers.Metrics { return d.inner.Metrics() }

func (d *driven) Snapshot() []schedulers.Work { return d.inner.Snapshot() }

func (d *driven) MaxConcurrency() int { return d.inner.MaxConcurrency() }
