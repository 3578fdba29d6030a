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
)

// point is a point of the function.
type point struct {
	name   string
	at     string // file:line
	step   string // name of the step
	number int
	call   *ast.CallExpr
	kind   kind
	resume string // label
	fun    string // of a step: the callee as Call spells it

	args    []*variable
	results []*variable
	live    []*variable
}

// undo is a deferred compensation.
type undo struct {
	typ     string // the type of its arguments
	step    string
	callee  string // its full name
	fun     string
	params  []types.Type
	results *types.Tuple
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
			name, ok := source.PointName(c.Text)
			if ok && decl.Body.Pos() < c.Pos() && c.Pos() < decl.Body.End() {
				lo.named[lo.line(c.Pos())+1] = &directive{name: name, comment: c}
			}
		}
	}
}

func (lo *lowering) line(pos token.Pos) int { return lo.fn.Package.Position(pos).Line }

// kindOf returns the kind of point that a call is.
func (lo *lowering) kindOf(call *ast.CallExpr) kind {
	fn, _, _ := source.Callee(call, lo.info)
	if fn == nil || fn.Pkg() == nil {
		return noPoint
	}
	switch {
	case lo.fn.Package.Steps[source.KeyOf(fn.Origin())]:
		return stepPoint
	case source.IsObject(fn, source.DurablePath, "Receive"):
		return receivePoint
	case source.IsObject(fn, source.DurablePath, "Sleep"):
		return sleepPoint
	case source.IsObject(fn, source.DurablePath, "All"):
		return allPoint
	case source.IsObject(fn, source.DurablePath, "Any"):
		return anyPoint
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

func (lo *lowering) calledName(call *ast.CallExpr) string {
	fn, _, _ := source.Callee(call, lo.info)
	return fn.Name()
}

// point lowers a statement that contains a point and assigns the point's results to operands.
func (lo *lowering) point(s ast.Stmt, call *ast.CallExpr, dst []ast.Expr) {
	var to []*variable
	for _, e := range dst {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			lo.refuse(e, "a result of "+lo.calledName(call)+" is assigned to something else than a variable", "its operands would have to be saved", "assign it to a variable first")
			return
		}
		lo.unchanged(id)
		to = append(to, lo.defined(id))
	}
	lo.pointInto(s, call, to)
}

// pointInto lowers a point and assigns its results to variables; results for nil are dropped.
func (lo *lowering) pointInto(s ast.Stmt, call *ast.CallExpr, to []*variable) {
	pos := lo.fn.Package.Position(call.Pos())
	p := &point{
		name: lo.calledName(call), at: fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line),
		call: call, kind: lo.kindOf(call),
	}
	if d := lo.named[lo.line(s.Pos())]; d != nil {
		p.name, d.used = d.name, true
	}
	if !lo.isOwnContext(call) {
		return
	}
	p.number, p.resume = len(lo.points)+1, lo.label("resume")
	lo.points = append(lo.points, p)
	lo.add(&instr{text: fmt.Sprintf("// %s: %s", p.at, lo.sourceLine(s))})
	switch p.kind {
	case stepPoint:
		lo.step(p, to)
	case receivePoint:
		lo.receive(p, to)
	case allPoint:
		lo.join(p, to, "All", "Joined")
	case anyPoint:
		lo.join(p, to, "Any", "First")
	default:
		lo.stop(p, fmt.Sprintf("return %s.Sleep(%%d, %s)", lo.turn, lo.expr(call.Args[1])), lo.mentioned(call))
		lo.take(to, []string{lo.turn + ".Err()"})
	}
}

// sourceLine returns the first line of a statement.
func (lo *lowering) sourceLine(s ast.Stmt) string {
	text, _, _ := strings.Cut(string(lo.raw(s)), "\n")
	return text
}

// isOwnContext checks that a point receives the function's context.
func (lo *lowering) isOwnContext(call *ast.CallExpr) bool {
	if len(call.Args) > 0 {
		if id, ok := ast.Unparen(call.Args[0]).(*ast.Ident); ok && lo.info.Uses[id] == lo.ctx {
			return true
		}
	}
	lo.refuse(call, lo.calledName(call)+" is not given the function's own context", "the engine makes the context of each step, and a derived one cannot be saved",
		"pass "+lo.ctx.Name()+", and derive contexts inside of the step")
	return false
}

// stop ends the turn at a point. The text contains a %d for the point's number, which is known
// after pruning.
func (lo *lowering) stop(p *point, text string, uses []*variable) {
	lo.add(&instr{text: text, to: []string{p.resume}, stops: true, uses: uses, point: p})
	lo.mark(p.resume)
}

// take assigns the results of a point.
func (lo *lowering) take(to []*variable, from []string) {
	i := &instr{}
	var left []string
	some := false
	for _, v := range to {
		if v == nil {
			left = append(left, "_")
			continue
		}
		some = true
		left, i.defs = append(left, lo.mention(v)), append(i.defs, v)
	}
	if some {
		i.text = strings.Join(left, ", ") + " = " + strings.Join(from, ", ")
		lo.add(i)
	}
}

// step calls a step.
func (lo *lowering) step(p *point, to []*variable) {
	fn, _, _ := source.Callee(p.call, lo.info)
	sig := fn.Signature()
	p.step = fn.Pkg().Name() + "." + fn.Name()
	last := sig.Results().Len() - 1
	switch {
	case last < 0 || !isErrorType(sig.Results().At(last).Type()):
		lo.refuse(p.call, fn.Name()+" does not return an error as its last result", "a step that panics, or is not started since the function was canceled, has an error", "add one")
		return
	case sig.Variadic() || len(p.call.Args) != sig.Params().Len() || sig.TypeParams().Len() > 0:
		lo.refuse(p.call, fn.Name()+" is variadic, generic, or called with the results of another call", "its arguments are saved one by one", "pass a slice, or assign the results first")
		return
	case !lo.steady(p.call):
		return
	}
	p.fun = lo.expr(p.call.Fun)
	i := &instr{}
	var left, right []string
	for n, e := range p.call.Args[1:] {
		param := sig.Params().At(n + 1)
		name := param.Name()
		if name == "" || name == "_" {
			name = fmt.Sprint("arg", n+1)
		}
		v := lo.temp(p.name+strings.ToUpper(name[:1])+name[1:], p.name+"."+name, param.Type())
		p.args, i.defs = append(p.args, v), append(i.defs, v)
		left, right = append(left, lo.mention(v)), append(right, lo.expr(e))
		i.uses = append(i.uses, lo.mentioned(e)...)
	}
	if len(left) > 0 {
		i.text = strings.Join(left, ", ") + " = " + strings.Join(right, ", ")
		lo.add(i)
	}
	var from []string
	for n := range last {
		name := p.name + ".return"
		if n > 0 {
			name += strconv.Itoa(n + 1)
		}
		v := lo.temp(p.name+"Result", name, sig.Results().At(n).Type())
		p.results = append(p.results, v)
		from = append(from, lo.mention(v))
	}
	lo.stop(p, fmt.Sprintf("return %s.Step(%%d)", lo.turn), p.args)
	lo.take(to, append(from, lo.turn+".Err()"))
}

// steady reports whether the callee of a step can be named again when the function is loaded: it
// is a function, or a method of the receiver or of a value reached from the receiver.
func (lo *lowering) steady(call *ast.CallExpr) bool {
	for _, v := range lo.mentioned(call.Fun) {
		lo.refuse(call.Fun, "the callee depends on "+v.name, "the step is called after loading, when only the receiver of the durable function is known", "reach it from the receiver")
		return false
	}
	return true
}

// receive waits for a signal.
func (lo *lowering) receive(p *point, to []*variable) {
	if len(p.call.Args) != 3 {
		lo.nested(p.call)
		return
	}
	_, id, _ := source.Callee(p.call, lo.info)
	arg := lo.typ(lo.info.Instances[id].TypeArgs.At(0))
	lo.stop(p, fmt.Sprintf("return %s.Receive(%%d, %s, %s)", lo.turn, lo.expr(p.call.Args[1]), lo.expr(p.call.Args[2])), lo.mentioned(p.call))
	lo.take(to, []string{lo.im.Path(source.DurablePath, "durable") + ".Received[" + arg + "](" + lo.turn + ")"})
}

// join waits for children.
func (lo *lowering) join(p *point, to []*variable, ask, got string) {
	_, id, _ := source.Callee(p.call, lo.info)
	arg := lo.typ(lo.info.Instances[id].TypeArgs.At(0))
	args := []string{"%d"}
	for _, e := range p.call.Args[1:] {
		args = append(args, lo.expr(e))
	}
	dots := ""
	if p.call.Ellipsis.IsValid() {
		dots = "..."
	}
	lo.stop(p, fmt.Sprintf("return %s.%s(%s%s)", lo.turn, ask, strings.Join(args, ", "), dots), lo.mentioned(p.call))
	lo.take(to, []string{lo.im.Path(source.DurablePath, "durable") + "." + got + "[" + arg + "](" + lo.turn + ")"})
}

func isErrorType(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// deferral saves a compensation as data.
func (lo *lowering) deferral(s *ast.DeferStmt) {
	call := s.Call
	fn, _, _ := source.Callee(call, lo.info)
	if fn == nil || !source.IsObject(fn, source.DurablePath, "Compensate") {
		lo.refuse(s, "a deferred call other than durable.Compensate", "a deferred call is saved as the name of a step and its arguments", "defer durable.Compensate, or do it in a step")
		return
	}
	if len(call.Args) < 3 || call.Ellipsis.IsValid() || !lo.isOwnContext(call) {
		return
	}
	if !lo.isOwnError(call.Args[1]) {
		lo.refuse(call.Args[1], "Compensate is not given the address of the function's own error", "the engine looks there whether the function has failed", "name the last result err, and pass &err")
		return
	}
	step := &ast.CallExpr{Fun: call.Args[2], Args: append([]ast.Expr{call.Args[0]}, call.Args[3:]...)}
	callee, _, _ := source.Callee(step, lo.info)
	if callee == nil || !lo.fn.Package.Steps[source.KeyOf(callee.Origin())] {
		lo.refuse(call.Args[2], "Compensate is given something else than a step", "what is called later is saved by its name", "pass a function with "+source.DirectiveStep)
		return
	}
	sig := callee.Signature()
	if sig.Variadic() || sig.TypeParams().Len() > 0 || sig.Params().Len() != len(step.Args) || !lo.steady(step) {
		lo.refuse(call, "the arguments of "+callee.Name()+" do not fit", "Compensate calls it with the context and these arguments", "pass one argument for each parameter")
		return
	}
	name := callee.Pkg().Name() + "." + callee.Name()
	if lo.sameStep(name, callee) {
		lo.refuse(call, "there are deferred calls of two functions called "+name, "a deferred call is saved as the name of its step", "rename one")
		return
	}
	u := &undo{step: name, callee: callee.FullName(), fun: lo.expr(call.Args[2]), results: sig.Results()}
	i := &instr{}
	var args []string
	for n, e := range step.Args[1:] {
		param := sig.Params().At(n + 1).Type()
		if !types.AssignableTo(lo.info.TypeOf(e), param) {
			lo.refuse(e, fmt.Sprintf("a %s cannot be passed to %s", lo.info.TypeOf(e), callee.Name()), "it takes a "+param.String(), "convert it")
			return
		}
		u.params, args = append(u.params, param), append(args, lo.expr(e))
		i.uses = append(i.uses, lo.mentioned(e)...)
		lo.savable(param, e, fmt.Sprintf("argument %d of the deferred call of %s", n+1, callee.Name()))
	}
	lo.undos = append(lo.undos, u)
	u.typ = fmt.Sprintf("%sUndo%d", lo.fn.Names.Frame, len(lo.undos))
	i.text = fmt.Sprintf("%s.Defer(%d, &%s{%s})", lo.turn, len(lo.undos), u.typ, strings.Join(args, ", "))
	lo.add(i)
}

// isOwnError reports whether an expression is the address of the function's error.
func (lo *lowering) isOwnError(e ast.Expr) bool {
	u, ok := ast.Unparen(e).(*ast.UnaryExpr)
	if !ok || u.Op != token.AND {
		return false
	}
	id, ok := ast.Unparen(u.X).(*ast.Ident)
	return ok && lo.err.obj != nil && lo.info.Uses[id] == lo.err.obj
}
