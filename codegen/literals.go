package codegen

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Function literals that become machines.
//
// A function literal is a function of its own, and most of them stay as they are: what
// suspends in them blocks, as it does in plain code. But where a literal runs as a
// part of the annotated function, blocking would hold the machine's worker. Such
// literals are lowered like the function around them. Source, then result:
//
//	err := func() error { n++; return pause(ctx) }()
//
//	f.func1, f.err = retryFunc1Enter(t, f.n, f.ctx)
//
// # What a literal captures
//
// In Go, a literal shares the variables around it. Here each captured variable is one
// more parameter of the entry: a variable that is assigned or whose address is taken
// lives in a cell of its own, and the parameter is the pointer to it (see "Closures and
// addresses" in the package comment). For any other variable, the value is passed. So
// sharing works both ways, and neither frame knows of the other.
//
// Captures are found while the literal is flattened, by the first mention of each. A
// literal within the literal asks the one around it, which captures what it passes on.

// literal is a function literal that becomes a machine.
type literal struct {
	node     *ast.FuncLit
	names    source.Names
	unit     *unit
	captures []*types.Var
	flat     bool // it has been flattened

	// What it is used for.
	deferred bool
	entered  bool // by machines
	started  bool // as a job
	waited   bool // by the machine that starts it; none in the plain copy of a literal
}

// literals are those of one function, the literals within literals among them.
type literals struct {
	suspending map[*ast.FuncLit]bool // answers of holdsPoint
	machines   map[*ast.FuncLit]*literal
	order      []*literal
	runs       map[*ast.CallExpr]jobRun
	named      map[ast.Expr]namedRun // functions with twins that the runtime calls

	given   map[*types.Var]ast.Expr // what variables hold until the runtime is given it
	vars    map[*types.Var]*funcVar // those that hold suspending functions
	entries map[*types.Var]*funcVar // by their companions
}

func newLiterals() *literals {
	return &literals{
		suspending: map[*ast.FuncLit]bool{}, machines: map[*ast.FuncLit]*literal{}, runs: map[*ast.CallExpr]jobRun{}, named: map[ast.Expr]namedRun{},
		given: map[*types.Var]ast.Expr{}, vars: map[*types.Var]*funcVar{}, entries: map[*types.Var]*funcVar{},
	}
}

// literalSuspends reports whether lit itself has something to suspend for.
func (u *unit) literalSuspends(lit *ast.FuncLit) bool {
	known, seen := u.literals.suspending[lit]
	if seen {
		return known
	}
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.GoStmt:
			for _, arg := range n.Call.Args {
				found = found || u.holdsPoint(arg)
			}
			return false
		case *ast.RangeStmt:
			_, streams := u.streamIn(n)
			found = found || streams
		case *ast.CallExpr:
			found = found || u.isPoint(n)
		}
		return !found
	})
	u.literals.suspending[lit] = found
	return found
}

// isPoint reports whether a call suspends if it is made by a machine.
func (u *unit) isPoint(call *ast.CallExpr) bool {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return u.literalSuspends(lit)
	}
	if u.funcVarOf(call.Fun) != nil || u.operates(call) {
		return true
	}
	_, suspends := u.fn.Package.Twins.Suspends(call, u.info)
	return suspends
}

// holdsPoint reports whether n holds a suspension point, not counting those of function
// literals.
func (u *unit) holdsPoint(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok && u.isPoint(call) {
			found = true
		}
		return !found
	})
	return found
}

// machine makes a literal a machine. It is flattened when it is first asked for; its
// declarations are printed after those of the function.
func (u *unit) machine(lit *ast.FuncLit) *literal {
	if l := u.literals.machines[lit]; l != nil {
		return l
	}
	l := &literal{node: lit}
	u.literals.machines[lit] = l
	u.literals.order = append(u.literals.order, l)
	stem := u.literalStem(len(u.literals.order))
	l.names = source.Names{
		Async: u.freeName(stem + "Run"), Enter: u.freeName(stem + "Enter"),
		Frame: u.freeName(stem + "Frame"), Locals: u.freeName(stem + "Locals"),
		Machine: u.freeName(stem + "Machine"),
	}
	l.unit = u.inner(l)
	u.inside = append(u.inside, l)
	return l
}

// lowered is the machine of a literal whose captures are known.
func (u *unit) lowered(lit *ast.FuncLit) *literal {
	l := u.machine(lit)
	if !l.flat {
		l.flat = true
		l.unit.flatten()
		l.unit.prune()
	}
	return l
}

// literalStem is the prefix of the names of a literal's declarations: fetchFunc1 in
// fetch, as Go itself calls the literal fetch.func1.
func (u *unit) literalStem(n int) string { return u.fn.Names.Stem + "Func" + strconv.Itoa(n) }

// freeName is a name for a declaration next to the function that neither the package
// nor the function uses.
func (u *unit) freeName(name string) string {
	return typetext.Free(name, u.fn.Package.Names, u.root().names.mentions)
}

// inner is the unit of a literal in u.
func (u *unit) inner(l *literal) *unit {
	c := newUnit(u.fn, u.imports)
	c.outer, c.self, c.literals, c.facts = u, l, u.literals, u.facts
	c.node, c.body, c.named = l.node, l.node.Body, l.names
	c.sig = u.typeOf(l.node).(*types.Signature)
	c.names = newNamer(c)
	c.debug, c.records = u.debug, u.records
	return c
}

// root is the unit of the annotated function.
func (u *unit) root() *unit {
	for u.outer != nil {
		u = u.outer
	}
	return u
}

// capture makes a variable of the functions around u one of u: a parameter of
// its entry. It returns nil for everything else.
func (u *unit) capture(obj types.Object) *variable {
	v, ok := obj.(*types.Var)
	if !ok || u.self == nil || v.IsField() || !within(u.fn.Decl, v.Pos()) || within(u.node, v.Pos()) {
		return nil
	}
	c := u.declare(v)
	c.param, c.outside, c.place = true, true, inFrame
	u.self.captures = append(u.self.captures, v)
	return c
}

// passed is what u passes to a literal in it for a captured variable: the pointer to
// its cell, or its value. In a function literal that stays plain (closure), it is
// spelled as there.
func (u *unit) passed(obj *types.Var, closure bool) piece {
	v := u.vars[obj]
	if v == nil {
		v = u.capture(obj)
	}
	if v == nil { // it is in a statement that is kept, and has not moved
		if f := *u.factsOf(obj); (&variable{typ: obj.Type(), facts: f}).shared() {
			return text("&" + obj.Name())
		}
		return text(obj.Name())
	}
	as := value
	if v.shared() {
		as = address
	}
	if closure {
		as += borrowed - value
	}
	return useAs(v, as)
}

// enterLiteral calls the entry of a literal. The first argument is the task.
func (u *unit) enterLiteral(l *literal, closure bool, args ...rope) rope {
	l.entered = true
	args = slices.Insert(args, 1, u.passedAll(l, closure)...)
	return append(append(rope{text(l.names.Enter + u.typeArgs() + "(")}, joined(args)...), text(")"))
}

// passedAll is what u passes for all captures of a literal.
func (u *unit) passedAll(l *literal, closure bool) []rope {
	var list []rope
	for _, obj := range l.captures {
		list = append(list, rope{u.passed(obj, closure)})
	}
	return list
}
