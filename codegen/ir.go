package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
)

// The intermediate form of one function: a flat list of instructions with
// labels, jumps and suspension points, as MoveNext will have them.
//
// The step between syntax and text exists for one reason: where a variable lives (in
// the frame, in MoveNext, in a block of its own) is known only after the whole function
// has been flattened. But the place decides how every mention of the variable is
// spelled. So instructions keep pieces of the source together with the places in them
// that depend on such decisions (see [span]), and are printed last.

// variable is a variable of the source that outlives the statement it is
// declared in, or a temporary of the lowering.
type variable struct {
	obj  types.Object // nil: a temporary
	name string       // as in the source; the stem for temporaries
	typ  types.Type
	of   ast.Expr // a temporary: what it has the value of, or one of the values; may be nil

	// typeText spells the type if there is no typ: what a point keeps of its
	// callee or awaiter.
	typeText func() (string, error)

	// How the source uses it (see [facts]).
	facts

	param   bool // has its value when the machine starts
	outside bool // of a function around the literal: the parameter is the cell itself
	result  bool // must have it when the machine has ended
	passed  bool // a parameter or result of the running method: no field (see hoist_pass.go)

	// Decided by [unit.place].
	place   place
	stretch int  // inBlock: between which labels
	cell    bool // the place holds a pointer to the variable
	like    way  // of a type that cannot be named: what its type can be inferred from
	reads   int
	index   int    // among all variables
	slot    *slot  // inFrame: its field
	field   string // the field's name
	local   string // its name in MoveNext, and in function literals

	// aside: the switch that decides has a name of its own for it.
	aside bool
}

// place is where a variable lives.
type place uint8

const (
	// inBlock: declared where the source declares it, between two labels.
	inBlock place = iota
	// inMoveNext: declared before the first label, since several stretches between
	// labels mention it; its value is not needed across any suspension.
	inMoveNext
	// inFrame: a field, since its value is needed after a suspension.
	inFrame
)

// facts say how the source uses a variable.
type facts struct {
	captured  bool // by a function literal
	mutated   bool // assigned other than by its declaration
	inLiteral bool // assigned by a function literal that does not declare it
	addressed bool // its address is taken, by & or by calling a method on it
	unnamed   bool // its type cannot be named here (see unnamed.go)
}

// label is a place to jump to.
type label struct {
	want string // chosen unique when first wanted
	at   int    // index of its instruction
}

// point is one suspension point.
type point struct {
	call    token.Pos
	kind    source.Kind
	want    string    // stem of the field's name
	asleep  *variable // KindSleep: whether it has to be waited for
	held    *variable // the suspended callee, or what is awaited; nil for Yield and SwitchTo
	sched   rope      // SwitchTo: where to
	loop    *variable // a range over a function, of which method is called
	method  string
	number  int     // value of State while suspended here
	resume  *label  // where to continue after a suspension
	resumed *label  // where to continue without one; nil: the same place
	stale   []*slot // the fields to empty when it suspends here
}

// instr is one instruction. Each prints itself as one or a few lines of
// MoveNext.
type instr interface {
	// refs calls use for each variable whose value the instruction needs, and def
	// for each that it overwrites completely.
	refs(use, def func(*variable))

	// targets are the labels it may jump to.
	targets() []*label

	// falls reports whether the next instruction may follow.
	falls() bool

	print(p *printer)
}

// straight is common to instructions that just continue with the next.
type straight struct{}

func (straight) targets() []*label { return nil }
func (straight) falls() bool       { return true }

// keep is a statement of the source, printed unchanged except for mentions of variables
// that have moved.
type keep struct {
	text  span
	stops bool // it is a terminating statement
}

func (i *keep) refs(use, _ func(*variable)) { i.text.uses(use) }
func (i *keep) targets() []*label           { return i.text.jumps() }
func (i *keep) falls() bool                 { return !i.stops }

// assign gives values to variables and other places.
type assign struct {
	straight
	dst []dest
	src rope

	// whole is the statement of the source, printed unchanged if all its declarations
	// can be made there.
	whole *span

	// typed: the type of the declared variable is not that of src, so := would give it
	// a wrong type.
	typed bool

	forgets bool // it assigns nil, so that nothing is kept alive
}

// dest is one left-hand side: a variable, a place, or nothing (the blank
// identifier).
type dest struct {
	v        *variable
	declares bool // the variable begins to exist here
	place    rope
}

func (i *assign) refs(use, def func(*variable)) {
	i.src.uses(use)
	for _, t := range i.dst {
		switch {
		case t.v == nil:
			t.place.uses(use)
		case t.v.cell && !t.declares:
			use(t.v) // what it points to is assigned, not it
		default:
			def(t.v)
		}
	}
}

// zero declares variables without values.
type zero struct {
	straight
	vars  []*variable
	whole *span
	loop  bool // may be executed again: the zero values have to be assigned
}

func (i *zero) refs(_, def func(*variable)) {
	for _, v := range i.vars {
		def(v)
	}
}

// renew gives a loop variable its copy for the next iteration.
type renew struct {
	straight
	v *variable
}

func (i *renew) refs(use, def func(*variable)) { use(i.v); def(i.v) }

// do is a line that the lowering made up.
type do struct {
	straight
	line rope
}

func (i *do) refs(use, _ func(*variable)) { i.line.uses(use) }

// branch jumps if a condition holds, or if it does not.
type branch struct {
	cond rope
	expr condition // cond as syntax, if it is an expression of the source
	not  bool
	to   *label
}

func (i *branch) refs(use, _ func(*variable)) { i.cond.uses(use) }
func (i *branch) targets() []*label           { return []*label{i.to} }
func (i *branch) falls() bool                 { return true }

// jump goes to a label.
type jump struct{ to *label }

func (i *jump) refs(_, _ func(*variable)) {}
func (i *jump) targets() []*label         { return []*label{i.to} }
func (i *jump) falls() bool               { return false }

// mark is the position of a label.
type mark struct {
	straight
	label *label
}

func (i *mark) refs(_, _ func(*variable)) {}

// park is the suspension itself: it continues at the point's resumed label if there is
// nothing to wait for, or leaves MoveNext and is resumed at the other.
type park struct{ point *point }

func (i *park) refs(use, _ func(*variable)) {
	if i.point.held != nil {
		use(i.point.held)
	}
	if i.point.asleep != nil {
		use(i.point.asleep)
	}
	if i.point.loop != nil {
		use(i.point.loop)
	}
	i.point.sched.uses(use)
}

func (i *park) falls() bool { return false }
func (i *park) targets() []*label {
	list := []*label{i.point.resume}
	if i.point.resumed != nil {
		list = append(list, i.point.resumed)
	}
	return list
}

// finish ends the machine. The results have been assigned.
type finish struct{ results []*variable }

func (i *finish) refs(use, _ func(*variable)) {
	for _, v := range i.results {
		use(v)
	}
}
func (i *finish) targets() []*label { return nil }
func (i *finish) falls() bool       { return false }

// note is a comment that shows the line of the source.
type note struct {
	straight
	pos token.Pos
}

func (i *note) refs(_, _ func(*variable)) {}

// obtain gets the awaiter of an awaitable.
type obtain struct {
	straight
	p      *point
	src    rope
	result types.Type
	at     ast.Expr
}

func (i *obtain) refs(use, def func(*variable)) {
	i.src.uses(use)
	def(i.p.held)
}

func (i *obtain) borrows(f func(*variable)) { i.src.borrows(f) }
