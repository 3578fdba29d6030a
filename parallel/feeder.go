package parallel

import (
	"iter"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// feeder runs a sequence and gives its items to lanes. It asks the sequence for an item
// only when a lane is free for it.
//
// It sleeps while all lanes have bodies under way, and is woken by the first lane that
// becomes idle:
//
//	feeder                                  lane
//	  F1 no lane is idle: make ready, under mu   L1 be idle, under mu, or stop the operation
//	  F2 stopped: end                            L2 close ready if there is one, under mu
//	  F3 sleep on ready
//
// If L2 comes before F1, then L1 does too, and F1 finds the lane or F2 the stop. Else
// L2 closes what F3 sleeps on. A stop that comes from elsewhere ends the bodies'
// context, and so brings lanes to L2.
type feeder[T, R any] struct {
	of    *asyncLoop[T, R]
	seq   iter.Seq[T]
	lanes int // how many may still be made; the feeder's own

	mu    sync.Mutex
	idle  []*lane[T, R]
	ready chan struct{} // nil while the feeder is awake
}

func (f *feeder[T, R]) feed() { go f.run() }

// run is the feeder's goroutine. What the sequence does wrong stops the operation.
func (f *feeder[T, R]) run() {
	defer func() { f.of.leave().Deliver(nil) }()
	returned := false
	defer f.of.contain(&returned)
	f.give()
	returned = true
}

func (f *feeder[T, R]) give() {
	i, l := 0, f.lane()
	if l == nil {
		return
	}
	for item := range f.seq {
		l.item, l.index = item, i
		i++
		f.of.live.Add(1)
		f.of.submit(l, nil).Deliver(nil)
		if l = f.lane(); l == nil {
			return
		}
	}
}

// lane returns a lane that wants an item, or nil if the operation has stopped.
func (f *feeder[T, R]) lane() *lane[T, R] {
	for f.of.goesOn() {
		l, ready := f.idleOrNew()
		if l != nil {
			return l
		}
		if f.of.goesOn() {
			<-ready
		}
	}
	return nil
}

// idleOrNew returns a lane, or a channel that closes when one is free.
func (f *feeder[T, R]) idleOrNew() (*lane[T, R], <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.idle); n > 0 {
		l := f.idle[n-1]
		f.idle = f.idle[:n-1]
		return l, nil
	}
	if f.lanes > 0 {
		f.lanes--
		return &lane[T, R]{of: f.of}, nil
	}
	f.ready = make(chan struct{})
	return nil, f.ready
}

// next takes a lane that wants an item. It gets one by being submitted.
func (f *feeder[T, R]) next(l *lane[T, R]) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.idle = append(f.idle, l)
	return false
}

func (f *feeder[T, R]) given(schedulers.Worker) {}

func (f *feeder[T, R]) gone() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ready != nil {
		close(f.ready)
		f.ready = nil
	}
}
