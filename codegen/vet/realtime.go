package vet

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

const jobtestPath = source.Module + "/jobtest"

// realTimes are functions that wait for real time, or end something then, each with what to do
// instead. Those that only read the clock are left out: a log has the real time, and a deadline
// that is computed from it is one in the future for job.WithDeadline, too.
var realTimes = map[string]string{
	"context.WithTimeout": "call job.WithTimeout", "context.WithTimeoutCause": "call job.WithTimeout",
	"context.WithDeadline": "call job.WithDeadline", "context.WithDeadlineCause": "call job.WithDeadline",
	"time.Sleep": "call job.Sleep", "time.After": "await job.SleepAsync", "time.AfterFunc": "call job.Sleep in a job",
	"time.NewTimer": "await job.SleepAsync", "time.Tick": "call job.Sleep in a loop", "time.NewTicker": "call job.Sleep in a loop",
}

// simulated are the functions of package jobtest that run an argument in a simulation, each with
// the number of that argument. The plain form that BothForms gets runs in a bubble of
// testing/synctest, where the time of the standard library is virtual, too.
var simulated = map[string]int{"Explore": 1, "Run": 1, "BothForms": 2}

// realTimeCalls reports waits for real time in code that a test hands to jobtest, in whichever
// function of the package the wait is: a simulation has its own clock, and such a wait would last
// as long as it says, or the schedule would end as a deadlock.
func realTimeCalls(r *reporter, s *survey) {
	c := &realTimeCheck{callCheck: &callCheck{reporter: r, survey: s}, held: map[types.Object][]ast.Expr{}, seen: map[any]bool{}}
	var handed []handedOver
	for _, file := range s.files {
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if arg, decl := c.simulatedArgument(call), declarationIn(stack); arg != nil && decl != nil {
					handed = append(handed, handedOver{arg, decl.Name.Name})
				}
			}
			if e, ok := n.(ast.Expr); ok {
				c.hold(e, stack)
			}
			return true
		})
	}
	for _, h := range handed {
		c.test = h.test
		c.follow(h.function, false)
	}
}

// handedOver is a function that a test hands to package jobtest.
type handedOver struct {
	function ast.Expr
	test     string
}

// realTimeCheck follows functions from where a test hands them over.
type realTimeCheck struct {
	*callCheck
	held map[types.Object][]ast.Expr // the functions that a variable, field or parameter may hold
	seen map[any]bool                // the functions, literals and variables that were followed
	test string                      // the name of the test
}

// simulatedArgument returns the argument of call that runs in a simulation, or nil.
func (c *realTimeCheck) simulatedArgument(call *ast.CallExpr) ast.Expr {
	fn := c.callee(call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != jobtestPath || fn.Signature().Recv() != nil {
		return nil
	}
	if at, ok := simulated[fn.Name()]; ok && at < len(call.Args) {
		return call.Args[at]
	}
	return nil
}

// hold records where e is kept, if it is a function.
func (c *realTimeCheck) hold(e ast.Expr, stack []ast.Node) {
	if _, ok := coreOf(c.info.TypeOf(e)).(*types.Signature); !ok {
		return
	}
	if to := c.destination(e, stack); to != nil {
		c.held[to] = append(c.held[to], e)
	}
}

// follow looks at all code in n, and at what it mentions. In a machine the check blocking reports
// what blocks.
func (c *realTimeCheck) follow(n ast.Node, inMachine bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			known := c.seen[n]
			c.seen[n] = true
			return !known
		case *ast.CallExpr:
			c.call(n, inMachine)
		case *ast.Ident:
			switch o := c.info.Uses[n].(type) {
			case *types.Func:
				c.enter(n, c.plainForm(o))
			case *types.Var:
				if place := o.Origin(); !c.seen[place] {
					c.seen[place] = true
					for _, e := range c.held[place] {
						c.follow(e, false)
					}
				}
			}
		}
		return true
	})
}

// plainForm returns the function that the programmer has written: fn, or the plain form of a twin.
func (s *survey) plainForm(fn *types.Func) *types.Func {
	if plain := s.twins.Plain(fn); plain != nil {
		return plain
	}
	return fn.Origin()
}

// enter follows a function that id names.
func (c *realTimeCheck) enter(id *ast.Ident, fn *types.Func) {
	decl := c.decls[fn]
	switch {
	case decl != nil && !c.seen[fn]:
		c.seen[fn] = true
		c.follow(decl.Body, source.IsAnnotated(decl))
	case decl == nil && fn.Pkg() != nil:
		if calls, ok := c.facts.realTime[fn.FullName()]; ok {
			c.report(id, reachesRealTime(id.Name, calls, c.test, realTimes[calls]))
		}
	}
}

func (c *realTimeCheck) call(call *ast.CallExpr, inMachine bool) {
	fn := c.callee(call)
	if fn == nil || inMachine && (isObjectOf(fn, "time", "Sleep") || isObjectOf(fn, "time", "After")) {
		return
	}
	key := tableKey(fn)
	do, ok := realTimes[key]
	if !ok {
		return
	}
	p := c.patch(call.Pos())
	if isObjectOf(fn, "context", "WithTimeout") || isObjectOf(fn, "context", "WithDeadline") {
		p.replace(call.Fun, p.qualifier(jobPath)+"."+fn.Name())
	}
	c.report(call, waitsInRealTime(key, c.test, do), p.fix(do))
}

// realTimeFacts returns the functions of the package that reach a wait for real time.
func (s *survey) realTimeFacts() (list []realTimeFunc) {
	callers := map[*types.Func][]*types.Func{}
	reached := map[*types.Func]string{}
	var next []*types.Func
	byName := func(a, b *types.Func) int { return strings.Compare(a.FullName(), b.FullName()) }
	for _, fn := range slices.SortedFunc(maps.Keys(s.decls), byName) { // one that reaches several has one
		s.eachMentioned(s.decls[fn], func(_ *ast.Ident, inner *types.Func) {
			inner = s.plainForm(inner)
			key := tableKey(inner)
			if _, waits := realTimes[key]; !waits {
				key = s.facts.realTime[inner.FullName()]
			}
			callers[inner] = append(callers[inner], fn)
			if _, known := reached[fn]; key != "" && !known {
				reached[fn], next = key, append(next, fn)
			}
		})
	}
	for ; len(next) > 0; next = next[1:] {
		for _, by := range callers[next[0]] {
			if _, known := reached[by]; !known {
				reached[by], next = reached[next[0]], append(next, by)
			}
		}
	}
	for fn, calls := range reached {
		list = append(list, realTimeFunc{fn.FullName(), calls})
	}
	slices.SortFunc(list, func(a, b realTimeFunc) int { return strings.Compare(a.Name, b.Name) })
	return list
}
