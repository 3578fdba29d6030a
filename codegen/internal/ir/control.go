package ir

import (
	"go/token"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Where the machine continues: labels, jumps, suspension points, the end.

// Label is what jumps lead to.
type Label struct {
	Want string // chosen unique when first wanted
	At   int    // index of its instruction
}

// Point is one suspension point.
type Point struct {
	Call    token.Pos
	Kind    source.Kind
	Want    string    // stem of the field's name
	Asleep  *Variable // KindSleep: whether it has to be waited for
	Held    *Variable // the suspended callee, or what is awaited; nil for Yield and SwitchTo
	Sched   Rope      // SwitchTo: where to
	Loop    *Variable // a range over a function, of which method is called
	Method  string
	Number  int     // value of State while suspended here
	Resume  *Label  // where to continue after a suspension
	Resumed *Label  // where to continue without one; nil: the same place
	Stale   []*Slot // the fields to empty when it suspends here
}

// Branch jumps if a condition holds, or if it does not.
type Branch struct {
	Cond Rope
	Not  bool
	Turn *Edit // makes the opposite of cond, if that is a comparison with one
	To   *Label
}

// Refs calls use for the variables in the condition.
func (i *Branch) Refs(use, _ func(*Variable)) { i.Cond.Uses(use) }

// Targets is the label.
func (i *Branch) Targets() []*Label { return []*Label{i.To} }

// Falls is true.
func (i *Branch) Falls() bool { return true }

// Jump goes to a label.
type Jump struct{ To *Label }

// Refs calls nothing.
func (i *Jump) Refs(_, _ func(*Variable)) {}

// Targets is the label.
func (i *Jump) Targets() []*Label { return []*Label{i.To} }

// Falls is false.
func (i *Jump) Falls() bool { return false }

// Mark is the position of a label.
type Mark struct {
	straight
	Label *Label
}

// Refs calls nothing.
func (i *Mark) Refs(_, _ func(*Variable)) {}

// Park is the suspension itself: it continues at the point's resumed label if there is
// nothing to wait for, or leaves MoveNext and is resumed at the other.
type Park struct{ Point *Point }

// Refs calls use for what the suspension itself needs.
func (i *Park) Refs(use, _ func(*Variable)) {
	if i.Point.Held != nil {
		use(i.Point.Held)
	}
	if i.Point.Asleep != nil {
		use(i.Point.Asleep)
	}
	if i.Point.Loop != nil {
		use(i.Point.Loop)
	}
	i.Point.Sched.Uses(use)
}

// Falls is false.
func (i *Park) Falls() bool { return false }

// Targets are the labels of the point.
func (i *Park) Targets() []*Label {
	list := []*Label{i.Point.Resume}
	if i.Point.Resumed != nil {
		list = append(list, i.Point.Resumed)
	}
	return list
}

// Finish ends the machine. The results have been assigned.
type Finish struct{ Results []*Variable }

// Refs calls use for the results.
func (i *Finish) Refs(use, _ func(*Variable)) {
	for _, v := range i.Results {
		use(v)
	}
}

// Targets is nil.
func (i *Finish) Targets() []*Label { return nil }

// Falls is false.
func (i *Finish) Falls() bool { return false }

// Dispatch is a switch or select that decides where to continue.
type Dispatch struct {
	Head    Rope
	Clauses []Clause
	Whole   bool // one of the clauses is always taken
}

// Clause is one case of it.
type Clause struct {
	Head  Rope
	Code  []Instr // before the jump
	To    *Label  // nil: the body stays
	Body  []*Span
	Stops bool // the body does not end normally
}

// Refs calls use for all that the clauses mention: which of them runs is not known.
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

// Targets are the labels of the clauses, and those of jumps out of bodies that stay.
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

// Handler says that a panic may lead to a label from anywhere.
type Handler struct {
	straight
	To *Label
}

// Refs calls nothing.
func (h *Handler) Refs(_, _ func(*Variable)) {}

// Targets is the label.
func (h *Handler) Targets() []*Label { return []*Label{h.To} }
