package ir

import (
	"go/token"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Where the machine continues: labels, jumps, suspension points, the end.

// Label is the target of jumps.
type Label struct {
	Want string // preferred name, made unique when the label is first used
	At   int    // index of its instruction
}

// Point is a suspension point.
type Point struct {
	Call    token.Pos
	Kind    source.Kind
	Asleep  *Variable // KindSleep: whether the machine has to wait
	Held    *Variable // the suspended callee or the awaited value; nil for Yield and SwitchTo
	Awaited *Variable // KindAwaitJob: the awaited job, until the machine suspends and Held has it
	Move    Rope      // SwitchTo: the context and the target scheduler
	Loop    *Variable // a range over a function, whose method the point calls
	Method  string
	Number  int     // value of State while suspended here
	Resume  *Label  // where to continue after a suspension
	Resumed *Label  // where to continue without one; nil: the same place
	Stale   []*Slot // the fields to clear when it suspends here

	Nests bool // KindEnter: the callee may run an awaited job while this frame is on the stack

	// See package keep.
	Transfers bool // KindEnter: the call sends to a channel or receives from one
	Keeps     bool // its peer, if that waits, is run when the machine has suspended the next time
}

// Branch jumps if a condition holds, or if it does not.
type Branch struct {
	Cond    Rope
	Not     bool
	Inverse *Edit // inverts Cond, if that is a comparison with an opposite
	To      *Label
}

// Refs calls use for the variables in the condition.
func (i *Branch) Refs(use, _ func(*Variable)) { i.Cond.Uses(use) }

// Targets returns the label.
func (i *Branch) Targets() []*Label { return []*Label{i.To} }

// Falls returns true.
func (i *Branch) Falls() bool { return true }

// Jump goes to a label.
type Jump struct{ To *Label }

// Refs calls nothing.
func (i *Jump) Refs(_, _ func(*Variable)) {}

// Targets returns the label.
func (i *Jump) Targets() []*Label { return []*Label{i.To} }

// Falls returns false.
func (i *Jump) Falls() bool { return false }

// Mark is the position of a label.
type Mark struct {
	straight
	Label *Label
}

// Refs calls nothing.
func (i *Mark) Refs(_, _ func(*Variable)) {}

// Park is the suspension itself. If there is nothing to wait for, it continues at the point's
// Resumed label. Otherwise it leaves MoveNext, and the machine is resumed at Resume.
type Park struct{ Point *Point }

// Refs calls use for the variables that the suspension itself needs, and def for the field that
// it fills.
func (i *Park) Refs(use, def func(*Variable)) {
	switch p := i.Point; {
	case p.Awaited != nil:
		use(p.Awaited)
		def(p.Held)
	case p.Held != nil:
		use(p.Held)
	}
	if i.Point.Asleep != nil {
		use(i.Point.Asleep)
	}
	if i.Point.Loop != nil {
		use(i.Point.Loop)
	}
	i.Point.Move.Uses(use)
}

// Falls returns false.
func (i *Park) Falls() bool { return false }

// Targets returns the labels of the point.
func (i *Park) Targets() []*Label {
	list := []*Label{i.Point.Resume}
	if i.Point.Resumed != nil {
		list = append(list, i.Point.Resumed)
	}
	return list
}

// Finish ends the machine. The results have been assigned.
type Finish struct {
	Results   []*Variable
	Publishes bool // the run may keep a chain; see package keep
}

// Refs calls use for the results.
func (i *Finish) Refs(use, _ func(*Variable)) {
	for _, v := range i.Results {
		use(v)
	}
}

// Targets returns nil.
func (i *Finish) Targets() []*Label { return nil }

// Falls returns false.
func (i *Finish) Falls() bool { return false }

// Dispatch is a switch or select that decides where to continue.
type Dispatch struct {
	Head    Rope
	Clauses []Clause
	Whole   bool // exactly one of the clauses is always taken
}

// Clause is one case of a Dispatch.
type Clause struct {
	Head  Rope
	Code  []Instr // before the jump
	To    *Label  // nil: the body stays in the statement
	Body  []*Span
	Stops bool // the body does not end normally
}

// Refs calls use for all variables in the clauses, since it is not known which clause runs.
func (d *Dispatch) Refs(use, _ func(*Variable)) {
	d.Head.Uses(use)
	for _, c := range d.Clauses {
		c.Head.Uses(use)
		for _, i := range c.Code {
			i.Refs(use, use)
		}
		for _, s := range c.Body {
			s.Uses(use)
		}
	}
}

// Targets returns the labels of the clauses, and those of jumps out of bodies that stay.
func (d *Dispatch) Targets() []*Label {
	var list []*Label
	for _, c := range d.Clauses {
		if c.To != nil {
			list = append(list, c.To)
		}
		for _, s := range c.Body {
			list = append(list, s.jumps()...)
		}
	}
	return list
}

// Falls reports whether a body that stays may end normally, or no clause may be taken.
func (d *Dispatch) Falls() bool {
	for _, c := range d.Clauses {
		if c.To == nil && !c.Stops {
			return true
		}
	}
	return !d.Whole
}

// Borrows implements [Borrower].
func (d *Dispatch) Borrows(f func(*Variable)) {
	d.Head.Borrows(f)
	for _, c := range d.Clauses {
		c.Head.Borrows(f)
		for _, s := range c.Body {
			s.Borrows(f)
		}
	}
}

// Handler says that a panic anywhere may continue at a label.
type Handler struct {
	straight
	To *Label
}

// Refs calls nothing.
func (h *Handler) Refs(_, _ func(*Variable)) {}

// Targets returns the label.
func (h *Handler) Targets() []*Label { return []*Label{h.To} }
