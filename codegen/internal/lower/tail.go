package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Calls in tail position.
//
//	//movenext:async
//	func (r *repo) load(ctx context.Context, id int) (user, error) {
//		if u, ok := r.cache[id]; ok {
//			return u, nil
//		}
//		return r.fetch(ctx, id)
//	}
//
// If a function suspends only in return statements that return another function's results, it has
// nothing left to do when the results are available. So it needs no frame: its entry is the
// function as written, and it returns the suspended callee itself to a machine.
//
//	func (r *repo) loadEnter(
//		r *statemachine.Run, ctx context.Context, id int,
//	) (*repoLoadFrame, user, error) {
//		if u, ok := r.cache[id]; ok {
//			return nil, u, nil
//		}
//		return r.fetchEnter(r, ctx, id)
//	}
//
//	type repoLoadFrame = repoFetchFrame
//
// Functions with work left to do are excluded: those with deferred calls, with named results, with
// another home than the callee's (the home comes with the context, which must be passed on), or
// with conversions of results. Functions that return each other's results in a cycle have frames,
// since a type cannot be an alias of itself.
//
// If the callee has an entry for callers whose frames may be on the stack (fNested), so has the
// function: it passes on the caller's frame.
//
// In the debug form every function has a frame (see [Options]).

// tailCall is a return statement that returns the results of a suspension point.
type tailCall struct {
	stmt  *ast.ReturnStmt
	call  *ast.CallExpr
	point source.Suspension
}

// passesOn finds the tail calls of a function that needs no frame. It returns none if the function
// needs one.
func (lo *lowering) passesOn(options Options) []tailCall {
	if options.Framed || len(lo.Decomposed)+len(lo.Kept) > 0 || lo.names.Hides("nil") {
		return nil
	}
	calls := tailCalls(lo.Source)
	seen := map[*source.Function]bool{}
	for next := calledInTail(lo.Source, calls); next != nil && !seen[next]; next = calledInTail(next, tailCalls(next)) {
		if next == lo.Source {
			return nil
		}
		seen[next] = true
	}
	return calls
}

// calledInTail returns the function whose results are returned, if it is annotated in the same
// package and set of files.
func calledInTail(f *source.Function, calls []tailCall) *source.Function {
	if len(calls) == 0 {
		return nil
	}
	for _, file := range f.Package.Files {
		for _, fn := range file.Functions {
			if fn.Object == calls[0].point.Callee {
				return fn
			}
		}
	}
	return nil
}

// tailCalls lists the tail calls of a function if it suspends nowhere else and has nothing to do
// after them.
func tailCalls(fn *source.Function) []tailCall {
	sig := fn.Signature()
	if fn.Stream != nil || len(fn.Companions()) > 0 || sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 || !namesAllButResults(fn) {
		return nil
	}
	t := &tailScan{fn: fn}
	ast.Inspect(fn.Decl.Body, t.visit)
	if t.other || len(t.calls) == 0 {
		return nil
	}
	for _, c := range t.calls {
		if !types.Identical(c.point.Frame, t.calls[0].point.Frame) || !passesHome(fn, c) {
			return nil
		}
	}
	return t.calls
}

// namesAllButResults reports whether all parameters, but no results, have usable names. An unnamed
// parameter would be given a name that the body may also use, and a parameter named like a type
// would be given a name other than the body's.
func namesAllButResults(fn *source.Function) bool {
	decl := fn.Decl
	lists := []*ast.FieldList{decl.Recv, decl.Type.Params}
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			if len(field.Names) == 0 || slices.ContainsFunc(field.Names, func(id *ast.Ident) bool { return id.Name == "_" || typetext.HidesType(fn.Package.Types, id.Name) }) {
				return false
			}
		}
	}
	results := decl.Type.Results
	return results != nil && !slices.ContainsFunc(results.List, func(f *ast.Field) bool { return len(f.Names) > 0 })
}

// tailScan searches a body for tail calls, and for anything that needs a frame.
type tailScan struct {
	fn    *source.Function
	calls []tailCall
	other bool
}

func (t *tailScan) visit(n ast.Node) bool {
	pkg := t.fn.Package
	switch n := n.(type) {
	case *ast.DeferStmt:
		t.other = true
	case *ast.RangeStmt:
		switch pkg.Info.TypeOf(n.X).Underlying().(type) {
		case *types.Signature, *types.Interface:
			t.other = true // may become a loop that requests values
		}
	case *ast.FuncLit:
		t.literal(n)
		return false
	case *ast.CallExpr:
		if _, suspends := pkg.Twins.Suspends(n, pkg.Info); suspends {
			t.other = true
		}
	case *ast.ReturnStmt:
		return !t.returns(n)
	}
	return !t.other
}

// literal handles function literals: one that contains a suspension point may become a machine.
func (t *tailScan) literal(lit *ast.FuncLit) {
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			_, suspends := t.fn.Package.Twins.Suspends(call, t.fn.Package.Info)
			t.other = t.other || suspends
		}
		return !t.other
	})
}

// returns reports whether it has handled a return statement.
func (t *tailScan) returns(s *ast.ReturnStmt) bool {
	results := t.fn.Signature().Results()
	if len(s.Results) == 1 {
		if call, ok := ast.Unparen(s.Results[0]).(*ast.CallExpr); ok {
			point, suspends := t.fn.Package.Twins.Suspends(call, t.fn.Package.Info)
			if suspends && point.Kind == source.KindEnter && len(point.Companions) == 0 && t.sameResults(call, results) && t.plainOperands(call) {
				t.calls = append(t.calls, tailCall{s, call, point})
				return true
			}
		}
	}
	if len(s.Results) != results.Len() {
		t.other = true // the results of another call, with no room before them
	}
	return false
}

// sameResults reports whether the results of a call are returned without a conversion.
func (t *tailScan) sameResults(call *ast.CallExpr, results *types.Tuple) bool {
	is := t.fn.Package.Info.TypeOf(call)
	if tuple, several := is.(*types.Tuple); several {
		return types.Identical(tuple, results)
	}
	return results.Len() == 1 && types.Identical(is, results.At(0).Type())
}

// plainOperands reports whether nothing in the call's operands suspends, and each argument is a
// single value.
func (t *tailScan) plainOperands(call *ast.CallExpr) bool {
	inner := &tailScan{fn: t.fn}
	for _, arg := range append([]ast.Expr{call.Fun}, call.Args...) {
		ast.Inspect(arg, inner.visit)
		if _, several := t.fn.Package.Info.TypeOf(arg).(*types.Tuple); several {
			return false
		}
	}
	return !inner.other
}

// passesHome reports whether the callee has the same home as the function: it gets the function's
// context, or the function has none.
func passesHome(f *source.Function, c tailCall) bool {
	own := contextParam(f.Signature())
	if own < 0 {
		return true
	}
	if c.point.Method != nil && c.point.Method.Kind() == types.MethodExpr {
		return false
	}
	passed := contextParam(c.point.Callee.Signature())
	if passed < 0 || passed >= len(c.call.Args) {
		return false
	}
	id, ok := ast.Unparen(c.call.Args[passed]).(*ast.Ident)
	param := f.Signature().Params().At(own)
	return ok && f.Package.Info.Uses[id] == param && !changes(f, param)
}

// contextParam returns the index of the first parameter of type context.Context, or a negative
// number.
func contextParam(sig *types.Signature) int {
	for i := range sig.Params().Len() {
		if source.IsContext(sig.Params().At(i).Type()) {
			return i
		}
	}
	return -1
}

// changes reports whether the body assigns a variable, or may do so through its address.
func changes(f *source.Function, v *types.Var) bool {
	found := false
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && f.Package.Info.Uses[id] == v
	}
	ast.Inspect(f.Decl.Body, func(n ast.Node) bool {
		for _, lhs := range analyse.AssignedBy(n) {
			found = found || lhs != nil && is(lhs)
		}
		if n, ok := n.(*ast.UnaryExpr); ok && n.Op == token.AND {
			found = found || is(n.X)
		}
		return !found
	})
	return found
}

// tailOf describes a function that needs no frame.
func (lo *lowering) tailOf() *ir.Tail {
	tail := &ir.Tail{Frame: lo.tail[0].point.Frame, Return: lo.tail[0].stmt.Pos()}
	if lo.Declared.Nested != "" && !slices.ContainsFunc(lo.tail, func(c tailCall) bool { return lo.nestedEntry(&c.point) == "" }) {
		tail.Nesting = []string{lo.names.Fresh("caller"), lo.names.Fresh("callee"), lo.names.Fresh("at")}
	}
	lo.nesting = tail.Nesting
	tail.Text = lo.scan(lo.Body)
	for _, c := range lo.tail {
		tail.Calls = append(tail.Calls, c.call)
	}
	return tail
}

// returnInTail replaces a return statement of a function that needs no frame: it returns to a
// machine the suspended callee, or nil and the results.
func (lo *lowering) returnInTail(n *ast.ReturnStmt) []ir.Edit {
	for _, c := range lo.tail {
		if c.stmt == n {
			if lo.nesting != nil {
				lo.rename(c.call, c.point.Method, lo.nestedEntry(&c.point), ir.RunName, ir.Text(", "+strings.Join(lo.nesting, ", ")))
			} else {
				lo.rename(c.call, c.point.Method, c.point.Enter.Name(), ir.RunName)
			}
			return []ir.Edit{{Pos: n.Pos(), End: n.End(), With: append(ir.Rope{ir.Text("return ")}, lo.expr(c.call)...)}}
		}
	}
	at := n.Results[0].Pos()
	return []ir.Edit{{Pos: at, End: at, With: ir.Rope{ir.Text("nil, ")}}}
}
