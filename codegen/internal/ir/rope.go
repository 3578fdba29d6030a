package ir

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Rope is text that is not final yet. It consists of literal text, mentions of variables, and
// spans of the source.
type Rope []Piece

// Piece is one part of a rope; exactly one of its fields is set.
type Piece struct {
	Text string
	V    *Variable
	Form Form
	Span *Span
	To   *Label
	Open Open // text that is determined last: names, imports, the spelling of types

	Idle *Dest // printed only if this target turns out to be unused
}

// Open is a part of the text that the printer spells.
type Open interface{ isOpen() }

type (
	// OwnName is a name that the generated code chooses for itself.
	OwnName uint8

	// ConstantName is the name of a constant of the function, which may have been renamed.
	ConstantName struct{ Obj types.Object }

	// ConstantValue is an expression for the value and the type of a constant.
	ConstantValue struct {
		Of *types.Const
		At ast.Node
	}

	// Imported is the name of an imported package.
	Imported struct{ Path, Preferred string }

	// Predeclared is a predeclared name, which the source may have redeclared.
	Predeclared string

	// TypeName is a type. If it cannot be named, the finding points at At; nil
	// stands for the function.
	TypeName struct {
		Type types.Type
		At   ast.Node
	}

	// TypeOfVariable is the type of a variable.
	TypeOfVariable struct{ V *Variable }

	// Nesting are the arguments of an entry for callers whose frames may be on the stack: the
	// caller's frame, its field for the callee, and the number of the point.
	Nesting struct{ Point *Point }

	// EntryName is the name of the entry that the point calls.
	EntryName struct {
		Point *Point
		Name  string // if the run does not keep the receiver
	}

	// FrameOf is the type of a literal's frame.
	FrameOf struct{ Lit *ast.FuncLit }

	// TypeArgs are type arguments in brackets. If one of the types cannot be named, nothing is
	// printed, and they are inferred.
	TypeArgs struct {
		List []types.Type
		At   ast.Node
	}

	// IfNamed is Unnamed if Type cannot be named and has a witness, and Named otherwise.
	IfNamed struct {
		Type           types.Type
		Named, Unnamed Rope
	}

	// WitnessOf is the witness of a type that cannot be named.
	WitnessOf struct{ Type types.Type }
)

// The names of the generated code: those of MoveNext, of the frame's fields, of
// entries of deferred calls.
const (
	OwnRun OwnName = iota
	OwnFrame
	OwnLoops  // f.loops
	OwnDefers // f.defers
	OwnPanicking
	OwnCallee
)

func (OwnName) isOpen()        {}
func (ConstantName) isOpen()   {}
func (ConstantValue) isOpen()  {}
func (Imported) isOpen()       {}
func (Predeclared) isOpen()    {}
func (TypeName) isOpen()       {}
func (TypeOfVariable) isOpen() {}
func (Nesting) isOpen()        {}
func (EntryName) isOpen()      {}
func (FrameOf) isOpen()        {}
func (TypeArgs) isOpen()       {}
func (IfNamed) isOpen()        {}
func (WitnessOf) isOpen()      {}

// Form is the syntactic context of a mention. It determines the spelling of a variable that lives
// behind a pointer.
type Form uint8

// The contexts.
const (
	AsValue           Form = iota // v
	AsOperand                     // the X of X.Sel, where Go follows a pointer by itself
	AsAddress                     // &v
	AsPointer                     // the cell itself, or v if it has none
	AsBorrowed                    // v in a function literal, where the frame must not be named
	AsBorrowedOperand             // the X of X.Sel there
	AsBorrowedAddress             // &v there
)

// Text returns literal text.
func Text(s string) Piece { return Piece{Text: s} }

// Use returns a mention of a variable.
func Use(v *Variable) Piece { return Piece{V: v} }

// UseAs returns a mention of a variable in the given context.
func UseAs(v *Variable, as Form) Piece { return Piece{V: v, Form: as} }

// OpenPiece returns text that the printer spells.
func OpenPiece(o Open) Piece { return Piece{Open: o} }

// TypeText returns a type. If the type cannot be named, the finding points at at; nil stands for
// the function.
func TypeText(t types.Type, pos ast.Node) Piece { return OpenPiece(TypeName{t, pos}) }

// PackageName returns the name under which the generated file imports a package: preferred, if
// that is free.
func PackageName(path, preferred string) Piece { return OpenPiece(Imported{path, preferred}) }

// OnlyIdle returns p, printed only if the target turns out to be unused.
func OnlyIdle(to Dest, p Piece) Piece {
	p.Idle = &to
	return p
}

// The names that generated code mentions most often.
var (
	RunName          = OpenPiece(OwnRun)                                    // t
	FrameName        = OpenPiece(OwnFrame)                                  // f
	LoopsName        = OpenPiece(OwnLoops)                                  // f.loops
	DefersName       = OpenPiece(OwnDefers)                                 // f.defers
	PanickingName    = OpenPiece(OwnPanicking)                              // p
	CalleeName       = OpenPiece(OwnCallee)                                 // m
	StatemachineName = PackageName(source.StatemachinePath, "statemachine") // statemachine
	GentypesName     = PackageName(source.GentypesPath, "gentypes")         // gentypes
	JobName          = PackageName(source.JobPath, "job")                   // job
	LenName          = OpenPiece(Predeclared("len"))                        // len
	NilName          = OpenPiece(Predeclared("nil"))                        // nil
)

// Uses calls use for each mention of a variable.
func (r Rope) Uses(use func(*Variable)) {
	for _, p := range r {
		p.Uses(use)
	}
}

// Uses calls use for each mention of a variable.
func (p Piece) Uses(use func(*Variable)) {
	switch {
	case p.V != nil:
		use(p.V)
	case p.Span != nil:
		p.Span.Uses(use)
	}
}

func (r Rope) jumps() []*Label {
	var list []*Label
	for _, p := range r {
		if p.Span != nil {
			list = append(list, p.Span.jumps()...)
		}
		if p.To != nil {
			list = append(list, p.To)
		}
	}
	return list
}

// Span is a node of the source with the replacements to make in its text.
type Span struct {
	Node  ast.Node
	Label string // printed before it
	Edit  []Edit // in the order of the source, not overlapping
}

// Edit replaces the source between Pos and End.
type Edit struct {
	Pos, End token.Pos
	With     Rope
	Code     []Instr // or by these instructions: a return statement
}

// Uses calls use for each mention of a variable whose value from before the span it needs.
func (s *Span) Uses(use func(*Variable)) {
	for _, e := range s.Edit {
		e.With.Uses(use)
		// a return assigns the results and ends, so it needs no old values
		given := map[*Variable]bool{}
		for _, i := range e.Code {
			i.Refs(func(v *Variable) {
				if !given[v] {
					use(v)
				}
			}, func(v *Variable) { given[v] = true })
		}
	}
}

func (s *Span) jumps() []*Label {
	var list []*Label
	for _, e := range s.Edit {
		list = append(list, e.With.jumps()...)
		for _, i := range e.Code {
			list = append(list, i.Targets()...)
		}
	}
	return list
}

// Borrows calls f for each variable that a function literal in the rope mentions. If the variable
// lives in the frame, the literal uses it under a separate name.
func (r Rope) Borrows(f func(*Variable)) {
	for _, p := range r {
		switch {
		case p.V != nil && p.Form >= AsBorrowed:
			f(p.V)
		case p.Span != nil:
			p.Span.Borrows(f)
		}
	}
}

// Borrows calls f for each variable that a function literal in the span mentions.
func (s *Span) Borrows(f func(*Variable)) {
	for _, e := range s.Edit {
		e.With.Borrows(f)
		for _, i := range e.Code {
			if b, ok := i.(Borrower); ok {
				b.Borrows(f)
			}
		}
	}
}

// Borrower is an instruction that may contain function literals.
type Borrower interface{ Borrows(f func(*Variable)) }

// Borrows implements [Borrower].
func (i *Keep) Borrows(f func(*Variable)) { i.Text.Borrows(f) }

// Borrows implements [Borrower].
func (i *Synthetic) Borrows(f func(*Variable)) { i.Line.Borrows(f) }

// Borrows implements [Borrower].
func (i *Branch) Borrows(f func(*Variable)) { i.Cond.Borrows(f) }

// Borrows implements [Borrower].
func (i *Park) Borrows(f func(*Variable)) { i.Point.Move.Borrows(f) }

// Borrows implements [Borrower].
func (i *Assign) Borrows(f func(*Variable)) {
	i.Src.Borrows(f)
	for _, t := range i.Dst {
		t.Place.Borrows(f)
	}
}

// With returns s with an additional edit.
func (s *Span) With(e Edit) *Span {
	edits := append(slices.Clone(s.Edit), e)
	slices.SortStableFunc(edits, func(a, b Edit) int { return int(a.Pos - b.Pos) })
	return &Span{Node: s.Node, Edit: edits}
}

// LastNode returns the last node of the source in a rope, or nil.
func (r Rope) LastNode() ast.Node {
	for _, part := range slices.Backward(r) {
		if part.Span != nil {
			return part.Span.Node
		}
	}
	return nil
}

// Node returns the first node of the source in a rope, or nil.
func (r Rope) Node() ast.Node {
	for _, part := range r {
		if part.Span != nil {
			return part.Span.Node
		}
	}
	return nil
}
