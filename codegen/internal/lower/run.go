package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
)

// Functions that the runtime calls. job.Run, a scope's Go, coord.Lazy and similar functions take
// a function. If that function suspends, it is replaced by one that reports this to the runtime
// (package internal/suspension). Its type and the call stay the same. For a literal, source, then
// result:
//
//	j := job.Run(ctx, func(ctx context.Context) (int, error) { return fetch(ctx, url) },
//		job.On(s))
//
//	j := job.Run(ctx, func(ctx1 context.Context) (int, error) {
//		return loadFunc1Run(url, ctx1)
//	}, job.On(s))
//
// and for a function that has a twin:
//
//	s.Go(c.ping)
//
//	s.Go(statemachine.Action1(c.pingAsync))
//
// The call itself is plain Go, so it is handled anywhere in the function, including function
// literals that stay as they are.

// A job that is awaited where it is started need not be queued. Source, then result:
//
//	v, err := job.Run(ctx, fn).Await()
//
//	awaited = job.New(ctx, fn)
//
// Awaiting starts the job, and a machine that awaits it on a worker of its scheduler runs it. The
// way through the queue would cost 250 ns, half of them for waking another worker in vain.

// A function that the caller waits for suspends only if the caller itself can, since the caller
// then uses the twin. In a literal that stays plain Go, the call is plain, and would not
// understand that the function has suspended. Source, then result:
//
//	err = job.InScope(ctx, func(ctx context.Context, s *job.Scope) error { return fill(ctx, s) })
//
//	f.inScope1 = job.InScopeAsync(f.ctx, func(ctx1 context.Context, s1 *job.Scope) error {
//		return fetchFunc1Run(ctx1, s1)
//	})

// startsMachine reports whether a job's literal is a machine in the place that is being scanned.
// In the plain copy of a literal that is also a machine, it may name types that are declared in
// the copy; for machines these types are declared elsewhere.
func (s *mentionScan) startsMachine(lit *ast.FuncLit) bool {
	l := s.lo.Literals.Machines[lit]
	return l != nil && l.Started && (s.literals == 0 || !l.Waited) && !s.lo.NamesTypesOf(lit, s.around)
}

// replaceRunner spells the name in call as that of job.New, if the job is awaited where it is
// started.
func (s *mentionScan) replaceRunner(call *ast.CallExpr) {
	if r, ok := s.lo.Literals.Runs[call]; ok && r.Awaited && s.literals == 0 {
		s.replace(r.Name, ir.Text(s.lo.spelledBeside(call, r.Name, source.LaterName)))
	}
}

// startLiteral replaces the literal with one that takes the machine's first step.
func (lo *lowering) startLiteral(lit *ast.FuncLit) ir.Rope {
	l := lo.machineOf(lit)
	args := lo.passedAll(l, true)
	var names []string
	for i := range l.Signature.Params().Len() {
		stem := l.Signature.Params().At(i).Name()
		if stem == "" || stem == "_" {
			stem = "arg"
		}
		names = append(names, lo.names.Fresh(stem))
		args = append(args, ir.Rope{ir.Text(names[i])})
	}
	params := lo.typesOf(l.Signature.Params(), lit)
	for i, name := range names {
		params[i] = append(ir.Rope{ir.Text(name + " ")}, params[i]...)
	}
	r := append(ir.Rope{ir.Text("func(")}, join(params)...)
	r = append(append(r, ir.Text(") (")), join(lo.typesOf(l.Signature.Results(), lit))...)
	r = append(append(r, ir.Text(") {\nreturn "+l.Declared.Async+lo.typeArgsAt(lit)+"(")), join(args)...)
	return append(r, ir.Text(")\n}"))
}

// runs reports whether the function passes a suspending function to the runtime, so that calling
// the function as written would pass one that blocks.
func (lo *lowering) runs() bool {
	return len(lo.Literals.Named) > 0 || slices.ContainsFunc(lo.Literals.Order, func(l *analyse.Literal) bool { return l.Started })
}

// replaceNamed replaces a function that the runtime calls with its twin, wrapped for the runtime.
func (s *mentionScan) replaceNamed(e ast.Expr) bool {
	run, ok := s.lo.Literals.Named[e]
	if !ok || run.Waited && s.literals > 0 {
		return false
	}
	sig := s.lo.TypeOf(e).Underlying().(*types.Signature)
	helper := "Func"
	if len(source.ResultsOf(sig).Values) == 0 {
		helper = "Action"
	}
	helper += strconv.Itoa(sig.Params().Len())
	s.insert(e.Pos(), ir.StatemachineName, ir.Text("."+helper+"("))
	_, id, _ := source.Callee(&ast.CallExpr{Fun: e}, s.lo.Info)
	if f, ok := source.StripInstantiation(e).(*ast.SelectorExpr); ok {
		s.walk(f.X)
	}
	s.replace(id, ir.Text(s.lo.spelledBeside(&ast.CallExpr{Fun: e}, id, run.Twin.Name())))
	switch f := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		s.walk(f.Index)
	case *ast.IndexListExpr:
		for _, index := range f.Indices {
			s.walk(index)
		}
	default:
		if n := run.TypeArgs.Len(); n > 0 {
			s.insert(e.End(), s.lo.typeArgument(e, slices.Collect(run.TypeArgs.Types())...))
		}
	}
	s.insert(e.End(), ir.Text(")"))
	return true
}

// insert puts pieces between the text before pos and the text after it.
func (s *mentionScan) insert(pos token.Pos, with ...ir.Piece) {
	s.edits = append(s.edits, ir.Edit{Pos: pos, End: pos, With: with})
}
