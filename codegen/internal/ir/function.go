package ir

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Tail describes a function that suspends only in return statements that return the results of
// another function. It needs no frame, and therefore no instructions.
type Tail struct {
	Text   *Span           // of the body
	Frame  types.Type      // of the other function, a pointer
	Return token.Pos       // the first of the return statements
	Calls  []*ast.CallExpr // the calls whose results they return

	Nesting []string // the parameters that it passes on to a nested entry: frame, field, number
}

// Type is a type declared in a function's body. Generated code declares it outside of the
// function.
type Type struct {
	Name   string // in the generated declaration
	Object *types.TypeName
	Spec   *ast.TypeSpec
}
