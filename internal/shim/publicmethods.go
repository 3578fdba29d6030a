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
func (f PublicMethods) Shutdown(ctx context.Context) error {
	return f.Passthrough.Tally.Shutdown(ctx, f.Passthrough.GiveUpAll)
}

// Beneath implements [schedulers.Layered].
func (f PublicMethods) Beneath() schedulers.Scheduler { return f.Passthrough.beneath }

// StartTimer implements [schedulers.Timers]; see [Clock].
func (f PublicMethods) StartTimer(t *schedulers.Timer, d time.Duration) {
	f.Passthrough.StartTimer(t, d)
}

// StopTimer implements [schedulers.Timers].
func (f PublicMethods) StopTimer(t *schedulers.Timer) bool { return f.Passthrough.StopTimer(t) }

// Metrics implements [schedulers.Meter].
func (f PublicMethods) Metrics() schedulers.Metrics { return f.Passthrough.Metrics() }

// Snapshot implements [schedulers.Snapshotter]: the queued work, oldest first.
func (f PublicMethods) Snapshot() []schedulers.Work { return f.Passthrough.Snapshot() }
