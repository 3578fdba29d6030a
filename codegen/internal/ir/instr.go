package ir

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Instr is one instruction: one or a few lines of MoveNext.
type Instr interface {
	// Refs calls use for each variable whose value the instruction needs, and def
	// for each that it overwrites completely.
	Refs(use, def func(*Variable))

	// Targets returns the labels that it may jump to.
	Targets() []*Label

	// Falls reports whether the next instruction may follow.
	Falls() bool
}

// straight is embedded in instructions that always continue with the next one.
type straight struct{}

func (straight) Targets() []*Label { return nil }
func (straight) Falls() bool       { return true }

// Keep is a statement of the source, printed unchanged except for mentions of variables
// that have moved.
type Keep struct {
	Text  Span
	Stops bool // it is a terminating statement
}

// Refs calls use for the variables in the text of the statement.
func (i *Keep) Refs(use, _ func(*Variable)) { i.Text.Uses(use) }

// Targets returns the targets of jumps out of the statement.
func (i *Keep) Targets() []*Label { return i.Text.jumps() }

// Falls reports whether the statement may end normally.
func (i *Keep) Falls() bool { return !i.Stops }

// Assign gives values to variables, elements, fields and the like.
type Assign struct {
	straight
	Dst []Dest
	Src Rope

	// Whole is the statement of the source. It is printed unchanged if all its declarations
	// can stay there.
	Whole *Span

	// Typed means that the declared variable's type differs from that of Src, so := would
	// give it the wrong type.
	Typed bool

	Forgets bool // it assigns nil, so that the variable keeps nothing alive
	Quiet   bool // it calls a function of the runtime that neither panics nor calls the user's code
}

// Dest is one left-hand side: a variable, another assignable operand (Place), or nothing (the
// blank identifier).
type Dest struct {
	V        *Variable
	Declares bool // the variable is declared here
	Place    Rope
}

// Refs calls use for the variables in values and operands, and def for the assigned variables.
func (i *Assign) Refs(use, def func(*Variable)) {
	i.Src.Uses(use)
	for _, t := range i.Dst {
		switch {
		case t.V == nil:
			t.Place.Uses(use)
		case t.V.Cell && !t.Declares:
			use(t.V) // the cell's value is assigned, not the variable itself
		default:
			def(t.V)
		}
	}
}

// Idle reports whether the target is a variable that is never read. A parameter that is never
// read has no field, although it counts as part of the frame.
func (t Dest) Idle() bool {
	return t.V != nil && t.V.Reads == 0 && !t.V.Cell && !t.V.Result && (t.V.Place != InFrame || t.V.Param)
}

// Begins reports whether the variable has to be declared here.
func (t Dest) Begins() bool { return t.Declares && t.V.Place == InBlock && !t.Idle() }

// DeclaresHere reports whether one of the targets has to be declared here.
func (i *Assign) DeclaresHere() bool {
	for _, t := range i.Dst {
		if t.Begins() {
			return true
		}
	}
	return false
}

// OnlyNew reports whether := would declare all targets.
func (i *Assign) OnlyNew() bool {
	for _, t := range i.Dst {
		if t.Place != nil || t.V != nil && !t.Begins() && !t.Idle() {
			return false
		}
	}
	return true
}

// FitsWhole reports whether the statement can be printed as in the source.
func (i *Assign) FitsWhole() bool {
	declares := false
	for _, t := range i.Dst {
		declares = declares || t.Declares
		if t.Idle() || t.Declares && t.V.Place != InBlock {
			return false
		}
	}
	if !declares {
		return true
	}
	for _, t := range i.Dst {
		// With :=, an existing variable must be in the same block.
		if t.V != nil && t.V.Place != InBlock {
			return false
		}
	}
	return true
}

// Prefix returns the text before a variable's specification that makes it a declaration.
func (i *Assign) Prefix() string {
	if _, ok := i.Whole.Node.(*ast.ValueSpec); ok {
		return "var "
	}
	return ""
}

// Zero declares variables without values. If Whole fits, it is printed as in the source.
type Zero struct {
	straight
	Vars  []*Variable
	Whole *Span
	Loop  bool // it may run again, so the zero values have to be assigned
}

// Refs calls def for the variables.
func (i *Zero) Refs(_, def func(*Variable)) {
	for _, v := range i.Vars {
		def(v)
	}
}

// Renew gives a loop variable its copy for the next iteration.
type Renew struct {
	straight
	V *Variable
}

// Refs calls use and def for the variable.
func (i *Renew) Refs(use, def func(*Variable)) { use(i.V); def(i.V) }

// Synthetic is a line of code that the lowering made up.
type Synthetic struct {
	straight
	Line Rope
}

// Refs calls use for the variables in the line.
func (i *Synthetic) Refs(use, _ func(*Variable)) { i.Line.Uses(use) }

// SourceLine sets the source line of the instructions that follow.
type SourceLine struct {
	straight
	Pos token.Pos
}

// Refs calls nothing.
func (*SourceLine) Refs(_, _ func(*Variable)) {}

// LineComment prints a comment that shows the source line, where the code does not: a call that
// enters another machine looks like the call in the source.
type LineComment struct {
	straight
	Pos token.Pos
}

// Refs calls nothing.
func (i *LineComment) Refs(_, _ func(*Variable)) {}

// Obtain gets the awaiter of an awaitable.
type Obtain struct {
	straight
	P      *Point // its field Held receives the awaiter
	Src    Rope   // the awaitable
	Result types.Type
	At     ast.Expr // position of findings about Result
}

// Refs calls use for the awaitable and def for the awaiter.
func (i *Obtain) Refs(use, def func(*Variable)) {
	i.Src.Uses(use)
	def(i.P.Held)
}

// Borrows implements [Borrower].
func (i *Obtain) Borrows(f func(*Variable)) { i.Src.Borrows(f) }

// Deferral stores a deferred call in the frame. Like the defer statement, it evaluates the
// function value or the bound receiver, and the arguments. Source, then result:
//
//	defer r.mu.Unlock()
//
//	{
//		unlock1 := f.r.mu.Unlock
//		f.defers.Push(func(raise func()) { defer unlock1(); raise() })
//	}
//
// The native defer inside makes recover work: see package statemachine. A literal or a function
// of the file that does not call recover does not need this defer, since it could not tell the
// difference.
//
//	f.defers.PushPlain(func() { … })
type Deferral struct {
	straight
	Node  *ast.DeferStmt
	Names []string // locals for the values evaluated now
	Vals  []Rope
	Call  Rope

	// For f(g()), the names of the results of g.
	Tuple     []string
	Forwarded Rope
	Late      bool // f is evaluated by a call, so before g

	Plain bool // the call does not recover

	// For a call that suspends, instead of Call: the body of its entry, and whether that
	// uses the panic.
	Entry    Rope
	Recovers bool
}

// Refs calls use for the values evaluated here, and for the variables in the deferred call.
func (d *Deferral) Refs(use, _ func(*Variable)) {
	for _, v := range d.Vals {
		v.Uses(use)
	}
	d.Forwarded.Uses(use)
	d.Call.Uses(use)
	d.Entry.Uses(use)
}

// Borrows implements [Borrower].
func (d *Deferral) Borrows(f func(*Variable)) {
	for _, v := range d.Vals {
		v.Borrows(f)
	}
	d.Forwarded.Borrows(f)
	d.Call.Borrows(f)
	d.Entry.Borrows(f)
}
