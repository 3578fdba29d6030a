package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Module is the module of the runtime that generated code imports.
const Module = source.Module

// Diagnostic is one finding about the user's source: what is wrong, why it cannot be
// otherwise, and what to do.
type Diagnostic = source.Diagnostic

// Twins answers which calls suspend. It is safe for concurrent use.
type Twins = source.Twins

// Suspension describes a call that suspends.
type Suspension = source.Suspension

// SortDiagnostics orders findings by place and drops repetitions, which arise where one
// file belongs to two packages (with and without tests). It reorders list itself.
func SortDiagnostics(list []Diagnostic) []Diagnostic { return source.SortDiagnostics(list) }

// IsAnnotated reports whether the doc comment of decl holds the annotation.
func IsAnnotated(decl *ast.FuncDecl) bool { return source.IsAnnotated(decl) }

// StreamLiteral returns the function literal that is the body of a stream, if decl has the
// form of one: a function that does nothing but return a literal with a yield. Else it is
// nil.
func StreamLiteral(decl *ast.FuncDecl) *ast.FuncLit { return source.StreamLiteral(decl) }

// EachHalfPair calls found for each method of a package's types that is half of a pair of
// twins whose other form, missing, comes from an embedded type, from.
func EachHalfPair(pkg *types.Package, found func(named *types.Named, m *types.Func, missing, from string)) {
	source.EachHalfPair(pkg, found)
}
