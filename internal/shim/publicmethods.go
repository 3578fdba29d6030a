package shim

import (
	"context"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// PublicMethods has only the methods that are the same in all shims built on [Passthrough]. A
// shim that embedded a Passthrough would also export methods with which users could run and
// abandon the work of others.
type PublicMethods struct{ Passthrough *Passthrough }

// Shutdown implements [schedulers.Shutdowner].
func (m PublicMethods) Shutdown(ctx context.Context) error {
	return m.Passthrough.Tally.Shutdown(ctx, m.Passthrough.GiveUpAll)
}

// Beneath implements [schedulers.Layered].
func (m PublicMethods) Beneath() schedulers.Scheduler { return m.Passthrough.beneath }

// StartTimer implements [schedulers.Timers]; see [Clock].
func (m PublicMethods) StartTimer(t *schedulers.Timer, d time.Duration) {
	m.Passthrough.StartTimer(t, d)
}

// StopTimer implements [schedulers.Timers].
func (m PublicMethods) StopTimer(t *schedulers.Timer) bool { return m.Passthrough.StopTimer(t) }

// Metrics implements [schedulers.Meter].
func (m PublicMethods) Metrics() schedulers.Metrics { return m.Passthrough.Metrics() }

// Snapshot implements [schedulers.Snapshotter]: the queued work, oldest first.
func (m PublicMethods) Snapshot() []schedulers.Work { return m.Passthrough.Snapshot() }
