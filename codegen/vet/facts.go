package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/movenext/movenext/codegen/internal/source"
)

// The facts that packages export to their importers: which of their functions block although
// they are not annotated, which functions their machines call without knowing a twin, which are
// steps of durable functions or reach one, and which wait for real time.

// knowledge is the fact of a package.
type knowledge struct {
	Blocks   []blockingFunc // by name
	Calls    []blindCall
	Points   []pointFunc
	RealTime []realTimeFunc
}

// realTimeFunc is a function that reaches a wait for real time.
type realTimeFunc struct {
	Name  string // the full name
	Calls string // the function that waits
}

// pointFunc is a step, or a plain function that reaches a point of a durable function.
type pointFunc struct {
	Name string // the full name
	What string // the point
	Step bool   // it is a step itself
}

// AFact marks it as a fact.
func (*knowledge) AFact() {}

// blockingFunc is a function that blocks although it is not annotated.
type blockingFunc struct {
	Name string // the full name
	Why  reason
}

// blindCall is a machine's call of an interface method or of a func value for which the
// package knows no twin.
type blindCall struct {
	Type    string // the interface, or the signature
	Method  string // empty for a func value
	By      string // the function with the call
	Package string
}

// known holds the facts of other packages, and those that this package will export.
type known struct {
	blocks map[string]reason
	points map[string]string // what plain functions reach
	steps  map[string]bool
	calls  []blindCall
	own    []blindCall
	asked  map[*types.Func]*reason

	realTime map[string]string // the wait for real time that a function reaches
}

func readFacts(pass *analysis.Pass) *known {
	k := &known{blocks: map[string]reason{}, points: map[string]string{}, steps: map[string]bool{}, asked: map[*types.Func]*reason{}, realTime: map[string]string{}}
	for _, f := range pass.AllPackageFacts() {
		of, ok := f.Fact.(*knowledge)
		if !ok {
			continue
		}
		for _, fn := range of.Blocks {
			k.blocks[fn.Name] = fn.Why
		}
		for _, fn := range of.Points {
			if fn.Step {
				k.steps[fn.Name] = true
			} else {
				k.points[fn.Name] = fn.What
			}
		}
		for _, fn := range of.RealTime {
			k.realTime[fn.Name] = fn.Calls
		}
		k.calls = append(k.calls, of.Calls...)
	}
	slices.SortFunc(k.calls, func(a, b blindCall) int {
		return strings.Compare(a.Package+a.By+a.Type+a.Method, b.Package+b.By+b.Type+b.Method)
	})
	return k
}

func (s *survey) writeFacts() {
	if strings.HasPrefix(s.pass.Pkg.Path(), source.Module+"/") {
		return // the runtime's functions are known by their own rules
	}
	fact := &knowledge{Calls: s.facts.own, Points: s.pointFacts(), RealTime: s.realTimeFacts()}
	for fn := range s.decls {
		if r := s.blocks(fn); r != nil {
			fact.Blocks = append(fact.Blocks, blockingFunc{fn.FullName(), *r})
		}
	}
	slices.SortFunc(fact.Blocks, func(a, b blockingFunc) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(fact.Points, func(a, b pointFunc) int { return strings.Compare(a.Name, b.Name) })
	if len(fact.Blocks)+len(fact.Calls)+len(fact.Points)+len(fact.RealTime) > 0 {
		s.pass.ExportPackageFact(fact)
	}
}

// noteCalled records that a machine in decl calls a method of an interface for which it knows no
// twin.
func (s *survey) noteCalled(decl *ast.FuncDecl, recv types.Type, m *types.Func) {
	s.note(decl, blindCall{Type: typeName(recv), Method: m.Name()})
}

func (s *survey) note(decl *ast.FuncDecl, call blindCall) {
	call.Package, call.By = s.pass.Pkg.Path(), s.pass.Pkg.Name()+"."+decl.Name.Name
	if !slices.ContainsFunc(s.facts.own, func(c blindCall) bool { return c.Type == call.Type && c.Method == call.Method }) {
		s.facts.own = append(s.facts.own, call)
	}
}

// typeName returns the name of a type as facts spell it.
func typeName(t types.Type) string {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		t = named.Origin()
	}
	return types.TypeString(t, (*types.Package).Path)
}

// blocks returns why a function without an annotation or a twin blocks, or nil. It blocks if
// it waits where a machine would suspend, or in a way that would also block a machine.
func (s *survey) blocks(fn *types.Func) *reason {
	fn = fn.Origin()
	decl := s.decls[fn]
	if decl == nil {
		if r, ok := s.facts.blocks[fn.FullName()]; ok && s.twins.Twin(fn) == nil {
			return &r
		}
		return nil
	}
	if source.IsAnnotated(decl) || s.twins.Twin(fn) != nil || s.twins.Plain(fn) != nil {
		return nil
	}
	if found, asked := s.facts.asked[fn]; asked {
		return found
	}
	s.facts.asked[fn] = nil // in case it calls itself
	s.facts.asked[fn] = s.blocksIn(decl.Body)
	return s.facts.asked[fn]
}

// blocksIn returns the first reason why a function with this body blocks, or nil.
func (s *survey) blocksIn(body *ast.BlockStmt) (found *reason) {
	b := &blocking{survey: s, table: blockers}
	ast.PreorderStack(body, nil, func(n ast.Node, stack []ast.Node) bool {
		if found != nil || !s.runsHere(n, stack) {
			return false
		}
		found = s.reason(b, n, stack)
		return true
	})
	return found
}

// runsHere reports whether the function around n runs n itself: it does not leave n to another
// goroutine, to a job, or to the caller of a function that it returns. stack leads to n.
func (s *survey) runsHere(n ast.Node, stack []ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return false
	case *ast.CallExpr:
		return !isObjectOf(s.callee(n), jobPath, "Blocking")
	case *ast.FuncLit:
		call, _ := callAround(stack)
		if call != nil {
			return !s.startsJob(call) && !startsGoroutine(s.callee(call))
		}
		if len(stack) == 0 {
			return false
		}
		switch stack[len(stack)-1].(type) {
		case *ast.AssignStmt, *ast.ValueSpec:
			return true
		case *ast.ReturnStmt:
			return isSequence(s.info.TypeOf(n))
		}
		return false
	}
	return true
}

// isSequence reports whether t is a function that a range may be over.
func isSequence(t types.Type) bool {
	sig, ok := coreOf(t).(*types.Signature)
	if !ok || sig.Params().Len() != 1 || sig.Results().Len() > 0 {
		return false
	}
	yield, ok := coreOf(sig.Params().At(0).Type()).(*types.Signature)
	return ok && yield.Results().Len() == 1 && types.Identical(yield.Results().At(0).Type(), types.Typ[types.Bool])
}

// starters are functions that call their argument on another goroutine, or later.
var starters = map[string]bool{
	"golang.org/x/sync/errgroup.Group.Go": true, "golang.org/x/sync/errgroup.Group.TryGo": true, "sync.WaitGroup.Go": true,
	"time.AfterFunc": true, "context.AfterFunc": true,
	"net/http.HandleFunc": true, "net/http.ServeMux.HandleFunc": true,
}

func startsGoroutine(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && starters[tableKey(fn)]
}

// reason returns why n blocks, or nil.
func (s *survey) reason(b *blocking, n ast.Node, stack []ast.Node) *reason {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := types.ExprString(n.Fun)
		callee := s.callee(n)
		if s.blocksWhereKept(n) {
			return &reason{Calls: name, Twin: true}
		}
		if b.advice(n) != "" {
			return &reason{Calls: name}
		}
		if callee != nil && callee.Pkg() != nil {
			if inner := s.blocks(callee); inner != nil {
				return &reason{Calls: name, Twin: inner.Twin}
			}
		}
	case *ast.SendStmt:
		if !inSelect(n, stack) {
			return &reason{Calls: "a send"}
		}
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && !inSelect(n, stack) {
			return &reason{Calls: "a receive"}
		}
	case *ast.RangeStmt:
		if _, ok := coreOf(s.info.TypeOf(n.X)).(*types.Chan); ok {
			return &reason{Calls: "a loop over a channel"}
		}
	case *ast.SelectStmt:
		if !hasDefault(n) {
			return &reason{Calls: "a select"}
		}
	}
	return nil
}
