package source

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Streams: annotated functions that return a sequence. A function is a stream because of its form
// alone, which is known before any types: its body is a single return of a function literal with a
// yield of this shape:
//
//	//movenext:async
//	func pages(ctx context.Context, first string) iter.Seq2[Page, error] {
//		return func(yield func(Page, error) bool) { … }
//	}
//
// Its twin returns a *job.Stream[Page]; the machine is made from the literal, and each range
// creates one. Other functions that return a sequence are lowered like any function: their twin
// returns a job whose result is the sequence.

// Stream describes a function that is a stream.
type Stream struct {
	Literal *ast.FuncLit
	Yield   *types.Var // nil if it has no name
	Value   types.Type // of the elements
}

// StreamLiteral returns the function literal that is the body of a stream if decl has the form of
// one: a function that does nothing but return a literal with a yield. Otherwise it returns nil.
func StreamLiteral(decl *ast.FuncDecl) *ast.FuncLit {
	if decl.Body == nil || len(decl.Body.List) != 1 || decl.Type.Results.NumFields() != 1 {
		return nil
	}
	ret, ok := decl.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil
	}
	lit, ok := ast.Unparen(ret.Results[0]).(*ast.FuncLit)
	if !ok || lit.Type.Results.NumFields() != 0 || YieldedType(lit) == nil {
		return nil
	}
	return lit
}

// YieldedType returns the T of a literal func(yield func(T, error) bool), or nil.
func YieldedType(lit *ast.FuncLit) ast.Expr {
	if lit.Type.Params.NumFields() != 1 {
		return nil
	}
	yield, ok := lit.Type.Params.List[0].Type.(*ast.FuncType)
	if !ok || yield.Params.NumFields() != 2 || yield.Results.NumFields() != 1 {
		return nil
	}
	params := yield.Params.List
	if !isIdent(params[len(params)-1].Type, "error") || !isIdent(yield.Results.List[0].Type, "bool") {
		return nil
	}
	return params[0].Type
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// StreamOf describes a stream with its types. It fails if the function's result is not a sequence.
func StreamOf(pkg *Package, decl *ast.FuncDecl, lit *ast.FuncLit) (*Stream, error) {
	object := pkg.Info.Defs[decl.Name].(*types.Func)
	value := sequenceOf(object.Signature())
	if value == nil {
		return nil, fmt.Errorf("its body is that of a stream, and its result, %s, is not a sequence of values with an error", object.Signature().Results().At(0).Type())
	}
	s := &Stream{Literal: lit, Value: value}
	if names := lit.Type.Params.List[0].Names; len(names) == 1 {
		s.Yield, _ = pkg.Info.Defs[names[0]].(*types.Var)
	}
	return s, nil
}

// sequenceOf returns T if the only result of sig is a func(yield func(T, error) bool), under any
// name, or nil.
func sequenceOf(sig *types.Signature) types.Type {
	if sig.Results().Len() != 1 {
		return nil
	}
	key, value := YieldedBy(sig.Results().At(0).Type())
	if value == nil || !types.Identical(value, types.Universe.Lookup("error").Type()) {
		return nil
	}
	return key
}

// YieldedBy returns the types of the variables of a range over a function of type t, or nil for
// variables that it does not have.
func YieldedBy(t types.Type) (key, value types.Type) {
	seq, ok := typeset.Core(t).(*types.Signature)
	if !ok || seq.Params().Len() != 1 || seq.Results().Len() != 0 {
		return nil, nil
	}
	yield, ok := typeset.Core(seq.Params().At(0).Type()).(*types.Signature)
	if !ok {
		return nil, nil
	}
	list := yield.Params()
	if list.Len() > 0 {
		key = list.At(0).Type()
	}
	if list.Len() > 1 {
		value = list.At(1).Type()
	}
	return key, value
}

// isStreamTwin reports whether twin is the asynchronous form of the stream fn.
func isStreamTwin(fn, twin *types.Func) bool {
	sig, ok := alike(fn, twin)
	if !ok || sig.Results().Len() != 1 || !sameParams(fn.Signature(), sig, 0) {
		return false
	}
	value, arg := sequenceOf(fn.Signature()), StreamArgument(sig.Results().At(0).Type())
	return value != nil && arg != nil && types.Identical(value, arg)
}

// Stream reports whether call returns a sequence and has a twin that is a stream.
func (t *Twins) Stream(call *ast.CallExpr, info *types.Info) (Suspension, bool) {
	s, ok := calleeOf(call, info)
	if !ok {
		return s, false
	}
	s.Twin = besideIn(s.Callee, s.methodSet(), s.Callee.Name()+"Async")
	if s.Twin == nil || !isStreamTwin(s.method(), s.Twin) {
		return s, false
	}
	sig := instance(s, s.Twin)
	if sig == nil {
		return s, false
	}
	s.Result = StreamArgument(sig.Results().At(0).Type())
	return s, true
}
