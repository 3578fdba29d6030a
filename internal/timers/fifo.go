package timers

import "github.com/movenext/movenext/schedulers"

// fifo holds timers that were armed in the order in which they expire. Timers with equally
// long sleeps or timeouts are armed in that order, and if there are many timers, most are of
// this kind. It is a queue, so arming, stopping and taking the next timer cost the same
// at any length, and access memory in order. A heap of a million goes through ten levels for
// each timer that it returns, and the sleepers of its last level are not in the cache: 0.1 µs,
// a quarter of the cost of a sleep.
//
// # A timer out of order
//
// A timer that expires before the last one of the fifo goes into the heap, so the earliest
// timer may be in either of the two. But a single timer that is set to the next day would
// then keep all others out of the fifo until that day. So when a timer arrives that expires
// before the last one of a short fifo, the fifo moves its timers to the heap and starts over
// with the new one. No timer moves more than once.
//
// # A timer that is stopped
//
// A stopped timer leaves a gap, because the timers behind it know their positions. Gaps at
// both ends are removed at once, and all gaps when they outnumber the timers: otherwise
// timeouts that are mostly stopped would fill the memory until the first of them expired. So
// a fifo has at most twice as many slots as timers, plus a chunk, and closing the gaps costs
// two steps for each timer that was stopped.
//
// # Timers of the same time
//
// Timers of the same time expire in the order of their arming, which for those in the fifo is
// their order there. So a slot needs only a pointer to its timer, half the size of an entry of
// the heap; the timer itself has its time. If the first timer of the heap and the first timer
// of the fifo have the same time, firstArmed decides. A timer that was in the heap when the fifo
// started over is the earlier one. A timer that entered the heap later expires before the
// fifo's end, so it was armed after the timers of its own time in the fifo. For that to hold,
// the end must not move to an earlier time when the last timers are stopped: a timer of that
// time could then enter the fifo, although another one in the heap was armed before it.
//
// Invariant: the timer at position p has Slot == -1-p and its time in When. The
// slots at both ends have a timer.
type fifo struct {
	chunks     []*fifoChunk // in use, the first one with the front
	front      int          // of the first slot, in the first chunk
	n          int          // slots, including gaps
	gaps       int
	origin     int   // the position of the first chunk's first slot
	last       int64 // the time of the last timer pushed since the fifo was empty
	firstArmed int64 // how many timers had been armed when the fifo got its first one, inclusive
}

// fifoChunk is as big as a chunk of the heap.
type fifoChunk [fifoSize]*schedulers.Timer

const (
	fifoBits = 6
	fifoSize = 1 << fifoBits
)

// positions is the number at which the counting of positions wraps around.
const positions = 1 << 30

// maxMove is the number of timers up to which a fifo may move its timers to the heap.
const maxMove = fifoSize

func (l *fifo) slot(i int) **schedulers.Timer {
	i += l.front
	return &l.chunks[i>>fifoBits][i&(fifoSize-1)]
}

// first returns the timer that expires first, or nil.
func (l *fifo) first() *schedulers.Timer {
	if l.n == 0 {
		return nil
	}
	return *l.slot(0)
}

// accepts reports whether a timer that expires at when may be appended.
func (l *fifo) accepts(when int64) bool { return l.n == 0 || l.last <= when }

// push appends t, which expires at when, after all others. armed is the number of
// timers that were ever armed, including t.
func (l *fifo) push(t *schedulers.Timer, when, armed int64) {
	if l.n == 0 {
		l.firstArmed = armed
	}
	if (l.front+l.n)>>fifoBits == len(l.chunks) {
		l.chunks = append(l.chunks, new(fifoChunk))
	}
	l.n++
	l.last, t.When = when, when
	l.set(l.n-1, t)
}

func (l *fifo) set(i int, t *schedulers.Timer) {
	*l.slot(i) = t
	t.Slot = -1 - (l.origin+l.front+i)&(positions-1)
}

// remove removes the timer with the given Slot, and returns it.
func (l *fifo) remove(slot int) *schedulers.Timer {
	i := (-1 - slot - l.origin - l.front) & (positions - 1)
	at := l.slot(i)
	t := *at
	t.Slot = 0
	*at = nil
	l.gaps++
	l.trim()
	if l.gaps > l.n/2 && l.n > fifoSize {
		l.close()
	}
	return t
}

// trim drops the gaps at both ends.
func (l *fifo) trim() {
	for l.n > 0 && *l.slot(l.n - 1) == nil {
		l.n--
		l.gaps--
	}
	for l.n > 0 && *l.slot(0) == nil {
		l.front++
		l.n--
		l.gaps--
		if l.front == fifoSize {
			l.dropFirst()
		}
	}
	l.dropLast()
}

// dropFirst drops the first chunk, which is used up. If there is no other chunk, it is reused
// as the last one.
func (l *fifo) dropFirst() {
	l.front = 0
	l.origin = (l.origin + fifoSize) & (positions - 1)
	if len(l.chunks) == 1 {
		return
	}
	l.chunks[0] = nil
	l.chunks = l.chunks[1:]
}

// dropLast drops the chunks behind the last slot, except one.
func (l *fifo) dropLast() {
	used := (l.front + l.n + fifoSize - 1) >> fifoBits
	for len(l.chunks) > used+1 {
		last := len(l.chunks) - 1
		l.chunks[last] = nil
		l.chunks = l.chunks[:last]
	}
}

// close closes the gaps.
func (l *fifo) close() {
	n := 0
	for i := range l.n {
		if t := *l.slot(i); t != nil {
			*l.slot(i) = nil
			l.set(n, t)
			n++
		}
	}
	l.n, l.gaps = n, 0
	l.dropLast()
}

// moveTo moves all timers into h, where arming numbers decide between equal times. The
// timers get the numbers of their slots, counted from the fifo's beginning. These are not
// greater than the numbers that the timers would have if they had been armed in the heap.
func (l *fifo) moveTo(h *heap) {
	for i := range l.n {
		if t := *l.slot(i); t != nil {
			*l.slot(i) = nil
			e := entry{when: t.When, timer: t}
			t.When = l.firstArmed + int64(i)
			h.push(e)
		}
	}
	l.n, l.gaps = 0, 0
	l.dropLast()
}
