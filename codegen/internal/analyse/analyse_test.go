package analyse_test

import (
	"go/ast"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/testmodel"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// job is the part of package job that the rule of twins needs.
const job = `package job // import "github.com/movenext/movenext/job"

import (
	"context"

	"github.com/movenext/movenext/job/root"
)

type Job[T any] struct{}

func (*Job[T]) Await() (T, error) { panic(0) }

func Yield() error { return nil }

func Go(ctx context.Context, fn root.Action) *Job[int] { return nil }
`

// root is the part of package root that marks parameters.
const root = `package root // import "github.com/movenext/movenext/job/root"

import "context"

type Action = func(ctx context.Context) error
`

// facts returns the facts about a function f with these parameters and this body, and a function
// that returns the nth statement of f.
func facts(params, body string) (*analyse.Facts, func(n int) ast.Stmt) {
	text := "package p\nimport (\"context\"; \"github.com/movenext/movenext/job\")\nvar _ context.Context\nvar _ = job.Yield\nfunc use(...any) {}\nfunc f(" + params + ") (err error) {\n" + body + "\nreturn nil\n}"
	p := testmodel.Package(text, root, job)
	fn := testmodel.Function(p, "f")
	return analyse.Function(fn, typetext.New(p, fn.File)), func(n int) ast.Stmt { return fn.Decl.Body.List[n] }
}

// variable returns the function's variable with a name.
func variable(t *testing.T, f *analyse.Facts, name string) *types.Var {
	t.Helper()
	for id, obj := range f.Info.Defs {
		if v, ok := obj.(*types.Var); ok && id.Name == name {
			return v
		}
	}
	t.Fatal("no variable " + name)
	return nil
}

func TestSuspendingCallsAndTheStatementsAroundThem(t *testing.T) {
	f, stmt := facts("n int", "use(n)\nif n > 0 { _ = job.Yield() }\ngo job.Yield()\nuse(func() { _ = job.Yield() })")
	assert.Empty(t, f.Findings)
	require.Len(t, f.Points, 1)
	for _, s := range f.Points {
		assert.Equal(t, source.KindYield, s.Kind)
	}
	assert.False(t, f.Suspends(stmt(0)))
	assert.True(t, f.Suspends(stmt(1)))
	assert.False(t, f.Suspends(stmt(2)), "another goroutine")
	assert.False(t, f.Suspends(stmt(3)), "a literal that stays plain Go blocks")
	assert.Empty(t, f.Literals.Order)
}

func TestHowVariablesAreUsed(t *testing.T) {
	f, _ := facts("param int", "a, b, c, d := 1, 2, 3, 4\nb = 5\nuse(a, b, &c)\nfunc() { d++ }()\nfor i := range 3 { use(i) }")
	a, b, c, d := f.UsageOf(variable(t, f, "a")), f.UsageOf(variable(t, f, "b")), f.UsageOf(variable(t, f, "c")), f.UsageOf(variable(t, f, "d"))
	assert.Zero(t, a)
	assert.True(t, b.Mutated && !b.Captured)
	assert.True(t, c.Addressed && !c.Mutated)
	assert.True(t, d.Captured && d.Mutated && d.InLiteral)
	assert.Equal(t, !f.LoopVarPerIteration(), f.UsageOf(variable(t, f, "i")).Mutated, "before Go 1.22 all iterations shared it")
}

func TestLiteralsThatBecomeMachines(t *testing.T) {
	f, stmt := facts("ctx context.Context", "func() { func() { _ = job.Yield() }() }()\ndefer func() { _ = job.Yield() }()\njob.Go(ctx, func(context.Context) error { return job.Yield() })")
	require.Len(t, f.Literals.Order, 4)
	outer, deferred, started, inner := f.Literals.Order[0], f.Literals.Order[1], f.Literals.Order[2], f.Literals.Order[3]
	assert.Equal(t, "fFunc1Frame", outer.Names.Frame)
	assert.Same(t, f, outer.Facts.Outer)
	assert.Same(t, outer.Facts, inner.Facts.Outer, "it is a part of the literal around it")
	assert.True(t, deferred.Deferred)
	assert.NotNil(t, f.Deferred[stmt(1).(*ast.DeferStmt)])
	assert.True(t, f.Defers)
	assert.True(t, started.Started && !started.Entered)
	assert.Len(t, inner.Facts.Points, 1)
	assert.Same(t, inner, f.Literals.Machines[inner.Node])
}

func TestAVariableThatOnlyEverHoldsWhatSuspendsHasACompanion(t *testing.T) {
	f, stmt := facts("", "visit := func() error { return job.Yield() }\nuse(visit())\nother := func() error { return job.Yield() }\nuse(&other)\nuse(other())")
	require.Len(t, f.Literals.Entries, 1)
	for entry, held := range f.Literals.Entries {
		assert.Equal(t, "visitEnter", entry.Name())
		assert.Same(t, variable(t, f, "visit"), held.Var)
		assert.False(t, held.Read, "it is called, and nothing else")
	}
	assert.True(t, f.Suspends(stmt(1)))
	assert.False(t, f.Suspends(stmt(4)), "anything may be assigned by the address")
}

func TestStatementsThatAreTakenApartForTheirOrder(t *testing.T) {
	f, stmt := facts("m map[int][]int, p *int", "a, b := 1, *p\nuse(a, b)\nc, d := *p, 1/len(m)\nuse(c, d)")
	assert.False(t, f.Decomposed[stmt(0)])
	assert.True(t, f.Decomposed[stmt(2)], "which of the panics surfaces depends on the order")
	assert.True(t, f.Suspends(stmt(2)), "a decomposed statement counts as one that suspends")
}

func TestAllFindingsAreMadeAtOnce(t *testing.T) {
	f, _ := facts("", "recover()\nfunc() { recover() }()\ndefer func() { recover() }()\nrecover()")
	require.Len(t, f.Findings, 2)
	for _, d := range f.Findings {
		assert.Equal(t, source.CategoryUnsupported, d.Category)
		assert.Contains(t, d.What, "recover")
	}
}

func TestTheOrderOfATuple(t *testing.T) {
	f, stmt := facts("m []int, p *int", "var x int\nx, m[0], x = m[0], 2, *p\nuse(x)")
	assign := stmt(1).(*ast.AssignStmt)
	order := f.Tuple(func(ast.Expr) bool { return false })
	assert.False(t, order.Affected(assign.Rhs[0]), "nothing has been assigned")
	order.Assign(assign.Lhs, 0)
	assert.False(t, order.Affected(assign.Rhs[2]), "x is a local variable")
	order.Assign(assign.Lhs, 1)
	assert.True(t, order.Affected(assign.Rhs[2]), "memory has been assigned")
	assert.False(t, f.Tuple(func(ast.Expr) bool { return true }).Affected(assign.Rhs[2]))
}
