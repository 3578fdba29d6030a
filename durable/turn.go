package durable

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/durable/gen"
)

var _ gen.Turn = (*turn)(nil)

// turn is a [gen.Turn].
type turn struct {
	point int
	err   error // of the step or the wait
	got   []byte
	now   time.Time

	results [][]byte // of children

	next        int
	kind        turnKind
	signal      string
	until       time.Time
	newDeferred []deferredCall

	answers  []answerData
	children []Child
	signals  []string
	retry    *Retry    // of the step; nil: that of the engine
	policy   []byte    // retry as it is saved
	foreign  error     // the policy is no Retry
	chosen   Selection // at the point from which the function continues

	misused atomic.Bool // a step or a point was called as a plain function
}

// turnKind says what a frame requests at a point.
type turnKind uint8

const (
	turnNothing turnKind = iota // MoveNext returned without a request
	turnStep
	turnReceive
	turnSleep
	turnAll
	turnAny
	turnSelect
	turnReturn
)

// deferredCall is a compensation that the function has deferred.
type deferredCall struct {
	site int
	args any // a pointer
}

func (t *turn) Point() int { return t.point }

func (t *turn) Err() error { return t.err }

func (t *turn) Step(point int) bool {
	t.next, t.kind = point, turnStep
	return false
}

func (t *turn) StepRetry(point int, policy any) bool {
	r, ok := policy.(Retry)
	if !ok {
		t.foreign = fmt.Errorf("durable: the policy of a step is a Retry, and not a %T", policy)
	}
	t.retry = &r
	return t.Step(point)
}

func (t *turn) Receive(point int, name string, timeout time.Duration) bool {
	t.next, t.kind, t.signal, t.until = point, turnReceive, name, t.deadline(timeout)
	return false
}

func (t *turn) Sleep(point int, d time.Duration) bool {
	t.next, t.kind, t.until = point, turnSleep, t.deadline(d)
	return false
}

// deadline returns the time of the engine's clock at which d ends; zero: never.
func (t *turn) deadline(d time.Duration) time.Time {
	if d == Forever {
		return time.Time{}
	}
	return t.now.Add(max(d, 0))
}

func (t *turn) Defer(site int, args any) {
	t.newDeferred = append(t.newDeferred, deferredCall{site, args})
}

func (t *turn) Return() bool {
	t.kind = turnReturn
	return true
}

func (t *turn) All(point int, children any) bool {
	t.next, t.kind, t.children = point, turnAll, childrenOf(children)
	return false
}

func (t *turn) Any(point int, children any) bool {
	t.next, t.kind, t.children = point, turnAny, childrenOf(children)
	return false
}

func (t *turn) Select(point int, timeout time.Duration, signals []string, children any) bool {
	t.next, t.kind, t.signals, t.children, t.until = point, turnSelect, slices.Clone(signals), childrenOf(children), t.deadline(timeout)
	return false
}

// childrenOf returns the children that a frame requests.
func childrenOf(children any) []Child {
	list, ok := children.([]Child)
	if !ok {
		return []Child{{err: fmt.Errorf("durable: a point waits for children, and not for a %T", children)}}
	}
	return list
}

// Received reads the signal. If it cannot be read, Received panics: see aside.go.
func (t *turn) Received(into any) error {
	if t.err != nil {
		return t.err
	}
	err := decodePayloadInto(t.got, into)
	if _, ok := into.(strict); err != nil && !ok {
		panic(unreadable{err})
	}
	return Normalise(err)
}

func (t *turn) Chosen(into any) error {
	s, ok := into.(*Selection)
	if !ok {
		return fmt.Errorf("durable: what a Select has chosen is a Selection, and not a %T", into)
	}
	*s = t.chosen
	return t.err
}

func (t *turn) Results() (n int, err error) { return len(t.results), t.err }

func (t *turn) Result(n int, into any) error { return decodePayloadInto(t.results[n], into) }
