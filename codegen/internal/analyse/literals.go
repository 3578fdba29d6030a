package analyse

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Literal is a function literal that becomes a machine.
type Literal struct {
	Node  *ast.FuncLit
	Names source.Names // of its declarations
	Facts *Facts       // about the literal

	ir.Literal
	Deferred bool // its call is deferred
	Waited   bool // the machine that starts it waits for it; false in the plain copy of a literal
}

// Literals are the function literals of one annotated function, including nested ones, and the
// function values known in it.
type Literals struct {
	Machines map[*ast.FuncLit]*Literal // those that become machines
	Order    []*Literal                // the same, each after the one that contains it
	Runs     map[*ast.CallExpr]JobRun
	Named    map[ast.Expr]NamedRun // functions with twins that the runtime calls
	// Entries are the variables that hold suspending functions, by their companions.
	Entries map[*types.Var]*FuncVar
	// Lists are the variadic parameters with companions, by those.
	Lists map[*types.Var]*FuncList

	vars       map[*types.Var]*FuncVar // the same, by the variables themselves
	lists      map[*types.Var]*FuncList
	arguments  map[*types.Var]ast.Expr // what variables hold until it is passed to the runtime
	suspending map[*ast.FuncLit]bool   // results of literalSuspends
	alone      map[ast.Expr]bool       // values that are assigned by statements of their own
	assigned   map[*types.Var][]ast.Expr
}

func newLiterals() *Literals {
	return &Literals{
		suspending: map[*ast.FuncLit]bool{}, Machines: map[*ast.FuncLit]*Literal{}, Runs: map[*ast.CallExpr]JobRun{}, Named: map[ast.Expr]NamedRun{},
		arguments: map[*types.Var]ast.Expr{}, alone: map[ast.Expr]bool{}, assigned: map[*types.Var][]ast.Expr{}, vars: map[*types.Var]*FuncVar{}, Entries: map[*types.Var]*FuncVar{},
		lists: map[*types.Var]*FuncList{}, Lists: map[*types.Var]*FuncList{},
	}
}

// literalSuspends reports whether lit itself contains a suspension point.
func (fs *Facts) literalSuspends(lit *ast.FuncLit) bool {
	known, seen := fs.Literals.suspending[lit]
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
				found = found || fs.holdsPoint(arg)
			}
			return false
		case *ast.RangeStmt:
			_, streams := fs.StreamIn(n)
			found = found || streams
		case *ast.CallExpr:
			found = found || fs.isPoint(n)
		}
		return !found
	})
	fs.Literals.suspending[lit] = found
	return found
}

// isPoint reports whether a call suspends when a machine makes it.
func (fs *Facts) isPoint(call *ast.CallExpr) bool {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return fs.literalSuspends(lit)
	}
	if fs.FuncVarOf(call.Fun) != nil {
		return true
	}
	if _, given := fs.entersGiven(call); given {
		return true
	}
	_, suspends := fs.Source.Package.Twins.Suspends(call, fs.Info)
	return suspends
}

// holdsPoint reports whether n contains a suspension point outside of function literals.
func (fs *Facts) holdsPoint(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok && fs.isPoint(call) {
			found = true
		}
		return !found
	})
	return found
}

// machine makes a literal a machine. Its declarations follow those of the function.
func (fs *Facts) machine(lit *ast.FuncLit) *Literal {
	if l := fs.Literals.Machines[lit]; l != nil {
		return l
	}
	l := &Literal{Node: lit}
	fs.Literals.Machines[lit] = l
	fs.Literals.Order = append(fs.Literals.Order, l)
	stem := fs.literalStem(len(fs.Literals.Order))
	l.Names = source.Names{
		Async: fs.freeName(stem + "Run"), Enter: fs.freeName(stem + "Enter"),
		Frame: fs.freeName(stem + "Frame"), Locals: fs.freeName(stem + "Locals"),
		Args: fs.freeName(stem + "Args"), Machine: fs.freeName(stem + "Machine"),
	}
	l.Facts = fs.inner(l)
	fs.inside = append(fs.inside, l)
	return l
}

// literalStem returns the prefix of the names of a literal's declarations: fetchFunc1 in
// fetch, where Go itself calls the literal fetch.func1.
func (fs *Facts) literalStem(n int) string { return fs.Source.Names.Stem + "Func" + strconv.Itoa(n) }

// freeName returns a name for a declaration next to the function that neither the package
// nor the function uses.
func (fs *Facts) freeName(name string) string {
	return typetext.Free(name, fs.Source.Package.Names, fs.Source.Package.Nearer, fs.annotatedFacts().mentions)
}

// inner returns empty facts about a literal in the function.
func (fs *Facts) inner(l *Literal) *Facts {
	c := newFacts(fs.Source, fs.Imports)
	c.Outer, c.Literal, c.Literals, c.usage = fs, l, fs.Literals, fs.usage
	c.Function.Literal = &l.Literal
	c.Node, c.Body, c.Declared = l.Node, l.Node.Body, l.Names
	c.Signature = fs.TypeOf(l.Node).(*types.Signature)
	return c
}

// annotatedFacts returns the facts about the annotated function.
func (fs *Facts) annotatedFacts() *Facts {
	for fs.Outer != nil {
		fs = fs.Outer
	}
	return fs
}
