package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typeset"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// forStatement lowers a for statement. Source, then result:
//
//	for init; cond; post { body }
//
//	init
//	for1:
//	if !cond { goto endFor1 }
//	body
//	next1:
//	post
//	goto for1
//	endFor1:
//
// A variable of the loop that a function literal captures gets a copy for each iteration, made
// before post.
func (lo *lowering) forStatement(s *ast.ForStmt, name string) {
	if s.Init != nil {
		lo.statement(s.Init)
	}
	top, next, end := lo.label(orName(name, "for")), lo.label("next"), lo.label("endFor")
	lo.add(&ir.Mark{Label: top})
	if s.Cond != nil {
		lo.condition(s.Cond, end, false)
	}
	lo.enter(jumpTarget{name: name, breakTo: end, continueTo: next})
	lo.block(s.Body.List)
	lo.leave()
	lo.add(&ir.Mark{Label: next})
	lo.renewLoopVars(s)
	if s.Post != nil {
		lo.statement(s.Post)
	}
	lo.add(&ir.Jump{To: top}, &ir.Mark{Label: end})
}

func orName(name, other string) string {
	if name != "" {
		return name
	}
	return other
}

func (lo *lowering) renewLoopVars(s *ast.ForStmt) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || !lo.LoopVarPerIteration() {
		return
	}
	for _, lhs := range init.Lhs {
		if v := lo.variableOf(lhs.(*ast.Ident)); v != nil && v.Shared() {
			lo.add(&ir.Renew{V: v})
		}
	}
}

// rangeStatement lowers a range to a loop with a counter, following the language's definition
// (which gives the meaning of these loops in words):
//
//	for k, v := range list { body }
//
//	list1 = list             // evaluated once; an array is copied
//	i1 = 0
//	range1:
//	if i1 >= len(list1) { goto endRange1 }
//	k, v = i1, list1[i1]     // new variables in each iteration
//	body
//	next1:
//	i1++
//	goto range1
//	endRange1:
func (lo *lowering) rangeStatement(s *ast.RangeStmt, name string) {
	asks := lo.asks(s)
	if !asks && !lo.Suspends(s.Body) && !lo.suspendsLeft(s) && !lo.declaresFunc(s) {
		lo.spill(s.X, false)
		if !wanted(s.Value) && lo.Suspends(s.X) && arrayOf(lo.TypeOf(s.X)) != nil {
			lo.copyOut(ast.Unparen(s.X)) // see measuresArray
		}
		lo.keepNamed(s, name)
		return
	}
	r := &ranging{
		lo: lo, s: s,
		top: lo.label(orName(name, "range")), next: lo.label("next"), end: lo.label("endRange"),
	}
	r.shareOldVars()
	if asks {
		r.overFunc(name)
		return
	}
	switch t := typeset.Core(lo.TypeOf(s.X)).(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			r.overString()
		} else {
			r.overInt()
		}
	case *types.Slice:
		r.overList(false)
	case *types.Array:
		r.overList(true)
	case *types.Pointer:
		r.overList(true)
	case *types.Map:
		r.overMap(t)
	case *types.Chan:
		r.overChan()
	default:
		lo.refuse(lo.unknownStatement(s))
		return
	}
	lo.enter(jumpTarget{name: name, breakTo: r.end, continueTo: r.next})
	lo.block(s.Body.List)
	lo.leave()
	lo.add(&ir.Mark{Label: r.next})
	lo.sourceLine(s)
	lo.add(r.step...)
	lo.add(&ir.Jump{To: r.top}, &ir.Mark{Label: r.end})
}

// declaresFunc reports whether the loop declares a variable with a companion.
func (lo *lowering) declaresFunc(s *ast.RangeStmt) bool {
	return s.Value != nil && lo.FuncVarOf(s.Value) != nil
}

func (lo *lowering) suspendsLeft(s *ast.RangeStmt) bool {
	return s.Key != nil && lo.Suspends(s.Key) || s.Value != nil && lo.Suspends(s.Value)
}

// keepNamed keeps a statement whose label a break or continue in it needs.
func (lo *lowering) keepNamed(s ast.Stmt, name string) {
	if name == "" {
		lo.keep(s)
		return
	}
	named := &ast.LabeledStmt{Label: &ast.Ident{NamePos: s.Pos(), Name: name}, Stmt: s}
	lo.routeExits(named)
	text := *lo.scan(s)
	text.Label = name
	lo.add(&ir.Keep{Text: text, Stops: lo.terminates(named)})
}

// ranging is one loop during lowering.
type ranging struct {
	lo             *lowering
	s              *ast.RangeStmt
	top, next, end *ir.Label
	step           []ir.Instr // from one iteration to the next
	shared         bool       // all iterations share the variables
}

// shareOldVars declares the variables before the loop, as Go did before 1.22.
func (r *ranging) shareOldVars() {
	if r.s.Tok != token.DEFINE || r.lo.LoopVarPerIteration() {
		return
	}
	r.shared = true
	z := &ir.Zero{}
	for _, e := range []ast.Expr{r.s.Key, r.s.Value} {
		if e != nil && !analyse.IsBlank(e) {
			z.Vars = append(z.Vars, r.lo.declare(r.lo.Info.Defs[e.(*ast.Ident)]))
		}
	}
	r.lo.add(z)
}

// wanted reports whether the loop uses its key or value.
func wanted(e ast.Expr) bool { return e != nil && !analyse.IsBlank(e) }

// counter returns the variable that counts: the key itself if the body does not change it, or
// else a temporary.
func (r *ranging) counter(t types.Type) (v *ir.Variable, isKey bool) {
	if r.s.Tok == token.DEFINE && wanted(r.s.Key) && !r.shared {
		obj := r.lo.Info.Defs[r.s.Key.(*ast.Ident)]
		if f := r.lo.UsageOf(obj); !f.Captured && !f.Mutated && !f.Addressed {
			return r.lo.declare(obj), true
		}
	}
	return r.lo.temp("i", t), false
}

// once evaluates the range expression into a temporary.
func (r *ranging) once(stem string) *ir.Variable {
	lo := r.lo
	lo.spill(r.s.X, false)
	v := lo.temp(stem, lo.TypeOf(r.s.X))
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: lo.value(r.s.X), Typed: true})
	return v
}

// overList lowers ranges over slices, arrays and pointers to arrays.
func (r *ranging) overList(array bool) {
	lo := r.lo
	var length, elem ir.Rope
	switch {
	case wanted(r.s.Value):
		list := r.once("list")
		length = ir.Rope{ir.LenName, ir.Text("("), ir.Use(list), ir.Text(")")}
		elem = ir.Rope{ir.Use(list), ir.Text("[")}
	case array:
		if lo.HasCall(r.s.X) { // otherwise it is not evaluated at all
			lo.spill(r.s.X, false)
			lo.add(&ir.Assign{Dst: []ir.Dest{{}}, Src: lo.value(r.s.X)})
		}
		length = ir.Rope{ir.Text(strconv.FormatInt(arrayOf(lo.TypeOf(r.s.X)).Len(), 10))}
	default:
		lo.spill(r.s.X, false)
		n := lo.temp("n", types.Typ[types.Int])
		src := append(ir.Rope{ir.LenName, ir.Text("(")}, lo.value(r.s.X)...)
		lo.add(&ir.Assign{Dst: []ir.Dest{{V: n, Declares: true}}, Src: append(src, ir.Text(")"))})
		length = ir.Rope{ir.Use(n)}
	}
	i, isKey := r.counter(types.Typ[types.Int])
	r.count(i, length)
	if elem != nil {
		elem = append(elem, ir.Use(i), ir.Text("]"))
	}
	r.assign(ir.Rope{ir.Use(i)}, elem, isKey)
	if l := lo.ListOf(r.s.X); l != nil && wanted(r.s.Value) {
		r.assignCompanion(l, i)
	}
}

// assignCompanion assigns the companion of an element of a variadic parameter.
func (r *ranging) assignCompanion(l *analyse.FuncList, i *ir.Variable) {
	if f := r.lo.FuncVarOf(r.s.Value); f != nil {
		list := r.lo.companionVariable(l.Entry)
		src := ir.Rope{ir.StatemachineName, ir.Text(".CompanionAt("), ir.Use(list), ir.Text(", "), ir.Use(i), ir.Text(")")}
		r.lo.add(&ir.Assign{Dst: []ir.Dest{{V: r.lo.entryOf(f), Declares: true}}, Src: src})
	}
}

// count emits the head of the loop: i counts from 0 up to, but not including, limit.
func (r *ranging) count(i *ir.Variable, limit ir.Rope) {
	lo := r.lo
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: i, Declares: true}}, Src: ir.Rope{ir.Text("0")}, Typed: i.Type != types.Typ[types.Int]})
	lo.add(&ir.Mark{Label: r.top})
	cond := append(ir.Rope{ir.Use(i), ir.Text(" >= ")}, limit...)
	lo.add(&ir.Branch{Cond: cond, To: r.end})
	r.step = []ir.Instr{&ir.Synthetic{Line: ir.Rope{ir.Use(i), ir.Text("++")}}}
}

// overInt lowers ranges over integers. The limit is evaluated once, and has the counter's type.
func (r *ranging) overInt() {
	lo := r.lo
	t := types.Default(lo.TypeOf(r.s.X))
	limit := lo.value(r.s.X)
	if !lo.IsConstant(r.s.X) {
		limit = ir.Rope{ir.Use(r.once("n"))}
	} else if wanted(r.s.Key) {
		if obj := lo.Info.ObjectOf(rootIdent(r.s.Key)); r.s.Tok == token.DEFINE && obj != nil {
			t = obj.Type()
		}
	}
	i, isKey := r.counter(t)
	r.count(i, limit)
	r.assign(ir.Rope{ir.Use(i)}, nil, isKey)
}

func rootIdent(e ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(e).(*ast.Ident)
	return id
}

// overString lowers ranges over strings: one iteration per rune; invalid UTF-8 counts byte by
// byte.
func (r *ranging) overString() {
	lo := r.lo
	str := r.once("str")
	i, isKey := r.counter(types.Typ[types.Int])
	r.count(i, ir.Rope{ir.LenName, ir.Text("("), ir.Use(str), ir.Text(")")})
	char, width := lo.temp("char", types.Typ[types.Rune]), lo.temp("width", types.Typ[types.Int])
	tail := ir.Rope{ir.Use(str), ir.Text("["), ir.Use(i), ir.Text(":]")}
	if str.Type != types.Typ[types.String] {
		tail = append(append(ir.Rope{ir.TypeText(types.Typ[types.String], r.s), ir.Text("(")}, tail...), ir.Text(")"))
	}
	src := ir.Rope{ir.PackageName("unicode/utf8", "utf8"), ir.Text(".DecodeRuneInString(")}
	dst := []ir.Dest{{V: char, Declares: true}, {V: width, Declares: true}}
	if !wanted(r.s.Value) {
		dst[0] = ir.Dest{}
	}
	lo.add(&ir.Assign{Dst: dst, Src: append(append(src, tail...), ir.Text(")"))})
	r.step = []ir.Instr{&ir.Synthetic{Line: ir.Rope{ir.Use(i), ir.Text(" += "), ir.Use(width)}}}
	r.assign(ir.Rope{ir.Use(i)}, ir.Rope{ir.Use(char)}, isKey)
}

// assign assigns the iteration's values to the loop's variables.
func (r *ranging) assign(key, value ir.Rope, keyDone bool) {
	lo := r.lo
	var lhs []ast.Expr
	var src []ir.Rope
	if wanted(r.s.Key) && !keyDone {
		lhs, src = append(lhs, r.s.Key), append(src, key)
	}
	if wanted(r.s.Value) {
		lhs, src = append(lhs, r.s.Value), append(src, value)
	}
	if len(lhs) == 0 {
		return
	}
	var ops []analyse.Operand
	for _, e := range lhs {
		if r.s.Tok == token.ASSIGN {
			ops = append(ops, analyse.Operand{Expr: e, Assigned: true})
		}
	}
	lo.spillAll(ops, false)
	var dst []ir.Dest
	for _, e := range lhs {
		if id, ok := e.(*ast.Ident); ok && r.shared {
			dst = append(dst, ir.Dest{V: lo.variableOf(id)})
		} else {
			dst = append(dst, lo.dest(e))
		}
	}
	all := src[0]
	for _, s := range src[1:] {
		all = append(append(append(ir.Rope{}, all...), ir.Text(", ")), s...)
	}
	lo.add(&ir.Assign{Dst: dst, Src: all})
}

// overMap lowers ranges over maps. A map's iteration can be suspended only through reflection.
// Collecting the keys first would be simpler but wrong: a key that the body deletes before its
// turn must not appear, and a NaN key cannot be looked up again.
func (r *ranging) overMap(t *types.Map) {
	lo := r.lo
	lo.spill(r.s.X, false)
	iter := lo.temp("iter", nil)
	reflectName := ir.PackageName("reflect", "reflect")
	iter.Spelled = ir.Rope{ir.Text("*"), reflectName, ir.Text(".MapIter")}
	src := ir.Rope{reflectName, ir.Text(".ValueOf(")}
	src = append(append(src, lo.value(r.s.X)...), ir.Text(").MapRange()"))
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: iter, Declares: true}}, Src: src})
	lo.add(&ir.Mark{Label: r.top})
	lo.add(&ir.Branch{Cond: ir.Rope{ir.Use(iter), ir.Text(".Next()")}, Not: true, To: r.end})
	var key, value ir.Rope
	if wanted(r.s.Key) {
		key = r.fromMap(iter, "Key", t.Key())
	}
	if wanted(r.s.Value) {
		value = r.fromMap(iter, "Value", t.Elem())
	}
	r.assign(key, value, false)
}

// fromMap reads the iterator's key or value. The assertion holds for everything except a nil
// interface, for which the zero value is right.
func (r *ranging) fromMap(iter *ir.Variable, method string, t types.Type) ir.Rope {
	lo := r.lo
	v := lo.temp(typetext.SetFirst(method, false), t)
	src := ir.Rope{ir.Use(iter), ir.Text("." + method + "().Interface()")}
	dst := []ir.Dest{{V: v, Declares: true}}
	if i, ok := t.(*types.Interface); !ok || !i.Empty() {
		src = lo.assertType(t, src, r.s)
		dst = append(dst, ir.Dest{})
	}
	lo.add(&ir.Assign{Dst: dst, Src: src})
	return ir.Rope{ir.Use(v)}
}

// overChan lowers ranges over channels: it receives until the channel is closed.
func (r *ranging) overChan() {
	lo := r.lo
	ch := r.once("ch")
	lo.add(&ir.Mark{Label: r.top})
	ok := lo.temp("ok", types.Typ[types.Bool])
	dst := []ir.Dest{{}, {V: ok, Declares: true}}
	var received ir.Rope
	if wanted(r.s.Key) {
		v := lo.temp("received", typeset.ChanElem(ch.Type))
		dst[0], received = ir.Dest{V: v, Declares: true}, ir.Rope{ir.Use(v)}
	}
	lo.add(&ir.Assign{Dst: dst, Src: ir.Rope{ir.Text("<-"), ir.Use(ch)}})
	lo.add(&ir.Branch{Cond: ir.Rope{ir.Use(ok)}, Not: true, To: r.end})
	r.assign(received, nil, false)
}
