package simulation

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/movenext/movenext/schedulers"
)

// ErrDiverged is returned by Run if a replayed program does not offer the choices of
// its trace: it is another program, or something in it depends on more than the
// schedule.
var ErrDiverged = errors.New("simulation: the program does not follow the trace")

// Choice is one decision: which of several steps came next.
type Choice struct {
	Of     int // the number of options, at least 2
	Chosen int // from 0 on, in the order in which they became ready
}

// Trace is a schedule: the decisions of a simulation, in their order. A step without
// alternatives is not recorded.
type Trace []Choice

// String returns the trace as text, for a message or a file: "2/3 0/2" is the choice of
// the last of three, then of the first of two.
func (t Trace) String() string {
	parts := make([]string, len(t))
	for i, c := range t {
		parts[i] = strconv.Itoa(c.Chosen) + "/" + strconv.Itoa(c.Of)
	}
	return strings.Join(parts, " ")
}

// ParseTrace returns the trace that a text of [Trace.String] describes, or an error
// that says which part of it is not a choice.
func ParseTrace(text string) (Trace, error) {
	var t Trace
	for part := range strings.FieldsSeq(text) {
		chosen, of, _ := strings.Cut(part, "/")
		c, err1 := strconv.Atoi(chosen)
		n, err2 := strconv.Atoi(of)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("simulation: %q is not a choice: %w", part, err)
		}
		if n < 2 || c < 0 || c >= n {
			return nil, fmt.Errorf("simulation: %q is not a choice: one of 0 to %d, of at least 2", part, n-1)
		}
		t = append(t, Choice{n, c})
	}
	return t, nil
}

// choices makes decisions, by chance or by a script, and records them.
type choices struct {
	random   *rand.Rand
	script   Trace // what is left of it
	scripted bool
	chooser  schedulers.Hook[*question]
	asked    question // of the chooser: kept for its slice
	made     recording
	diverged error
}

// among returns one of 0 to n-1. offer appends the turns to choose from to a
// slice, for a chooser.
func (c *choices) among(n int, offer func([]Turn) []Turn) int {
	if n == 1 {
		return 0
	}
	var chosen int
	switch {
	case c.scripted:
		chosen = c.next(n)
	case c.chooser.IsSet():
		chosen = c.ask(offer)
	default:
		chosen = c.random.IntN(n)
	}
	c.made.add(Choice{n, chosen})
	return chosen
}

// recording is a trace that grows. One of half a million choices takes eight megabytes; a slice
// would be copied several times on its way there, and leave as much garbage.
type recording struct {
	full []Trace // of at least chunk choices each
	last Trace
}

// chunk is the least capacity of a part of a recording that is full.
const chunk = 4096

func (r *recording) add(c Choice) {
	if len(r.last) == cap(r.last) && len(r.last) >= chunk {
		r.full = append(r.full, r.last)
		r.last = make(Trace, 0, chunk)
	}
	r.last = append(r.last, c)
}

func (r *recording) len() int {
	n := len(r.last)
	for _, t := range r.full {
		n += len(t)
	}
	return n
}

// trace returns a copy.
func (r *recording) trace() Trace {
	t := make(Trace, 0, r.len())
	for _, part := range r.full {
		t = append(t, part...)
	}
	return append(t, r.last...)
}

// ask returns what the chooser chooses.
func (c *choices) ask(offer func([]Turn) []Turn) int {
	q := &c.asked
	q.turns, q.answer = offer(q.turns[:0]), 0
	if c.chooser.Call(q); q.answer < 0 || q.answer >= len(q.turns) {
		return 0
	}
	return q.answer
}

func (c *choices) next(n int) int {
	if len(c.script) == 0 {
		return 0
	}
	want := c.script[0]
	c.script = c.script[1:]
	if want.Of != n && c.diverged == nil {
		c.diverged = fmt.Errorf("%w: choice %d was one of %d, and is one of %d now", ErrDiverged, c.made.len()+1, want.Of, n)
	}
	chosen := max(0, min(want.Chosen, n-1)) // a trace made by hand may have any
	if chosen != want.Chosen && c.diverged == nil {
		c.diverged = fmt.Errorf("%w: choice %d was %d, and is one of 0 to %d", ErrDiverged, c.made.len()+1, want.Chosen, n-1)
	}
	return chosen
}
