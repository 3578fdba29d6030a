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

func (f *fifo) slot(i int) **schedulers.Timer {
	i += f.front
	return &f.chunks[i>>fifoBits][i&(fifoSize-1)]
}

// first returns the timer that expires first, or nil.
func (f *fifo) first() *schedulers.Timer {
	if f.n == 0 {
		return nil
	}
	return *f.slot(0)
}

// accepts reports whether a timer that expires at when may be appended.
func (f *fifo) accepts(when int64) bool { return f.n == 0 || f.last <= when }

// push appends t, which expires at when, after all others. armed is the number of
// timers that were ever armed, including t.
func (f *fifo) push(t *schedulers.Timer, when, armed int64) {
	if f.n == 0 {
		f.firstArmed = armed
	}
	if (f.front+f.n)>>fifoBits == len(f.chunks) {
		f.chunks = append(f.chunks, new(fifoChunk))
	}
	f.n++
	f.last, t.When = when, when
	f.set(f.n-1, t)
}

func (f *fifo) set(i int, t *schedulers.Timer) {
	*f.slot(i) = t
	t.Slot = -1 - (f.origin+f.front+i)&(positions-1)
}

// remove removes the timer with the given Slot, and returns it.
func (f *fifo) remove(slot int) *schedulers.Timer {
	i := (-1 - slot - f.origin - f.front) & (positions - 1)
	at := f.slot(i)
	t := *at
	t.Slot = 0
	*at = nil
	f.gaps++
	f.trim()
	if f.gaps > f.n/2 && f.n > fifoSize {
		f.close()
	}
	return t
}

// trim drops the gaps at both ends.
func (f *fifo) trim() {
	for f.n > 0 && *f.slot(f.n - 1) == nil {
		f.n--
		f.gaps--
	}
	for f.n > 0 && *f.slot(0) == nil {
		f.front++
		f.n--
		f.gaps--
		if f.front == fifoSize {
			f.dropFirst()
		}
	}
	f.dropLast()
}

// dropFirst drops the first chunk, which is used up. If there is no other chunk, it is reused
// as the last one.
func (f *fifo) dropFirst() {
	f.front = 0
	f.origin = (f.origin + fifoSize) & (positions - 1)
	if len(f.chunks) == 1 {
		return
	}
	f.chunks[0] = nil
	f.chunks = f.chunks[1:]
}

// dropLast drops the chunks behind the last slot, except one.
func (f *fifo) dropLast() {
	used := (f.front + f.n + fifoSize - 1) >> fifoBits
	for len(f.chunks) > used+1 {
		last := len(f.chunks) - 1
		f.chunks[last] = nil
		f.chunks = f.chunks[:last]
	}
}

// close closes the gaps.
func (f *fifo) close() {
	n := 0
	for i := range f.n {
		if t := *f.slot(i); t != nil {
			*f.slot(i) = nil
			f.set(n, t)
			n++
		}
	}
	f.n, f.gaps = n, 0
	f.dropLast()
}

// moveTo moves all timers into h, where arming numbers decide between equal times. The
// timers get the numbers of their slots, counted from the fifo's beginning. These are not
// greater than the numbers that the timers would have if they had been armed in the heap.
func (f *fifo) moveTo(h *heap) {
	for i := range f.n {
		if t := *f.slot(i); t != nil {
			*f.slot(i) = nil
			e := entry{when: t.When, timer: t}
			t.When = f.firstArmed + int64(i)
			h.push(e)
		}
	}
	f.n, f.gaps = 0, 0
	f.dropLast()
}
