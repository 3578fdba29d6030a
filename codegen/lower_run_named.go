package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/source"
)

// namedRun is a function that the runtime calls and that has a twin.
type namedRun struct {
	Suspension
	waited bool // see literal
}

// follows returns what is known of e if that is a function which the runtime can call
// by its twin.
func (u *unit) follows(e ast.Expr) (source.Suspension, bool) {
	s, ok := u.fn.Package.Twins.Suspends(&ast.CallExpr{Fun: e}, u.info)
	if !ok || s.Twin == nil || s.Method != nil && s.Method.Kind() == types.MethodExpr {
		return s, false
	}
	sig, ok := u.typeOf(e).Underlying().(*types.Signature)
	n := 0
	if ok {
		n = sig.Params().Len()
	}
	return s, n >= 1 && n <= 3 && !sig.Variadic() && source.ResultsOf(sig).Err != nil && len(source.ResultsOf(sig).Values) <= 1
}

// named has a function that the runtime calls spelled as its twin, which the runtime's
// part of it follows.
func (s *mentionScan) named(e ast.Expr) bool {
	run, ok := s.u.literals.named[e]
	if !ok || run.waited && s.literals > 0 {
		return false
	}
	sig := s.u.typeOf(e).Underlying().(*types.Signature)
	helper := "Func"
	if len(source.ResultsOf(sig).Values) == 0 {
		helper = "Action"
	}
	helper += strconv.Itoa(sig.Params().Len())
	s.insert(e.Pos(), statemachineName, text("."+helper+"("))
	_, id, _ := source.Callee(&ast.CallExpr{Fun: e}, s.u.info)
	if f, ok := source.Uninstantiated(e).(*ast.SelectorExpr); ok {
		s.walk(f.X)
	}
	s.replace(id, text(s.u.spelledBeside(&ast.CallExpr{Fun: e}, id, run.Twin.Name())))
	switch f := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		s.walk(f.Index)
	case *ast.IndexListExpr:
		for _, index := range f.Indices {
			s.walk(index)
		}
	default:
		if n := run.TypeArgs.Len(); n > 0 {
			s.insert(e.End(), s.u.typeArgument(e, slices.Collect(run.TypeArgs.Types())...))
		}
	}
	s.insert(e.End(), text(")"))
	return true
}

// insert puts something between the text before pos and the text after it.
func (s *mentionScan) insert(pos token.Pos, with ...piece) {
	s.edits = append(s.edits, edit{pos: pos, end: pos, with: with})
}
