package shim

import (
	"context"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// Face has only the methods that are the same in all shims built on [Through]. A shim that
// embedded a Through would also export methods with which users could run and abandon the
// work of others.
type Face struct{ Through *Through }

// Shutdown implements [schedulers.Shutdowner].
func (f Face) Shutdown(ctx context.Context) error {
	return f.Through.Tally.Shutdown(ctx, f.Through.GiveUpAll)
}

// Beneath implements [schedulers.Layered].
func (f Face) Beneath() schedulers.Scheduler { return f.Through.over }

// StartTimer implements [schedulers.Timers]; see [Clock].
func (f Face) StartTimer(t *schedulers.Timer, d time.Duration) { f.Through.StartTimer(t, d) }

// StopTimer implements [schedulers.Timers].
func (f Face) StopTimer(t *schedulers.Timer) bool { return f.Through.StopTimer(t) }

// Metrics implements [schedulers.Meter].
func (f Face) Metrics() schedulers.Metrics { return f.Through.Metrics() }

// Snapshot implements [schedulers.Snapshotter]: the queued work, oldest first.
func (f Face) Snapshot() []schedulers.Work { return f.Through.Snapshot() }
