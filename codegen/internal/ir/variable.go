package ir

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/typeset"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Variable is a variable of the source that outlives the statement that declares it, or a
// temporary of the lowering.
type Variable struct {
	Obj  types.Object // nil: a temporary
	Name string       // as in the source; the stem for temporaries
	Type types.Type
	Of   ast.Expr // for a temporary: the expression whose value it holds; may be nil

	// Spelled is the type if Type is nil: for the callee or awaiter that a point keeps.
	Spelled Rope

	// How the source uses it (see [Usage]).
	Usage

	Param   bool // it has its value when the machine starts
	Outside bool // belongs to a function around the literal: the parameter is the cell itself
	Result  bool // it must have its value when the machine has ended
	Passed  bool // a parameter or result of the running method, without a field

	// Set by placing.
	Place   Place
	Stretch int  // InBlock: between which labels
	Cell    bool // the place holds a pointer to the variable
	Reads   int
	Index   int    // among all variables
	Slot    *Slot  // InFrame: its field; InMoveNext: its local, if it is read and not passed
	Field   string // the field's name
	Local   string // its name in MoveNext, and in function literals

	// Aside means that the deciding switch uses a separate name for it.
	Aside bool
}

// Place is where a variable lives.
type Place uint8

const (
	// InBlock is a declaration at its place in the source, between two labels.
	InBlock Place = iota
	// InMoveNext is a declaration before the first label, since several stretches between labels
	// mention the variable; its value is not needed across any suspension.
	InMoveNext
	// InFrame is a field, since the value is needed after a suspension.
	InFrame
)

// Usage says how the source uses a variable.
type Usage struct {
	Captured  bool // by a function literal
	Mutated   bool // assigned other than by its declaration
	InLiteral bool // assigned by a function literal that does not declare it
	Addressed bool // its address is taken, by & or by calling a method on it
	Unnamed   bool // its type cannot be named here (see package unnamed)
}

// Shared reports whether code other than the function's own statements may see v, or v is accessed
// like a variable that other code sees.
func (v *Variable) Shared() bool {
	return v.Addressed || v.Captured && v.Mutated || v.Unnamed || typeset.HoldsLock(v.Type)
}

// Stored reports whether a variable that lives in the frame has a field; a parameter that is never
// read has none.
func (v *Variable) Stored() bool { return !v.Param || v.Reads > 0 }

// Slot is a place for one or more variables: a field of the frame, or a local of MoveNext.
type Slot struct {
	Vars  []*Variable
	Field string // the name of the field
}

// IsShared reports whether the place serves several variables.
func (s *Slot) IsShared() bool { return s != nil && len(s.Vars) > 1 }

// StemOf returns the user's name of a variable as a part of other names.
func StemOf(name string) string {
	if name == "_" {
		return "blank"
	}
	return name
}

// Names returns the distinct names of a field's variables.
func (s *Slot) Names() []string {
	var list []string
	for _, v := range s.Vars {
		name := StemOf(v.Name)
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// Stem returns the field's name without its number: err, or iOrCount.
func (s *Slot) Stem() string {
	list := s.Names()
	for i := range list[1:] {
		list[i+1] = typetext.SetFirst(list[i+1], true)
	}
	return strings.Join(list, "Or")
}
