package timers

import "github.com/movenext/movenext/schedulers"

// line holds timers that were armed in the order in which they expire: all timers whose
// sleeps or timeouts are equally long, which is most of a crowd. It is a queue, so that
// arming, stopping and taking the next timer cost the same at any length, and touch
// memory in order. A heap of a million goes through ten levels for each timer that it
// hands out, and the sleepers of its last level are not in the cache: 0.1 µs, a quarter
// of the cost of a sleep.
//
// # A timer that comes out of order
//
// A timer that expires before the last one of the line goes into the heap, so the
// earliest timer may be in either of the two. But a single timer that is set to
// the next day would then keep the line for itself until that day. So a short
// line moves its timers to the heap when a timer comes that is earlier than its
// last, and begins anew with that one. No timer moves more than once.
//
// # A timer that is stopped
//
// A stopped timer leaves a gap, because the timers behind it know their
// positions. Gaps at both ends are removed at once, and all of them when there
// are more gaps than timers: otherwise timeouts that are mostly stopped would
// fill the memory until the first of them had expired. So a line has at most
// twice as many slots as timers, plus a chunk, and closing the gaps costs two
// steps for each timer that was stopped.
//
// # Timers of the same time
//
// Timers of the same time expire in the order of their arming, which for those in
// the line is their order. So a slot only needs to name its timer: half of an
// entry of the heap, and the timer itself has its time. If a timer of the heap
// comes to the front together with a timer of the line that has the same time,
// began decides. A timer that was in the heap when the line began anew comes
// first. A timer that went there later was too early for the line's end, and so
// is behind those of its own time that are in the line. For that the end must not
// move to an earlier time when the last timers are stopped: a timer of that time
// could then come into the line, behind one in the heap that was armed before it.
//
// Invariant: the timer at position p has Slot == -1-p and its time in When. The
// slots at both ends have a timer.
type line struct {
	chunks []*row // in use, the first one with the front
	front  int    // of the first slot, in the first chunk
	n      int    // slots, gaps included
	gaps   int
	origin int   // the position of the first chunk's first slot
	last   int64 // the time of the last timer since it was empty
	began  int64 // timers armed by the time the line was last empty, with its first
}

// row is as big as a chunk of the heap.
type row [rowSize]*schedulers.Timer

const (
	rowBits = 6
	rowSize = 1 << rowBits
)

// positions is where the counting of positions begins again.
const positions = 1 << 30

// short is the number of timers up to which a line moves them to the heap.
const short = rowSize

func (l *line) at(i int) **schedulers.Timer {
	i += l.front
	return &l.chunks[i>>rowBits][i&(rowSize-1)]
}

// first returns the timer that expires first, or nil.
func (l *line) first() *schedulers.Timer {
	if l.n == 0 {
		return nil
	}
	return *l.at(0)
}

// takes reports whether a timer that expires at when may be appended.
func (l *line) takes(when int64) bool { return l.n == 0 || l.last <= when }

// push appends t, which expires at when, after all others. armed is the number of
// timers that were ever armed, including t.
func (l *line) push(t *schedulers.Timer, when, armed int64) {
	if l.n == 0 {
		l.began = armed
	}
	if (l.front+l.n)>>rowBits == len(l.chunks) {
		l.chunks = append(l.chunks, new(row))
	}
	l.n++
	l.last, t.When = when, when
	l.set(l.n-1, t)
}

func (l *line) set(i int, t *schedulers.Timer) {
	*l.at(i) = t
	t.Slot = -1 - (l.origin+l.front+i)&(positions-1)
}

// remove takes out the timer whose Slot is given, and returns it.
func (l *line) remove(slot int) *schedulers.Timer {
	i := (-1 - slot - l.origin - l.front) & (positions - 1)
	at := l.at(i)
	t := *at
	t.Slot = 0
	*at = nil
	l.gaps++
	l.trim()
	if l.gaps > l.n/2 && l.n > rowSize {
		l.close()
	}
	return t
}

// trim drops the gaps at both ends.
func (l *line) trim() {
	for l.n > 0 && *l.at(l.n - 1) == nil {
		l.n--
		l.gaps--
	}
	for l.n > 0 && *l.at(0) == nil {
		l.front++
		l.n--
		l.gaps--
		if l.front == rowSize {
			l.dropFirst()
		}
	}
	l.dropLast()
}

// dropFirst drops the first chunk, which is used up; it is reused as the last one if
// there is no other.
func (l *line) dropFirst() {
	l.front = 0
	l.origin = (l.origin + rowSize) & (positions - 1)
	if len(l.chunks) == 1 {
		return
	}
	l.chunks[0] = nil
	l.chunks = l.chunks[1:]
}

// dropLast drops the chunks behind the last slot, except one.
func (l *line) dropLast() {
	used := (l.front + l.n + rowSize - 1) >> rowBits
	for len(l.chunks) > used+1 {
		last := len(l.chunks) - 1
		l.chunks[last] = nil
		l.chunks = l.chunks[:last]
	}
}

// close moves the timers together.
func (l *line) close() {
	n := 0
	for i := range l.n {
		if t := *l.at(i); t != nil {
			*l.at(i) = nil
			l.set(n, t)
			n++
		}
	}
	l.n, l.gaps = n, 0
	l.dropLast()
}

// surrender moves all timers into h, where numbers decide between equal times.
// The timers get the numbers of their slots, counted from the line's beginning,
// which are not greater than if they had been in the heap before.
func (l *line) surrender(h *heap) {
	for i := range l.n {
		if t := *l.at(i); t != nil {
			*l.at(i) = nil
			e := entry{when: t.When, timer: t}
			t.When = l.began + int64(i)
			h.push(e)
		}
	}
	l.n, l.gaps = 0, 0
	l.dropLast()
}
