package library

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/movenext/movenext/codegen/internal/prove/annotated"
)

// editor changes one file of a copy.
type editor struct {
	*clone
	annotated.Edits
	text string

	pointed bool
	passed  int // statements since the last point
}

// link gives a function without a body the one that the runtime has for the original.
func (e *editor) link(fn *ast.FuncDecl) {
	name := fn.Name.Name
	if !e.inAssembly(name) && !strings.Contains(e.text, "\n//go:linkname "+name+" ") {
		e.Insert(fn.Pos(), "//go:linkname "+name+" "+e.ImportPath+"."+name+"\n")
	}
}

// points puts suspension points before every nth statement, beginning with the first: a
// function without any would have a machine that calls the plain form. Literals have
// some, too. Those that do not become machines do not suspend there.
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

// countAllocations makes the tests of a file ask the package of the suspension
// points what functions allocate, and reports whether any of them asks.
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
