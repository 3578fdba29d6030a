package durable

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/stores"
)

// # One of several events
//
// A Select waits for the first of several signals, ends of children, and a time. Signals and the
// ends of children are messages in one inbox, so that the first is the one with the lowest number,
// whoever looks and when. If there are no children, a Select waits like a Receive of several
// names.
//
// Otherwise it waits like Any, whose protocol it shares (see children.go): what is chosen cancels
// the children that have not ended, and the function continues when all have. In between their
// outcomes arrive, which must not change the choice, nor must a crash:
//
//	1. starts the children, and saves the wait
//	2. finds the first message that counts, or that the time has come
//	3. saves its number, or zero
//	4. cancels the children that have not ended; saves that
//	5. continues when it has all outcomes

// Selection is the event that a [Select] has chosen.
type Selection struct {
	Signal string // its name; empty: it is a child
	Child  int    // the number of the child, from 0; -1: it is a signal
	Data   []byte // of the signal, or the result: see As
}

// As decodes the value of the signal or the result of the child that a [Select] has chosen. A
// value that is not a T is an error that matches [ErrUnreadable]; it is not put aside.
func As[T any](s Selection) (T, error) {
	v, err := decodePayload[T](s.Data)
	return v, Normalise(err)
}

// errNoEvents is the error of a Select that could never end.
var errNoEvents = errors.New("durable: a Select of no signals and no children")

// Select waits for the first of several events: a signal with one of the names, the end of one of
// the children, with a result or an error, or the end of the timeout, after which the error is
// [ErrTimeout]; after a cancellation it is [ErrCanceled]. If a child has failed, the error is its,
// and Child of the [Selection] is its number. [As] returns the value.
//
//	check := durable.Call(checkDurable, s, order)
//	got, err := durable.Select(ctx, time.Hour, []string{"yes", "no"}, check)
//
// The children run as those of [Any] do. What is chosen cancels those that have not ended, and
// Select waits until all have.
//
// In a durable function it is a point. This form is the plain one, see [Receive]: it takes a
// signal that has arrived; otherwise it calls the first child; otherwise it waits.
func Select(ctx context.Context, timeout time.Duration, signals []string, children ...Child) (Selection, error) {
	t := &turn{}
	if p, err := plainOf(ctx); err != nil {
		t.err = err
	} else {
		t.chosen, t.err = plainSelect(ctx, p, timeout, signals, children)
	}
	return t.chosen, t.err
}

// plainSelect is the plain form of Select.
func plainSelect(ctx context.Context, p gen.Plain, timeout time.Duration, signals []string, children []Child) (s Selection, err error) {
	s.Child = -1
	wait := timeout
	switch {
	case len(signals)+len(children) == 0:
		return s, Normalise(errNoEvents)
	case len(children) > 0:
		wait = 0
	}
	if len(signals) > 0 {
		s.Signal, s.Data, err = p.Receive(ctx, wait, signals...)
		if len(children) == 0 || !errors.Is(err, ErrTimeout) {
			return s, err
		}
	}
	s.Child, s.Signal = 0, ""
	s.Data, err = plainChild(ctx, children[0])
	return s, err
}

// arriveAtSelect handles the arrival at a point of Select.
func (r *run) arriveAtSelect() (more bool, err error) {
	r.doc.Signals, r.doc.Until = r.turn.signals, r.turn.until
	switch {
	case len(r.turn.signals)+len(r.turn.children) == 0:
		return r.decided(Normalise(errNoEvents))
	case len(r.turn.children) == 0:
		return r.wait(false)
	}
	return r.arriveAtChildren()
}

// wants reports whether a document waits for signals of a name.
func (doc *checkpoint) wants(name string) bool {
	return name != "" && (name == doc.Signal || slices.Contains(doc.Signals, name))
}

// decideSelect chooses the event, ends the children that have not ended, and continues when all
// have. list are the messages, and ended the outcomes among them.
func (r *run) decideSelect(list []stores.Message, ended []childOutcome) (more bool, err error) {
	j := r.doc.Join
	if !j.Chosen {
		winner, found := r.choose(list)
		if !found && !r.doc.Canceled && !r.isLate() {
			return false, r.waitForChildren()
		}
		j.Chosen, j.Winner = true, winner
		if len(ended) < len(j.Children) {
			if _, ok, err := r.saveOrStick(Running, r.e.worker, time.Time{}); !ok {
				return false, err
			}
		}
	}
	if len(ended) < len(j.Children) {
		if !j.Decided {
			if err := r.cancelChildren(ended); err != nil {
				return false, err
			}
			j.Decided = true
		}
		return false, r.waitForChildren()
	}
	chosen, failure := r.chosenOf(list, ended)
	more, err = r.resumeWith(nil, failure)
	if err == nil {
		r.turn.chosen = chosen
	}
	return more, err
}

// isLate reports whether the time of a wait has come.
func (r *run) isLate() bool { return !r.doc.Until.IsZero() && !r.e.now().Before(r.doc.Until) }

// choose returns the number of the first message that ends a Select with children. It answers
// updates that are refused.
func (r *run) choose(list []stores.Message) (seq int64, found bool) {
	for _, m := range list {
		switch {
		case !r.doc.Until.IsZero() && m.Sent.After(r.doc.Until):
		case m.Name == childSignal: // of these children: the others have been dropped
			return m.Seq, true
		case r.doc.wants(m.Name) && !r.isAside(m) && !r.refuseUpdate(m, r.updateCheck(m.Name)):
			return m.Seq, true
		}
	}
	return 0, false
}

// chosenOf returns the event that was chosen, and receives its message.
func (r *run) chosenOf(list []stores.Message, ended []childOutcome) (s Selection, failure error) {
	s.Child = -1
	n := slices.IndexFunc(list, func(m stores.Message) bool { return m.Seq == r.doc.Join.Winner })
	switch {
	case r.doc.Canceled:
		return s, ErrCanceled
	case n < 0:
		return s, ErrTimeout
	case list[n].Name != childSignal:
		s.Signal, s.Data = list[n].Name, list[n].Payload
		r.receive(list[n])
		return s, nil
	}
	var told childOutcome
	_ = parse(list[n].Payload, &told) // endedChildren has parsed it
	s.Child = r.doc.Join.find(told.ID)
	for _, c := range ended {
		if c.ID != told.ID {
			continue
		}
		if failure = c.failure(); failure == nil {
			s.Data = c.Result
		}
	}
	return s, failure
}
