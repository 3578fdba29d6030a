package parallel

import (
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
)

// sliceItems are the items of a slice, which lanes take themselves.
type sliceItems[T, R any] struct {
	loop  *asyncLoop[T, R]
	slice []T
	taken atomic.Int64
	lanes atomic.Int64 // how many may still be started
}

// feed starts the first lane. Lanes start the others, so no other participant has to
// stay live.
func (s *sliceItems[T, R]) feed() {
	if err := s.start(s.loop.caller); err != nil {
		s.loop.fail(err)
	}
	s.loop.leave().Deliver(nil)
}

func (s *sliceItems[T, R]) next(l *lane[T, R]) bool {
	i := s.taken.Add(1) - 1
	if i >= int64(len(s.slice)) || !s.loop.continues() { // in this order, as in loop.work
		return false
	}
	l.index, l.item = int(i), s.slice[i]
	return true
}

// beforeBody starts one more lane. If that is refused, no more are started, and the existing
// lanes do everything.
func (s *sliceItems[T, R]) beforeBody(on schedulers.Worker) {
	if s.start(on) != nil {
		s.lanes.Store(0)
	}
}

func (s *sliceItems[T, R]) afterBodies() {}

// start starts one more lane, if one more is allowed and likely to find an item. The
// caller is live.
func (s *sliceItems[T, R]) start(from schedulers.Worker) error {
	if s.taken.Load() >= int64(len(s.slice)) || s.lanes.Load() <= 0 || s.lanes.Add(-1) < 0 {
		return nil
	}
	s.loop.live.Add(1)
	err := schedulers.TrySubmit(s.loop.home, &lane[T, R]{loop: s.loop, index: none}, schedulers.Hint{From: from})
	if err != nil {
		s.loop.live.Add(-1)
	}
	return err
}
