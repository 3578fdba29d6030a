package ir

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Tail is a function that suspends in return statements alone, which return the results of
// another function. It needs no frame, and so no instructions.
type Tail struct {
	Text   *Span           // of the body
	Frame  types.Type      // of the other function, a pointer
	Return token.Pos       // the first of the return statements
	Calls  []*ast.CallExpr // whose results they return
}

// Type is a type that a function declares in its body, and that is declared outside of it in
// generated code.
type Type struct {
	Name   string // there
	Object *types.TypeName
	Spec   *ast.TypeSpec
}
