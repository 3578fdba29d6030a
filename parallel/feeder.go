package parallel

import (
	"iter"

	"github.com/movenext/movenext/schedulers"
)

// feeder runs a sequence and gives its items to lanes. It requests an item from the
// sequence only when a lane is free for it; see [idleList].
type feeder[T, R any] struct {
	loop *asyncLoop[T, R]
	seq  iter.Seq[T]
	idle idleList[*lane[T, R]]
}

func (f *feeder[T, R]) feed() { go f.run() }

// run is the feeder's goroutine. A failure of the sequence stops the operation.
func (f *feeder[T, R]) run() {
	defer func() { f.loop.leave().Deliver(nil) }()
	f.loop.contained(f.give)
}

func (f *feeder[T, R]) give() {
	i, l := 0, f.lane()
	if l == nil {
		return
	}
	for item := range f.seq {
		l.item, l.index = item, i
		i++
		f.loop.live.Add(1)
		f.loop.submit(l, nil).Deliver(nil)
		if l = f.lane(); l == nil {
			return
		}
	}
}

// lane returns a lane that wants an item, or nil if the operation has stopped.
func (f *feeder[T, R]) lane() *lane[T, R] {
	l, _ := f.idle.get(f.loop.continues, func() *lane[T, R] { return &lane[T, R]{loop: f.loop} })
	return l
}

// next takes a lane that wants an item. The lane is submitted when there is an item for it.
func (f *feeder[T, R]) next(l *lane[T, R]) bool {
	f.idle.put(l)
	return false
}

func (f *feeder[T, R]) beforeBody(schedulers.Worker) {}

func (f *feeder[T, R]) afterBodies() { f.idle.wake() }
