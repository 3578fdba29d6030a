package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/durable"
	"github.com/movenext/movenext/codegen/internal/source"
)

// Module is the module of the runtime that generated code imports.
const Module = source.Module

// Diagnostic is one finding about the user's source: what is wrong, why it cannot be
// otherwise, and what to do.
type Diagnostic = source.Diagnostic

// Twins decides which calls suspend. It is safe for concurrent use.
type Twins = source.Twins

// Suspension describes a call that suspends.
type Suspension = source.Suspension

// SortDiagnostics orders findings by position and drops duplicates, which arise where one
// file belongs to two packages (with and without tests). It reorders list itself.
func SortDiagnostics(list []Diagnostic) []Diagnostic { return source.SortDiagnostics(list) }

// IsAnnotated reports whether the doc comment of decl holds the annotation.
func IsAnnotated(decl *ast.FuncDecl) bool { return source.IsAnnotated(decl) }

// IsStep reports whether the doc comment of decl makes it a step of durable functions.
func IsStep(decl *ast.FuncDecl) bool { return durable.IsStep(decl) }

// IsDurable reports whether the doc comment of decl makes it a durable function.
func IsDurable(decl *ast.FuncDecl) bool { return durable.IsDurable(decl) }

// StreamLiteral returns the function literal that is the body of a stream if decl has the
// form of one: a function that does nothing but return a literal with a yield. Otherwise it
// returns nil.
func StreamLiteral(decl *ast.FuncDecl) *ast.FuncLit { return source.StreamLiteral(decl) }

// EachHalfPair calls found for each method m of a package's types that is one form of a pair
// of twins while the other form, missing, comes from the embedded type from.
func EachHalfPair(pkg *types.Package, found func(named *types.Named, m *types.Func, missing, from string)) {
	source.EachHalfPair(pkg, found)
}

// RunsAsJob returns the function arguments of call that the runtime calls. In an annotated
// function they suspend. Those that the caller waits for suspend only if the caller itself is a
// machine: not in a literal that stays plain Go, and not in a go statement. An operation
// of package parallel does not suspend in a defer statement either.
func RunsAsJob(call *ast.CallExpr, info *types.Info) (functions []ast.Expr, waits, operation bool) {
	return analyse.RunsAsJob(call, info)
}

// HeldFunctions returns the variables of the annotated function decl that are known to hold
// only suspending functions (vars) and those that hold functions for the runtime to call
// (given). It also returns the function literals among their values, which become machines if
// they suspend. It serves tools that analyse source the way the generator does. info must cover
// the whole file, with the twins of its functions.
func HeldFunctions(fset *token.FileSet, pkg *types.Package, info *types.Info, file *ast.File, decl *ast.FuncDecl) (list []*ast.FuncLit, vars, given []*types.Var) {
	return analyse.HeldFunctions(fset, pkg, info, file, decl)
}
