package durable

import (
	"slices"
	"time"

	"github.com/movenext/movenext/durable/stores"
)

// # Signals that cannot be read
//
// A signal may have been sent by a program of another version, or by a program with a mistake. If
// it is not of the type that a Receive asks for, it must not end the instance, and must not be
// lost: it is put aside. It stays in the inbox and is listed in the checkpoint, and the function
// goes on waiting. A program with another layout tries it again. So an instance with such signals
// is due from time to time, even if no message arrives.
//
// Only the function knows the type. Received reports a signal that it cannot read by a panic,
// which ends the turn before the function has seen anything: the frame is still at its point.

// Strict as the type of a [Receive] makes it return [ErrUnreadable] for a signal whose value is
// not a T. Without it, such a signal is put aside, and the function goes on waiting.
type Strict[T any] struct{ Value T }

// value returns what a signal is read into.
func (s *Strict[T]) value() any { return &s.Value }

// strict is a *Strict.
type strict interface{ value() any }

// Aside is a signal that an instance cannot read.
type Aside struct {
	Seq  int64 // its number in the inbox
	Name string
	Key  string
	Sent time.Time
	Why  string

	Layout string // the layout of the program that could not read it
}

// maxAside limits how many signals a checkpoint lists as put aside. Others are tried whenever the
// instance runs.
const maxAside = 100

// maxWhy is the length to which the reasons are shortened, in bytes.
const maxWhy = 200

// The intervals at which an instance with signals put aside is due.
const (
	firstAside = 10 * time.Second
	mostAside  = time.Hour
)

// unreadable is the panic of Received.
type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

// putAside goes back to before the delivery of a signal that the function could not read, and
// waits again.
func (r *run) putAside(why error) (more bool, err error) {
	m := r.delivered
	r.mail.list, r.doc.Taken, r.record.Floor = r.before.list, r.before.taken, r.before.floor
	r.aside++
	r.e.log.Warn("durable: a signal is put aside", "id", r.record.ID, "function", r.f.name, "signal", m.Name, "reason", why)
	r.doc.Aside = slices.DeleteFunc(r.doc.Aside, func(a Aside) bool { return a.Seq == m.Seq })
	switch {
	case r.refuse(m, why):
	case len(r.doc.Aside) < maxAside:
		r.doc.Aside = append(r.doc.Aside, Aside{m.Seq, m.Name, m.Key, m.Sent, truncated(why.Error(), maxWhy), r.f.layout})
		r.doc.Look = 0
	}
	if r.refused == nil {
		r.refused = map[int64]bool{}
	}
	r.refused[m.Seq] = true
	return r.wait(false)
}

// isAside reports whether this program cannot read a message.
func (r *run) isAside(m stores.Message) bool {
	return r.refused[m.Seq] || slices.ContainsFunc(r.doc.Aside, func(a Aside) bool { return a.Seq == m.Seq && a.Layout == r.f.layout })
}

// triesAside reports whether this program is another than the one that put a signal aside.
func (r *run) triesAside() bool {
	return slices.ContainsFunc(r.doc.Aside, func(a Aside) bool { return a.Layout != r.f.layout })
}

// nextLook returns when the instance is due although nothing has happened: until, or earlier if
// signals are put aside.
func (r *run) nextLook(until time.Time) time.Time {
	if len(r.doc.Aside) == 0 {
		r.doc.Look = 0
		return until
	}
	r.doc.Look = min(max(firstAside, 2*r.doc.Look), mostAside)
	if at := r.e.now().Add(r.doc.Look); until.IsZero() || at.Before(until) {
		return at
	}
	return until
}
