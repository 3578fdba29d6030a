package library

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/movenext/movenext/lab/prove/annotated"
)

// editor changes one file of a copy.
type editor struct {
	*clone
	annotated.Edits
	text string

	pointed bool
	passed  int // statements since the last point
}

// link links a function without a body to the runtime's implementation for the original.
func (e *editor) link(fn *ast.FuncDecl) {
	name := fn.Name.Name
	if !e.inAssembly(name) && !strings.Contains(e.text, "\n//go:linkname "+name+" ") {
		e.Insert(fn.Pos(), "//go:linkname "+name+" "+e.ImportPath+"."+name+"\n")
	}
}

// points inserts suspension points before every nth statement, beginning with the first: the
// machine of a function without any would call the plain form. Literals get points, too; those
// that do not become machines do not suspend there.
func (e *editor) points(fn *ast.FuncDecl) {
	e.pointed = true
	e.point(fn.Body.Lbrace + 1)
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		for _, s := range annotated.Statements(n) {
			if e.passed++; e.passed >= e.every && s != fn.Body.List[0] {
				e.point(s.Pos())
			}
		}
		return true
	})
}

func (e *editor) point(pos token.Pos) {
	e.Insert(pos, fmt.Sprintf(" %s.Here(%d); ", pointName, e.sites))
	e.sites++
	e.passed = 0
}

// countAllocations redirects the allocation counts in a test file to the package of the suspension
// points, and reports whether the file has any.
func (e *editor) countAllocations(file *ast.File) (any bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "AllocsPerRun" {
			if id, ok := s.X.(*ast.Ident); ok && id.Name == "testing" {
				e.Replace(id, pointName)
				any = true
			}
		}
		return true
	})
	return any
}
