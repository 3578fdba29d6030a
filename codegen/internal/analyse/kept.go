package analyse

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Functions that become values of a marked type (source/functypes.go):
//
//	routes["/"] = fetch
//	return func(ctx context.Context, r request) (string, error) { … next(ctx, r) … }
//
// Each is a place where the source converts an ordinary function, mostly without saying so: by an
// assignment, an element, an argument, a result. The value is made before the statement, with the
// entry of the function. So such a place is taken out of its expression like a suspension.

// conversions calls found for the expressions that n itself converts to a marked type.
func (fs *Facts) conversions(n ast.Node, found func(e ast.Expr, to *types.Named)) {
	convert := func(e ast.Expr, to types.Type) {
		e = ast.Unparen(e)
		if to != nil && source.EnterOfType(to) != nil && source.EnterOfType(fs.TypeOf(e)) == nil {
			found(e, types.Unalias(to).(*types.Named))
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, e := range n.Rhs {
			if len(n.Lhs) == len(n.Rhs) {
				convert(e, fs.LeftType(n.Lhs[i]))
			}
		}
	case *ast.ValueSpec:
		for _, e := range n.Values {
			if n.Type != nil {
				convert(e, fs.TypeOf(n.Type))
			}
		}
	case *ast.ReturnStmt:
		for i, e := range n.Results {
			if results := fs.Signature.Results(); results.Len() == len(n.Results) {
				convert(e, results.At(i).Type())
			}
		}
	case *ast.SendStmt:
		if ch, ok := typeset.Core(fs.TypeOf(n.Chan)).(*types.Chan); ok {
			convert(n.Value, ch.Elem())
		}
	case *ast.CompositeLit:
		for _, o := range fs.LiteralOperands(n) {
			convert(o.Expr, o.To)
		}
	case *ast.CallExpr:
		for _, o := range fs.CallOperands(n) {
			convert(o.Expr, o.To)
		}
	}
}

// BecomesKept reports whether n converts the function e to a marked type. results are those of the
// function around n.
func BecomesKept(e ast.Expr, n ast.Node, info *types.Info, results *types.Tuple) bool {
	fs := &Facts{Info: info}
	fs.Signature = types.NewSignatureType(nil, nil, nil, nil, results, false)
	kept := false
	fs.conversions(n, func(found ast.Expr, _ *types.Named) { kept = kept || found == e })
	return kept
}

// noteKept records the functions that n makes values of a marked type.
func (fs *Facts) noteKept(n ast.Node, around []ast.Node) {
	fs.conversions(n, func(e ast.Expr, to *types.Named) {
		lit, ok := e.(*ast.FuncLit)
		if ok && !fs.literalSuspends(lit) || !fs.bringsEntry(e) && fs.Binds(e) == nil || fs.Imports.IsOpen(to) {
			return
		}
		fs.noteEntered(e)
		fs.Kept[e] = to
		fs.mark(append(around, n), e)
	})
}
