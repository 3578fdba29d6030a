package durable

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// variable is a field of the frame.
type variable struct {
	obj    *types.Var // nil: a temporary
	name   string     // under which it is saved
	field  string
	typ    types.Type
	pinned bool // its address is taken, or a literal captures it
}

// variable returns the field for a variable of the source, creating it if necessary.
func (lo *lowering) variable(obj *types.Var) *variable {
	if v := lo.vars[obj]; v != nil {
		return v
	}
	name := obj.Name()
	if name == "" || name == "_" {
		name = "begin.request" // results without a name are temporaries
	}
	v := lo.temp(obj.Name(), name+lo.path(obj.Parent()), obj.Type())
	v.obj = obj
	lo.vars[obj] = v
	return v
}

// temp creates a field for a value, which is saved under name. Names of temporaries contain a dot
// or are keywords, so that no variable has the same name.
func (lo *lowering) temp(field, name string, typ types.Type) *variable {
	if field == "" || field == "_" {
		field = "blank"
	}
	v := &variable{name: name, field: typetext.Free(field, lo.fields), typ: typ}
	lo.fields[v.field] = true
	lo.list = append(lo.list, v)
	return v
}

// path describes where a scope is in the function, by the kinds of the statements around it:
// @for.block. It contains no positions or numbers, since statements elsewhere may come and go. It
// is empty for the function itself. Variables of one name that are visible at one point have
// different paths.
func (lo *lowering) path(scope *types.Scope) string {
	if lo.kinds == nil {
		lo.kinds = map[*types.Scope]string{}
		for n, s := range lo.info.Scopes {
			lo.kinds[s] = kindOfScope(n)
		}
	}
	var kinds []string
	for ; scope != nil && scope != lo.info.Scopes[lo.fn.Decl.Type]; scope = scope.Parent() {
		kinds = append(kinds, lo.kinds[scope])
	}
	if len(kinds) == 0 {
		return ""
	}
	slices.Reverse(kinds)
	return "@" + strings.Join(kinds, ".")
}

func kindOfScope(n ast.Node) string {
	switch n.(type) {
	case *ast.IfStmt:
		return "if"
	case *ast.ForStmt:
		return "for"
	case *ast.RangeStmt:
		return "range"
	case *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return "switch"
	case *ast.CaseClause:
		return "case"
	}
	return "block"
}

// mention returns the text of a mention of a variable.
func (lo *lowering) mention(v *variable) string { return lo.frame + "." + v.field }

// signature reads the function's signature.
func (lo *lowering) signature() {
	sig := lo.fn.Signature()
	if recv := sig.Recv(); recv != nil {
		lo.recv = recv
		lo.fields[lo.recvField()] = true
	}
	params := sig.Params()
	if params.Len() == 0 || !source.IsContext(params.At(0).Type()) {
		lo.refuse(missingContext(lo.fn.Extent(lo.fn.Decl.Name), lo.fn.Object.Name()))
		return
	}
	lo.ctx = params.At(0)
	if params.Len() > 1 {
		lo.request = lo.variable(params.At(1))
	}
	results := sig.Results()
	last := results.Len() - 1
	if last == 1 {
		lo.result = lo.resultVar(results.At(0), "return.result")
	}
	lo.err = lo.resultVar(results.At(last), "return.err")
}

// resultVar returns the field of a result, which may be unnamed.
func (lo *lowering) resultVar(obj *types.Var, name string) *variable {
	if obj.Name() == "" || obj.Name() == "_" {
		return lo.temp(strings.TrimPrefix(name, "return."), name, obj.Type())
	}
	return lo.variable(obj)
}

// recvField returns the field of the receiver.
func (lo *lowering) recvField() string {
	if name := lo.recv.Name(); name != "" && name != "_" {
		return name
	}
	return "recv"
}

// variableOf returns the variable that an identifier declares or mentions. It returns nil for the
// blank identifier and for anything that is not a variable of the function.
func (lo *lowering) variableOf(id *ast.Ident) *variable {
	if id.Name == "_" {
		return nil
	}
	if obj, ok := lo.info.Defs[id].(*types.Var); ok {
		return lo.variable(obj)
	}
	if obj, ok := lo.info.Uses[id].(*types.Var); ok {
		return lo.vars[obj]
	}
	return nil
}
