package keep

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/movenext/movenext/codegen/internal/graph"
	"github.com/movenext/movenext/codegen/internal/ir"
)

// Peers marks the points of code whose peers the run may keep, and the ends of the function where
// it may keep one.
func Peers(code []ir.Instr) {
	s := search{code: code, flow: ir.Flow(code), judged: make([]verdict, len(code)), marked: make([]bool, len(code))}
	for _, p := range ir.Points(code) {
		if p.Transfers && s.from(p.Resumed.At) == waits {
			p.Keeps = true
			s.publish(p.Resumed.At)
		}
	}
}

// search judges whether only simple statements run from an instruction to the next wait.
type search struct {
	code   []ir.Instr
	flow   graph.Graph
	judged []verdict
	marked []bool // by publish
}

// verdict is what is known of the paths that begin with an instruction.
type verdict uint8

const (
	unknown verdict = iota
	loud            // one of them is not simple; or being judged: a path that comes back is a loop
	returns         // all are simple, and lead to the function's end
	waits           // all are simple, and one of them leads to a Send or a Receive
)

// from judges the paths that begin with instruction n.
func (s *search) from(n int) verdict {
	if n == len(s.code) {
		return loud
	}
	if s.judged[n] == unknown {
		s.judged[n] = loud
		s.judged[n] = s.judge(n)
	}
	return s.judged[n]
}

func (s *search) judge(n int) verdict {
	if _, ends := s.code[n].(*ir.Finish); ends {
		return returns
	}
	if s.transfers(n) {
		return waits
	}
	if !isSimpleInstr(s.code[n]) {
		return loud
	}
	all := returns
	for _, next := range s.flow[n] {
		switch s.from(next) {
		case loud:
			return loud
		case waits:
			all = waits
		}
	}
	return all
}

// publish marks the ends of the function on the paths that begin with instruction n.
func (s *search) publish(n int) {
	if s.marked[n] {
		return
	}
	s.marked[n] = true
	if s.transfers(n) {
		return
	}
	switch i := s.code[n].(type) {
	case *ir.Finish:
		i.Publishes = true
	case *ir.Keep:
		for _, e := range i.Text.Edit {
			for _, c := range e.Code {
				if end, is := c.(*ir.Finish); is {
					end.Publishes = true
				}
			}
		}
	}
	for _, next := range s.flow[n] {
		s.publish(next)
	}
}

// transfers reports whether instruction n calls a Send or a Receive with simple operands.
func (s *search) transfers(n int) bool {
	i, ok := s.code[n].(*ir.Assign)
	if !ok || n+1 == len(s.code) {
		return false
	}
	park, ok := s.code[n+1].(*ir.Park)
	return ok && park.Point.Transfers && isSimple(i.Src, true)
}

func isSimpleInstr(i ir.Instr) bool {
	switch i := i.(type) {
	case *ir.Mark, *ir.Jump, *ir.SourceLine, *ir.LineComment, *ir.Zero, *ir.Renew:
		return true
	case *ir.Branch:
		return isSimple(i.Cond, false)
	case *ir.Synthetic:
		return isSimple(i.Line, false)
	case *ir.Keep:
		return isSimpleSpan(&i.Text, false)
	case *ir.Assign:
		for _, d := range i.Dst {
			if !isSimple(d.Place, false) {
				return false
			}
		}
		return isSimple(i.Src, false)
	}
	return false
}

// isSimple reports whether text neither calls, waits, loops nor jumps. With call, it may be one
// call whose operands are simple.
func isSimple(text ir.Rope, call bool) bool {
	for _, p := range text {
		switch {
		case strings.ContainsAny(p.Text, "(<"), p.To != nil:
			return false
		case p.V != nil && p.Form >= ir.AsBorrowed:
			return false
		case p.Span != nil && !isSimpleSpan(p.Span, call):
			return false
		}
	}
	return true
}

func isSimpleSpan(s *ir.Span, call bool) bool {
	for _, e := range s.Edit {
		if !isSimple(e.With, false) || !isReturn(e.Code) {
			return false
		}
	}
	simple := true
	ast.Inspect(s.Node, func(n ast.Node) bool {
		if n == nil || !simple || isReplaced(n, s.Edit) {
			return false
		}
		simple = n == s.Node && call || isSimpleNode(n)
		return simple
	})
	return simple
}

// isReturn reports whether code, which replaces a return statement, only assigns simple results.
func isReturn(code []ir.Instr) bool {
	for _, i := range code {
		if _, ends := i.(*ir.Finish); !ends && !isSimpleInstr(i) {
			return false
		}
	}
	return true
}

// isReplaced reports whether other text is printed instead of n.
func isReplaced(n ast.Node, edits []ir.Edit) bool {
	for _, e := range edits {
		if e.Pos < e.End && e.Pos <= n.Pos() && n.End() <= e.End {
			return true
		}
	}
	return false
}

func isSimpleNode(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.ParenExpr, *ast.SelectorExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.BinaryExpr,
		*ast.AssignStmt, *ast.IncDecStmt, *ast.IfStmt, *ast.BlockStmt, *ast.EmptyStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op != token.ARROW
	}
	return false
}
