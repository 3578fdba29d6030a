package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Calls that go to another function than the source says: a twin, or an entry, which
// has an argument more.

// rename makes call go to another function that is declared next to its callee, with an
// argument more in front.
func (u *unit) rename(call *ast.CallExpr, method *types.Selection, to *types.Func, first ...piece) {
	u.renameCallee(call, to)
	expression := method != nil && method.Kind() == types.MethodExpr
	switch {
	case len(first) == 0:
	case expression && len(u.evaluated[ast.Unparen(call.Args[0])]) > 1:
		u.between[ast.Unparen(call.Args[0])] = first // T.M(g()), where g returns the receiver, too
	default:
		u.renamed[call] = []edit{u.firstArgument(call, method, first)}
	}
}

// renameCallee spells the name of the called function as to, which is declared next to
// it.
func (u *unit) renameCallee(call *ast.CallExpr, to *types.Func) {
	_, id, _ := source.Callee(call, u.info)
	u.idents[id] = u.spelledBeside(call, id, to.Name())
}

// spelledBeside is the name of a declaration next to the function that call names by
// id.
func (u *unit) spelledBeside(call *ast.CallExpr, id *ast.Ident, name string) string {
	if _, bare := source.Uninstantiated(call.Fun).(*ast.Ident); bare {
		if q := u.qualifier(u.info.Uses[id]); q != "" { // a dot import
			return q + "." + name
		}
	}
	return name
}

func (u *unit) firstArgument(call *ast.CallExpr, method *types.Selection, arg rope) edit {
	if method != nil && method.Kind() == types.MethodExpr {
		at := call.Args[0].End()
		return edit{pos: at, end: at, with: append(rope{text(", ")}, arg...)}
	}
	at := call.Lparen + 1
	if len(call.Args) > 0 {
		arg = append(arg, text(", "))
	}
	return edit{pos: at, end: at, with: arg}
}

// withBetween mentions the values of e, and inserts the text that must follow the
// first.
func (u *unit) withBetween(e ast.Expr, temps []*variable) []piece {
	more, ok := u.between[e]
	if !ok {
		return mentions(temps)
	}
	list := append(rope{use(temps[0]), text(", ")}, more...)
	return append(append(list, text(", ")), mentions(temps[1:])...)
}
