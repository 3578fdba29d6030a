package analyse

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// UsageOf returns how the function uses a variable.
func (fs *Facts) UsageOf(obj types.Object) ir.Usage {
	if f := fs.usage[obj]; f != nil {
		return *f
	}
	v, isVar := obj.(*types.Var)
	return ir.Usage{Unnamed: isVar && fs.Imports.IsOpen(v.Type())}
}

// usageOf returns the usage of a variable for updating, while it is being determined.
func (fs *Facts) usageOf(obj types.Object) *ir.Usage {
	f := fs.usage[obj]
	if f == nil {
		u := fs.UsageOf(obj)
		f = &u
		fs.usage[obj] = f
	}
	return f
}

// signatureResults returns the named result parameters.
func (fs *Facts) signatureResults() []*types.Var {
	var list []*types.Var
	for v := range fs.Signature.Results().Variables() {
		if v.Name() != "" && v.Name() != "_" {
			list = append(list, v)
		}
	}
	return list
}

// noteUsage records assignments and taken addresses.
func (fs *Facts) noteUsage(n ast.Node) bool {
	for _, lhs := range AssignedBy(n) {
		fs.noteMutation(lhs)
	}
	switch n := n.(type) {
	case *ast.RangeStmt:
		fs.noteOldRange(n)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			fs.noteAddress(n.X)
		}
	case *ast.SliceExpr:
		if typeset.Perhaps(fs.TypeOf(n.X), typeset.IsA[*types.Array]) {
			fs.noteAddress(n.X)
		}
	case *ast.SelectorExpr:
		if fs.takesAddress(n) {
			fs.noteAddress(n.X)
		}
	}
	return true
}

// takesAddress reports whether sel selects a method with a pointer receiver from an operand
// that is not a pointer: Go takes the operand's address.
func (fs *Facts) takesAddress(sel *ast.SelectorExpr) bool {
	s := fs.Info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	recv := s.Obj().(*types.Func).Signature().Recv()
	if !source.IsPointer(recv) {
		return false
	}
	return !typeset.IsPointer(s.Recv())
}

// noteOldRange records that the iterations of a range share its variables, as they did before
// Go 1.22.
func (fs *Facts) noteOldRange(n *ast.RangeStmt) {
	if n.Tok != token.DEFINE || fs.LoopVarPerIteration() {
		return
	}
	for _, e := range []ast.Expr{n.Key, n.Value} {
		if id, ok := e.(*ast.Ident); ok && fs.Info.Defs[id] != nil {
			fs.usageOf(fs.Info.Defs[id]).Mutated = true
		}
	}
}

// LoopVarPerIteration reports whether each iteration of a loop has its own variables. This
// depends on the language version of the file.
func (fs *Facts) LoopVarPerIteration() bool {
	v := fs.Info.FileVersions[fs.Source.File.Syntax]
	if v == "" {
		v = fs.Source.Package.Language
	}
	return v == "" || version.Compare(v, "go1.22") >= 0
}

// noteMutation records an assignment to a variable or a part of it, unless the assignment
// declares the variable.
func (fs *Facts) noteMutation(lhs ast.Expr) {
	if v := fs.RootVar(lhs); v != nil {
		fs.usageOf(v).Mutated = true
	}
}

func (fs *Facts) noteAddress(e ast.Expr) {
	if v := fs.RootVar(e); v != nil {
		fs.usageOf(v).Addressed = true
	}
}

// RootVar returns the variable that e denotes, or that e is a part of without an indirection.
// Otherwise it returns nil.
func (fs *Facts) RootVar(e ast.Expr) *types.Var {
	if e == nil {
		return nil
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := fs.Info.Uses[e].(*types.Var)
		return v
	case *ast.SelectorExpr:
		s := fs.Info.Selections[e]
		if s == nil || s.Kind() != types.FieldVal || typeset.IsPointer(fs.TypeOf(e.X)) {
			return nil
		}
		return fs.RootVar(e.X)
	case *ast.IndexExpr:
		if typeset.Perhaps(fs.TypeOf(e.X), typeset.IsA[*types.Array]) {
			return fs.RootVar(e.X)
		}
	}
	return nil
}

// TypeOf returns the type of an expression, or the invalid type if it has none.
func (fs *Facts) TypeOf(e ast.Expr) types.Type {
	if t := fs.Info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// noteCaptures marks variables that a function literal mentions or assigns but does not declare.
func (fs *Facts) noteCaptures() {
	var literals []*ast.FuncLit
	var visit func(n ast.Node) bool
	outer := func(v *types.Var) bool {
		return len(literals) > 0 && v != nil && !v.IsField() && !Within(literals[len(literals)-1], v.Pos())
	}
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			literals = append(literals, n)
			ast.Inspect(n.Type, visit)
			ast.Inspect(n.Body, visit)
			literals = literals[:len(literals)-1]
			return false
		case *ast.Ident:
			if v, ok := fs.Info.Uses[n].(*types.Var); ok && outer(v) {
				fs.usageOf(v).Captured = true
			}
		}
		for _, lhs := range AssignedBy(n) {
			if v := fs.RootVar(lhs); outer(v) {
				fs.usageOf(v).InLiteral = true
			}
		}
		return true
	}
	ast.Inspect(fs.Body, visit)
}

// AssignedBy returns the left-hand sides of a statement.
func AssignedBy(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	}
	return nil
}

// Within reports whether pos is in the text of n.
func Within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// LeftType returns the type to which an assignment to lhs converts a value.
func (fs *Facts) LeftType(lhs ast.Expr) types.Type {
	id, ok := lhs.(*ast.Ident)
	if !ok {
		return fs.TypeOf(lhs)
	}
	if obj := fs.Info.ObjectOf(id); obj != nil && id.Name != "_" {
		return obj.Type()
	}
	return nil
}

// IsBlank reports whether e is the blank identifier.
func IsBlank(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "_"
}
