package annotated

import (
	"go/ast"
	"go/token"
)

// Edit replaces a part of a text. From equal to To inserts.
type Edit struct {
	From, To int // offsets
	With     string
}

// Edits are the edits of one file; Fset has the positions of its syntax.
type Edits struct {
	Fset *token.FileSet
	List []Edit
}

// at returns an offset, whatever a line directive says.
func (e *Edits) at(pos token.Pos) int { return e.Fset.PositionFor(pos, false).Offset }

// Insert inserts a text before pos.
func (e *Edits) Insert(pos token.Pos, text string) {
	e.List = append(e.List, Edit{From: e.at(pos), To: e.at(pos), With: text})
}

// Replace puts a text in the place of n.
func (e *Edits) Replace(n ast.Node, with string) {
	e.List = append(e.List, Edit{From: e.at(n.Pos()), To: e.at(n.End()), With: with})
}

// Statements returns the statements of which n is a list, if others may be inserted
// before them, or nil.
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
