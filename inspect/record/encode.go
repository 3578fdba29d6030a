package record

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/schedulers"
)

// encoder appends entries to a buffer, and numbers the objects that they refer to.
type encoder struct {
	out []byte

	texts      numbers[string]
	places     numbers[schedulers.Place]
	schedulers numbers[any]
	subjects   uint64 // how many there are
}

// numbers holds the numbers of written objects. When there are too many, all are forgotten, and
// an object is written again at its next mention, with a new number.
type numbers[K comparable] struct {
	byKey map[K]uint64
	last  uint64
}

// maxEntries is the maximum number of remembered numbers.
const maxEntries = 1 << 16

// number returns the number of k. If k is new, it first calls write to write it. The zero value
// has the number 0.
func (n *numbers[K]) number(k K, write func()) uint64 {
	var zero K
	if k == zero {
		return 0
	}
	if i, ok := n.byKey[k]; ok {
		return i
	}
	write()
	if n.byKey == nil || len(n.byKey) >= maxEntries {
		n.byKey = map[K]uint64{}
	}
	n.last++
	n.byKey[k] = n.last
	return n.last
}

func (e *encoder) uint(n uint64) { e.out = binary.AppendUvarint(e.out, n) }

// int writes a number from 0 to the largest that every system's int holds.
func (e *encoder) int(n int) { e.uint(bounded(n)) }

func bounded(n int) uint64 { return uint64(min(max(0, n), math.MaxInt32)) }

func (e *encoder) float(f float64) {
	e.out = binary.LittleEndian.AppendUint64(e.out, math.Float64bits(f))
}

// raw writes a text with its length.
func (e *encoder) raw(s string) {
	e.int(len(s))
	e.out = append(e.out, s...)
}

// text returns the number of a text.
func (e *encoder) text(s string) uint64 {
	s = truncate.Text(s, maxText)
	return e.texts.number(s, func() {
		e.out = append(e.out, entryText)
		e.raw(s)
	})
}

// place returns the number of a place.
func (e *encoder) place(p schedulers.Place) uint64 {
	if p.Function == "" {
		return 0
	}
	return e.places.number(p, func() {
		function, file := e.text(p.Function), e.text(p.File)
		e.out = append(e.out, entryPlace)
		e.uint(function)
		e.uint(file)
		e.int(p.Line)
	})
}

// scheduler returns the number of a scheduler. Schedulers that cannot be compared count as one if
// they have the same name.
func (e *encoder) scheduler(s schedulers.Scheduler) uint64 {
	var key any = s
	if s != nil && !reflect.ValueOf(s).Comparable() {
		key = schedulers.NameOf(s)
	}
	return e.schedulers.number(key, func() {
		n := e.text(schedulers.NameOf(s))
		e.out = append(e.out, entryScheduler)
		e.uint(n)
	})
}

// subject writes a subject and returns its number.
func (e *encoder) subject(s Subject) uint64 {
	name, made := e.text(s.Name), e.place(s.Made)
	e.out = append(e.out, entrySubject)
	e.uint(s.Job)
	e.uint(name)
	e.uint(made)
	e.subjects++
	return e.subjects
}

// fields are a set of numbers that are not zero: at most as many as an event has.
type fields struct {
	set    uint64
	values [7]uint64
	n      int
}

func (f *fields) add(bit, value uint64) {
	if value != 0 {
		f.set |= bit
		f.values[f.n] = value
		f.n++
	}
}

func (e *encoder) fields(f *fields) {
	e.uint(f.set)
	for _, v := range f.values[:f.n] {
		e.uint(v)
	}
}
