//go:build interleave

package coord

import (
	"errors"
	"math"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/job"
)

// exploreWatcher runs a select's watcher on an unbounded channel, concurrently with the
// goroutines that program adds. At rest no watcher waits while there is something to
// receive, or never will be.
func exploreWatcher(t *testing.T, program func(s *interleave.Schedule, x *exchange)) {
	t.Helper()
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		x := new(exchange)
		x.channel.capacity = math.MaxInt
		var watcher job.Handle
		s.Go("watcher", func() { watcher, _ = OnReceive(&x.channel, nil).watch() })
		program(s, x)
		return func() error {
			if !watcher.IsCompleted() && (x.channel.Len() > 0 || x.closed) {
				return errors.New("a watcher waits though there is something to receive")
			}
			return x.check()
		}
	})
}

func TestInterleavingsOfAWatcherAndASender(t *testing.T) {
	exploreWatcher(t, func(s *interleave.Schedule, x *exchange) {
		s.Go("sender", func() { x.send(1); x.send(2) })
		s.Go("closer", x.close)
	})
}

func TestInterleavingsOfAWatcherAndASingleReceiver(t *testing.T) {
	exploreWatcher(t, func(s *interleave.Schedule, x *exchange) {
		m := x.machine(1)
		s.Go("receiver", m.run)
		s.Go("sender", func() { x.send(1); x.send(2) })
	})
}
