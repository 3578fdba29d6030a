package annotated

import (
	"go/ast"
	"go/token"
)

// Edit replaces a part of a text. An Edit with From equal to To inserts.
type Edit struct {
	From, To int // offsets
	With     string
}

// Edits are the edits of one file; Fset has the positions of the file's syntax.
type Edits struct {
	Fset *token.FileSet
	List []Edit
}

// offset returns the offset of pos, ignoring line directives.
func (e *Edits) offset(pos token.Pos) int { return e.Fset.PositionFor(pos, false).Offset }

// Insert inserts a text before pos.
func (e *Edits) Insert(pos token.Pos, text string) {
	e.List = append(e.List, Edit{From: e.offset(pos), To: e.offset(pos), With: text})
}

// Replace replaces n with a text.
func (e *Edits) Replace(n ast.Node, with string) {
	e.List = append(e.List, Edit{From: e.offset(n.Pos()), To: e.offset(n.End()), With: with})
}

// Statements returns the list of statements in n, if statements may be inserted before them, or
// nil.
func Statements(n ast.Node) []ast.Stmt {
	var list []ast.Stmt
	switch n := n.(type) {
	case *ast.BlockStmt:
		list = n.List
	case *ast.CaseClause:
		list = n.Body
	case *ast.CommClause:
		list = n.Body
	}
	var kept []ast.Stmt
	for _, s := range list {
		switch s.(type) {
		case *ast.CaseClause, *ast.CommClause, *ast.EmptyStmt:
		default:
			kept = append(kept, s)
		}
	}
	return kept
}
