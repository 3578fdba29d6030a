package durable

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// kind is what a call waits for.
type kind uint8

const (
	noPoint kind = iota
	stepPoint
	receivePoint
	sleepPoint
	allPoint
	anyPoint
	selectPoint
)

// point is a point of the function.
type point struct {
	name     string
	position string // file:line
	step     string // name of the step
	number   int
	call     *ast.CallExpr
	kind     kind
	resume   string // label
	fun      string // of a step: the callee as Call spells it

	args    []*variable
	results []*variable
	live    []*variable
}

// pause is the call that ends the turn at a point. Its first argument is the point's number,
// which is known after pruning.
type pause struct {
	point   *point
	request string   // a method of gen.Turn, or a function of package gen
	typed   string   // the type argument of the function; empty: it is a method
	args    []string // after the number
	spread  bool     // the last argument is followed by ...
}

// directive is a comment that names a point.
type directive struct {
	name    string
	comment *ast.Comment
	used    bool
}

// readDirectives collects the names of points by the line where the point may be: the one below
// the comment.
func (lo *lowering) readDirectives() {
	decl := lo.fn.Decl
	for _, group := range lo.fn.File.Syntax.Comments {
		for _, c := range group.List {
			name, ok := pointName(c.Text)
			if ok && decl.Body.Pos() < c.Pos() && c.Pos() < decl.Body.End() {
				lo.pointNames[lo.line(c.Pos())+1] = &directive{name: name, comment: c}
			}
		}
	}
}

func (lo *lowering) line(pos token.Pos) int { return lo.fn.Package.Read(pos).Line }

// kindOf returns the kind of point that a call is.
func (lo *lowering) kindOf(call *ast.CallExpr) kind {
	fn, _, _ := source.Callee(call, lo.info)
	if fn == nil || fn.Pkg() == nil {
		return noPoint
	}
	switch {
	case lo.isStep(fn):
		return stepPoint
	case source.IsObject(fn, source.DurablePath, "Receive"):
		return receivePoint
	case source.IsObject(fn, source.DurablePath, "Sleep"):
		return sleepPoint
	case source.IsObject(fn, source.DurablePath, "All"):
		return allPoint
	case source.IsObject(fn, source.DurablePath, "Any"):
		return anyPoint
	case source.IsObject(fn, source.DurablePath, "Select"):
		return selectPoint
	}
	return noPoint
}

// firstPoint returns the first call in a node that is a point, ignoring function literals, or nil
// if there is none.
func (lo *lowering) firstPoint(n ast.Node) (found *ast.CallExpr) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if found == nil && lo.kindOf(n) != noPoint {
				found = n
			}
		}
		return found == nil
	})
	return found
}

// hasPoint reports whether a statement has to be taken apart: it contains a point or a defer.
func (lo *lowering) hasPoint(s ast.Stmt) bool {
	defers := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			defers = true
		}
		return !defers
	})
	return defers || lo.firstPoint(s) != nil
}

func (lo *lowering) calleeName(call *ast.CallExpr) string {
	fn, _, _ := source.Callee(call, lo.info)
	return fn.Name()
}

// point lowers a statement that contains a point and assigns the point's results to operands.
func (lo *lowering) point(s ast.Stmt, call *ast.CallExpr, dst []ast.Expr) {
	var to []*variable
	for _, e := range dst {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			lo.refuse(resultNotVariable(lo.fn.Extent(e), lo.calleeName(call)))
			return
		}
		lo.checkAssignment(id)
		to = append(to, lo.variableOf(id))
	}
	lo.pointInto(s, call, to)
}

// pointInto lowers a point and assigns its results to variables; results for nil are dropped.
func (lo *lowering) pointInto(s ast.Stmt, call *ast.CallExpr, dst []*variable) {
	pos := lo.fn.Package.Read(call.Pos())
	p := &point{
		name: lo.calleeName(call), position: fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line),
		call: call, kind: lo.kindOf(call),
	}
	if d := lo.pointNames[lo.line(s.Pos())]; d != nil {
		p.name, d.used = d.name, true
	}
	if !lo.isOwnContext(call) {
		return
	}
	p.number, p.resume = len(lo.points)+1, lo.label("resume")
	lo.points = append(lo.points, p)
	lo.add(&instr{text: fmt.Sprintf("// %s: %s", p.position, lo.sourceLine(s))})
	switch p.kind {
	case stepPoint:
		lo.step(p, dst)
	case receivePoint:
		lo.receive(p, dst)
	case allPoint:
		lo.join(p, dst, "All", "Joined")
	case anyPoint:
		lo.join(p, dst, "Any", "First")
	case selectPoint:
		lo.pauseWithArguments(p, "Select")
		lo.assignResults(dst, []string{lo.outcome("Chosen", lo.durableName("Selection"))})
	default:
		lo.pause(&pause{point: p, request: "Sleep", args: []string{lo.expr(call.Args[1])}}, lo.variablesIn(call))
		lo.assignResults(dst, []string{lo.turn + ".Err()"})
	}
}

// sourceLine returns the first line of a statement.
func (lo *lowering) sourceLine(s ast.Stmt) string {
	text, _, _ := strings.Cut(string(lo.raw(s)), "\n")
	return text
}

// isOwnContext checks that a point receives the function's context. A step may receive it with a
// policy.
func (lo *lowering) isOwnContext(call *ast.CallExpr) bool {
	if len(call.Args) > 0 {
		ctx := call.Args[0]
		if with := lo.withRetry(ctx); with != nil && lo.kindOf(call) == stepPoint {
			ctx = with.Args[0]
		}
		if id, ok := ast.Unparen(ctx).(*ast.Ident); ok && lo.info.Uses[id] == lo.ctx {
			return true
		}
	}
	lo.refuse(foreignContext(lo.fn.Extent(call), lo.calleeName(call), lo.ctx.Name()))
	return false
}

// withRetry returns a call of durable.WithRetry, or nil.
func (lo *lowering) withRetry(e ast.Expr) *ast.CallExpr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil
	}
	if fn, _, _ := source.Callee(call, lo.info); fn == nil || !source.IsObject(fn, source.DurablePath, "WithRetry") || len(call.Args) != 2 {
		return nil
	}
	return call
}

// pause ends the turn at a point. The function continues at the label of the point.
func (lo *lowering) pause(p *pause, uses []*variable) {
	lo.add(&instr{pause: p, to: []string{p.point.resume}, stops: true, uses: uses})
	lo.mark(p.point.resume)
}

// assignResults assigns the results of a point.
func (lo *lowering) assignResults(dst []*variable, values []string) {
	i := &instr{}
	var left []string
	some := false
	for _, v := range dst {
		if v == nil {
			left = append(left, "_")
			continue
		}
		some = true
		left, i.defs = append(left, lo.mention(v)), append(i.defs, v)
	}
	if some {
		i.text = strings.Join(left, ", ") + " = " + strings.Join(values, ", ")
		lo.add(i)
	}
}

// step calls a step. The arguments and results are fields of the frame, since the engine makes
// the call, perhaps in another process.
func (lo *lowering) step(p *point, dst []*variable) {
	fn, _, _ := source.Callee(p.call, lo.info)
	if !lo.isCallableStep(p.call, fn) {
		return
	}
	p.step = fn.Pkg().Name() + "." + fn.Name()
	p.fun = lo.expr(p.call.Fun)
	lo.assignArguments(p, fn.Signature().Params())
	values := lo.resultFields(p, fn.Signature().Results())
	end, uses := &pause{point: p, request: "Step"}, p.args
	if with := lo.withRetry(p.call.Args[0]); with != nil {
		end.request, end.typed, end.args = "StepRetry", lo.durableName("Retry"), []string{lo.expr(with.Args[1])}
		uses = append(lo.variablesIn(with.Args[1]), uses...)
	}
	lo.pause(end, uses)
	lo.assignResults(dst, append(values, lo.turn+".Err()"))
}

// isCallableStep checks that the engine can call a step.
func (lo *lowering) isCallableStep(call *ast.CallExpr, fn *types.Func) bool {
	sig := fn.Signature()
	last := sig.Results().Len() - 1
	switch {
	case last < 0 || !isErrorType(sig.Results().At(last).Type()):
		lo.refuse(stepWithoutError(lo.fn.Extent(call), fn.Name()))
		return false
	case sig.Variadic() || len(call.Args) != sig.Params().Len() || sig.TypeParams().Len() > 0:
		lo.refuse(stepSignature(lo.fn.Extent(call), fn.Name()))
		return false
	}
	return lo.isCalleeKnown(call)
}

// assignArguments evaluates the arguments of a step.
func (lo *lowering) assignArguments(p *point, params *types.Tuple) {
	i := &instr{}
	var left, right []string
	for n, e := range p.call.Args[1:] {
		param := params.At(n + 1)
		name := param.Name()
		if name == "" || name == "_" {
			name = fmt.Sprint("arg", n+1)
		}
		v := lo.temp(p.name+strings.ToUpper(name[:1])+name[1:], p.name+"."+name, param.Type())
		p.args, i.defs = append(p.args, v), append(i.defs, v)
		left, right = append(left, lo.mention(v)), append(right, lo.expr(e))
		i.uses = append(i.uses, lo.variablesIn(e)...)
	}
	if len(left) > 0 {
		i.text = strings.Join(left, ", ") + " = " + strings.Join(right, ", ")
		lo.add(i)
	}
}

// resultFields creates fields for the results of a step other than its error, and returns their
// mentions.
func (lo *lowering) resultFields(p *point, results *types.Tuple) (mentions []string) {
	for n := range results.Len() - 1 {
		name := p.name + ".return"
		if n > 0 {
			name += strconv.Itoa(n + 1)
		}
		v := lo.temp(p.name+"Result", name, results.At(n).Type())
		p.results = append(p.results, v)
		mentions = append(mentions, lo.mention(v))
	}
	return mentions
}

// isCalleeKnown checks that the callee of a step can be named again when the function is loaded:
// it is a function, or a method of the receiver or of a value reached from the receiver.
func (lo *lowering) isCalleeKnown(call *ast.CallExpr) bool {
	for _, v := range lo.variablesIn(call.Fun) {
		lo.refuse(calleeFromVariable(lo.fn.Extent(call.Fun), v.name))
		return false
	}
	return true
}

// receive waits for a signal.
func (lo *lowering) receive(p *point, dst []*variable) {
	if len(p.call.Args) != 3 {
		lo.refuseNested(p.call)
		return
	}
	arg := lo.typeArgument(p.call)
	args := []string{lo.expr(p.call.Args[1]), lo.expr(p.call.Args[2])}
	lo.pause(&pause{point: p, request: "Receive", args: args}, lo.variablesIn(p.call))
	lo.assignResults(dst, []string{lo.outcome("Received", arg)})
}

// join waits for children.
func (lo *lowering) join(p *point, dst []*variable, request, outcome string) {
	arg := lo.typeArgument(p.call)
	lo.pauseWithArguments(p, request)
	lo.assignResults(dst, []string{lo.outcome(outcome, arg)})
}

// pauseWithArguments ends the turn with a function that has the arguments of the point, the last
// of which are children.
func (lo *lowering) pauseWithArguments(p *point, request string) {
	end := &pause{point: p, request: request, typed: lo.durableName("Child"), spread: p.call.Ellipsis.IsValid()}
	for _, e := range p.call.Args[1:] {
		end.args = append(end.args, lo.expr(e))
	}
	lo.pause(end, lo.variablesIn(p.call))
}

// typeArgument writes the type argument of a generic call.
func (lo *lowering) typeArgument(call *ast.CallExpr) string {
	_, id, _ := source.Callee(call, lo.info)
	return lo.typ(lo.info.Instances[id].TypeArgs.At(0))
}

// outcome returns a call of the generic function that returns the results of a point.
func (lo *lowering) outcome(function, arg string) string {
	return lo.genPackage() + "." + function + "[" + arg + "](" + lo.turn + ")"
}

// durableName returns a name of package durable as the file writes it.
func (lo *lowering) durableName(name string) string {
	return lo.im.Path(source.DurablePath, "durable") + "." + name
}

// genPackage returns the name of the package that frames consist of and call.
func (lo *lowering) genPackage() string { return lo.im.Path(source.DurableGenPath, "gen") }

func isErrorType(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }
