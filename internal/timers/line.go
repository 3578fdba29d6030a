package timers

import "github.com/movenext/movenext/schedulers"

// line holds timers that were armed in the order in which they expire: all whose sleeps or timeouts are equally long, which
// most of a crowd are. It is a queue, so that arming one, stopping one and taking the next cost the same however many there are, and
// touch memory in its order. A heap of a million goes through ten levels for each that it hands out, and the sleepers of
// its last level are strangers to the cache: 0.1 µs, a quarter of all that a sleep costs.
//
// # A timer that comes out of order
//
// goes into the heap, where there is one more place to look at for the earliest. But one timer that is set to the next day would
// keep the line for itself until then. So a line that is short gives up its timers to the heap when one comes that is earlier
// than its last, and begins anew with that. No timer moves more than once.
//
// # A timer that is stopped
//
// leaves a gap, as those behind it know their places. Gaps at both ends go at once, and all of them when they are more than
// the timers: else timeouts that are mostly stopped would fill the memory until the first of them had expired. So a line has at most
// twice as many places as timers, beside a chunk, and closing the gaps costs each timer that was stopped two steps.
//
// Invariant: the timer at position p has Slot == -1-p. Entries at both ends have a timer.
type line struct {
	chunks []*chunk // in use, the first one with the front
	front  int      // of the first entry, in the first chunk
	n      int      // entries, gaps included
	gaps   int
	origin int // the position of the first chunk's first entry
}

// positions is where the counting of positions begins again.
const positions = 1 << 30

// short is how many timers a line gives up to the heap.
const short = chunkSize

func (l *line) at(i int) *entry {
	i += l.front
	return &l.chunks[i>>chunkBits][i&(chunkSize-1)]
}

// first returns the entry that expires first, or nil.
func (l *line) first() *entry {
	if l.n == 0 {
		return nil
	}
	return l.at(0)
}

// takes reports whether a timer that expires at when may be appended.
func (l *line) takes(when int64) bool { return l.n == 0 || l.at(l.n-1).when <= when }

// push appends e, which expires after all others.
func (l *line) push(e entry) {
	if (l.front+l.n)>>chunkBits == len(l.chunks) {
		l.chunks = append(l.chunks, new(chunk))
	}
	l.n++
	l.set(l.n-1, e)
}

func (l *line) set(i int, e entry) {
	*l.at(i) = e
	e.timer.Slot = -1 - (l.origin+l.front+i)&(positions-1)
}

// remove takes out the timer whose Slot is given, and returns it.
func (l *line) remove(slot int) *schedulers.Timer {
	i := (-1 - slot - l.origin - l.front) & (positions - 1)
	e := l.at(i)
	t := e.timer
	t.Slot = 0
	*e = entry{}
	l.gaps++
	l.trim()
	if l.gaps > l.n/2 && l.n > chunkSize {
		l.close()
	}
	return t
}

// trim drops the gaps at both ends.
func (l *line) trim() {
	for l.n > 0 && l.at(l.n-1).timer == nil {
		l.n--
		l.gaps--
	}
	for l.n > 0 && l.at(0).timer == nil {
		l.front++
		l.n--
		l.gaps--
		if l.front == chunkSize {
			l.dropFirst()
		}
	}
	l.dropLast()
}

// dropFirst drops the first chunk, which is used up; it serves again as the last one if there is no other.
func (l *line) dropFirst() {
	l.front = 0
	l.origin = (l.origin + chunkSize) & (positions - 1)
	if len(l.chunks) == 1 {
		return
	}
	l.chunks[0] = nil
	l.chunks = l.chunks[1:]
}

// dropLast drops the chunks behind the last entry, but for one.
func (l *line) dropLast() {
	used := (l.front + l.n + chunkSize - 1) >> chunkBits
	for len(l.chunks) > used+1 {
		last := len(l.chunks) - 1
		l.chunks[last] = nil
		l.chunks = l.chunks[:last]
	}
}

// close moves the entries together.
func (l *line) close() {
	n := 0
	for i := range l.n {
		if e := *l.at(i); e.timer != nil {
			*l.at(i) = entry{}
			l.set(n, e)
			n++
		}
	}
	l.n, l.gaps = n, 0
	l.dropLast()
}

// surrender moves all timers into h.
func (l *line) surrender(h *heap) {
	for i := range l.n {
		if e := *l.at(i); e.timer != nil {
			*l.at(i) = entry{}
			h.push(e)
		}
	}
	l.n, l.gaps = 0, 0
	l.dropLast()
}
