package record

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// ErrFormat is wrapped by the error of [Read] if its input is not a recording, or is damaged.
var ErrFormat = errors.New("record: not a recording")

// Read reads a recording. With an error it also returns the part that it has read. The error
// wraps io.ErrUnexpectedEOF if the recording is truncated, like that of a program that was
// killed; it wraps [ErrFormat] if the recording is damaged; or it is the error of r. Read uses
// at most 128 bytes of memory for each byte of its input, whatever that is, and blocks as long
// as r does. The texts of the result have only characters that are printed.
func Read(r io.Reader) (*Recording, error) {
	input, failed := io.ReadAll(r)
	if failed != nil && len(input) < len(header) {
		return newDecoder(nil, nil, nil).result(failed)
	}
	// An event of three bytes becomes one of two hundred, and a list that grows is copied again
	// and again. So the first pass counts what the second one keeps.
	counted := newDecoder(input, failed, nil)
	_ = counted.run() // the second pass returns the same error
	kept := newDecoder(input, failed, counted)
	return kept.result(kept.run())
}

// newDecoder returns a decoder of an input, behind which reading has failed. counted has counted
// the entries of the same input; without it the decoder counts, and keeps no events.
func newDecoder(input []byte, failed error, counted *decoder) *decoder {
	d := &decoder{in: bytes.NewReader(input), failed: failed, counts: counted == nil}
	if counted != nil {
		d.texts, d.places = make([]string, 0, len(counted.texts)), make([]schedulers.Place, 0, len(counted.places))
		d.Schedulers, d.Subjects = make([]string, 0, len(counted.Schedulers)), make([]Subject, 0, len(counted.Subjects))
		if counted.events > 0 {
			d.Events = make([]Event, 0, counted.events)
		}
	}
	d.texts, d.places = append(d.texts, ""), append(d.places, schedulers.Place{})
	d.Schedulers, d.Subjects = append(d.Schedulers, "none"), append(d.Subjects, Subject{})
	return d
}

// run reads the header and all entries.
func (d *decoder) run() error {
	got := make([]byte, len(header))
	if _, err := io.ReadFull(d.in, got); err != nil || string(got) != header {
		return fmt.Errorf("%w: it does not begin with %q", ErrFormat, header)
	}
	for !d.over && d.err == nil {
		d.entry()
	}
	if d.err == nil {
		return nil
	}
	if errors.Is(d.err, io.EOF) || errors.Is(d.err, io.ErrUnexpectedEOF) {
		d.err = cmp.Or(d.failed, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("record: after %d events: %w", d.events, d.err)
}

func (d *decoder) result(err error) (*Recording, error) { return &d.Recording, err }

// decoder reads entries until there is an error, which it keeps: all later reads return zero.
type decoder struct {
	Recording

	in     *bytes.Reader
	failed error // why the input ends early, or nil
	counts bool  // it only counts events
	events int
	err    error
	over   bool
	texts  []string
	places []schedulers.Place
	now    time.Duration
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// uint reads a number in the format of package binary. That package's own reader does not
// distinguish a number that is too large from an error of its input.
func (d *decoder) uint() (n uint64) {
	if d.err != nil {
		return 0
	}
	for shift := 0; ; shift += 7 {
		b, err := d.in.ReadByte()
		switch {
		case err == io.EOF && shift > 0:
			err = io.ErrUnexpectedEOF
		case err == nil && shift == 63 && b > 1:
			err = fmt.Errorf("%w: a number has more than 64 bits", ErrFormat)
		}
		if err != nil {
			d.fail(err)
			return 0
		}
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

// int reads a number that fits into an int on every system.
func (d *decoder) int() int {
	n := d.uint()
	if n > math.MaxInt32 {
		d.fail(fmt.Errorf("%w: the number %d is too large", ErrFormat, n))
		return 0
	}
	return int(n)
}

// index reads a number below n.
func (d *decoder) index(n int, what string) int {
	i := d.int()
	if i >= n {
		d.fail(fmt.Errorf("%w: it refers to %s %d of %d", ErrFormat, what, i, n))
		return 0
	}
	return i
}

func (d *decoder) duration() time.Duration {
	n := d.uint()
	if n > math.MaxInt64 {
		d.fail(fmt.Errorf("%w: the time %d is too long", ErrFormat, n))
		return 0
	}
	return time.Duration(n)
}

// time reads a time, which adds up.
func (d *decoder) time() time.Duration {
	if next := d.now + d.duration(); next >= d.now {
		d.now = next
	} else {
		d.fail(fmt.Errorf("%w: it takes too long", ErrFormat))
	}
	return d.now
}

func (d *decoder) float() float64 {
	var b [8]byte
	if _, err := io.ReadFull(d.in, b[:]); err != nil {
		d.fail(err)
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
}

func (d *decoder) raw() string {
	n := d.int()
	if n > maxText+len("…") {
		d.fail(fmt.Errorf("%w: a text of %d bytes", ErrFormat, n))
		return ""
	}
	if n > d.in.Len() {
		d.fail(io.ErrUnexpectedEOF)
		return ""
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(d.in, b); err != nil {
		d.fail(err)
	}
	return truncate.Text(string(b), maxText+len("…"))
}

func (d *decoder) text() string { return d.texts[d.index(len(d.texts), "text")] }

func (d *decoder) place() schedulers.Place { return d.places[d.index(len(d.places), "place")] }

func (d *decoder) subject() int { return d.index(len(d.Subjects), "subject") }

// entry reads one entry.
func (d *decoder) entry() {
	tag, err := d.in.ReadByte()
	if err != nil {
		d.fail(err)
		return
	}
	switch {
	case tag > entryWork && tag < entryWork+kinds:
		d.work(schedulers.EventKind(tag - entryWork))
	case tag > entryLife && tag < entryLife+kinds:
		d.life(inspect.EventKind(tag - entryLife))
	default:
		d.definition(tag)
	}
}

// definition reads an entry that is not an event of a scheduler or a job. It adds an entry only
// if it was read without an error.
func (d *decoder) definition(tag byte) {
	switch tag {
	case entryEnd:
		if end := d.raw(); d.err == nil {
			d.End, d.over = end, true
		}
	case entryText:
		add(d, &d.texts, d.raw())
	case entryPlace:
		add(d, &d.places, schedulers.Place{Function: d.text(), File: d.text(), Line: d.int()})
	case entryScheduler:
		add(d, &d.Schedulers, d.text())
	case entrySubject:
		add(d, &d.Subjects, Subject{Job: d.uint(), Name: d.text(), Made: d.place()})
	case entryNote:
		d.event(Event{Time: d.time(), Note: d.text()})
	case entryValue:
		d.event(Event{Time: d.time(), Curve: d.text(), Value: d.float()})
	default:
		d.fail(fmt.Errorf("%w: an entry of the unknown kind %d", ErrFormat, tag))
	}
}

func add[T any](d *decoder, to *[]T, v T) {
	if d.err == nil {
		*to = append(*to, v)
	}
}

func (d *decoder) event(e Event) {
	if d.err != nil {
		return
	}
	d.events++
	if !d.counts {
		d.Events = append(d.Events, e)
	}
}

func (d *decoder) work(k schedulers.EventKind) {
	e := Event{Time: d.time(), Work: k, Scheduler: d.index(len(d.Schedulers), "scheduler")}
	has := d.uint()
	for _, f := range []struct {
		bit uint64
		to  *int
	}{{hasWorker, &e.Worker}, {hasProcessor, &e.Processor}, {hasQueue, &e.Queue}, {hasCount, &e.Count}} {
		if has&f.bit != 0 {
			*f.to = d.int()
		}
	}
	if has&hasTook != 0 {
		e.Took = d.duration()
	}
	if has&hasSubject != 0 {
		e.Subject = d.subject()
	}
	if has&hasPlace != 0 {
		e.Place = d.place()
	}
	d.event(e)
}

func (d *decoder) life(k inspect.EventKind) {
	e := Event{Time: d.time(), Life: k, Subject: d.subject()}
	has := d.uint()
	if has&hasStatus != 0 {
		e.Status = job.Status(min(d.uint(), math.MaxUint8))
	}
	if has&hasWhere != 0 {
		e.Place = d.place()
	}
	if has&hasWaits != 0 {
		e.Waits = d.text()
	}
	if has&hasHolder != 0 {
		e.Holder = d.text()
	}
	if has&hasOn != 0 {
		e.On = d.subject()
	}
	d.event(e)
}
