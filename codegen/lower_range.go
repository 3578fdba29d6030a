package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// rangeStatement lowers a loop over a range to one with a counter, which is what
// it means (the language defines all of these in words):
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
func (u *unit) rangeStatement(s *ast.RangeStmt, name string) {
	asks := u.asks(s)
	if !asks && !u.suspends(s.Body) && !u.suspendsLeft(s) {
		u.spill(s.X, false)
		if !wanted(s.Value) && u.suspends(s.X) && arrayOf(u.typeOf(s.X)) != nil {
			u.hoist(ast.Unparen(s.X)) // see spill_measure.go
		}
		u.keepNamed(s, name)
		return
	}
	r := &ranging{
		u: u, s: s,
		top: u.label(orName(name, "range")), next: u.label("next"), end: u.label("endRange"),
	}
	r.shareOldVars()
	if asks {
		r.overFunc(name)
		return
	}
	switch t := typeset.Core(u.typeOf(s.X)).(type) {
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
		u.refuse(u.unsupported(s))
		return
	}
	u.enter(jumpTarget{name: name, breakTo: r.end, continueTo: r.next})
	u.block(s.Body.List)
	u.leave()
	u.add(&mark{label: r.next})
	u.atLine(s)
	u.add(r.step...)
	u.add(&jump{r.top}, &mark{label: r.end})
}

func (u *unit) suspendsLeft(s *ast.RangeStmt) bool {
	return s.Key != nil && u.suspends(s.Key) || s.Value != nil && u.suspends(s.Value)
}

// keepNamed keeps a statement whose label is wanted by a break or continue in it.
func (u *unit) keepNamed(s ast.Stmt, name string) {
	if name == "" {
		u.keep(s)
		return
	}
	named := &ast.LabeledStmt{Label: &ast.Ident{NamePos: s.Pos(), Name: name}, Stmt: s}
	u.routeExits(named)
	text := *u.scan(s)
	text.label = name
	u.add(&keep{text: text, stops: u.terminates(named)})
}

// ranging is one loop while it is lowered.
type ranging struct {
	u              *unit
	s              *ast.RangeStmt
	top, next, end *label
	step           []instr // from one iteration to the next
	shared         bool    // the variables are the same in all iterations
}

// shareOldVars declares the variables before the loop, as before Go 1.22.
func (r *ranging) shareOldVars() {
	if r.s.Tok != token.DEFINE || r.u.loopVarPerIteration() {
		return
	}
	r.shared = true
	z := &zero{}
	for _, e := range []ast.Expr{r.s.Key, r.s.Value} {
		if e != nil && !isBlank(e) {
			z.vars = append(z.vars, r.u.declare(r.u.info.Defs[e.(*ast.Ident)]))
		}
	}
	r.u.add(z)
}

func isBlank(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "_"
}

// wanted reports whether the loop has a use for its key or value.
func wanted(e ast.Expr) bool { return e != nil && !isBlank(e) }

// counter is the variable that counts: the key itself if the body leaves it
// alone, or a temporary.
func (r *ranging) counter(t types.Type) (v *variable, isKey bool) {
	if r.s.Tok == token.DEFINE && wanted(r.s.Key) && !r.shared {
		obj := r.u.info.Defs[r.s.Key.(*ast.Ident)]
		if f := r.u.factsOf(obj); !f.captured && !f.mutated && !f.addressed {
			return r.u.declare(obj), true
		}
	}
	return r.u.temp("i", t), false
}

// once evaluates the range expression into a temporary.
func (r *ranging) once(stem string) *variable {
	u := r.u
	u.spill(r.s.X, false)
	v := u.temp(stem, u.typeOf(r.s.X))
	u.add(&assign{dst: []dest{{v: v, declares: true}}, src: u.value(r.s.X), typed: true})
	return v
}

// overList: slices, arrays, pointers to arrays.
func (r *ranging) overList(array bool) {
	u := r.u
	var length, elem rope
	switch {
	case wanted(r.s.Value):
		list := r.once("list")
		length = rope{lenName, text("("), use(list), text(")")}
		elem = rope{use(list), text("[")}
	case array:
		if u.hasCall(r.s.X) { // else it is not evaluated at all
			u.spill(r.s.X, false)
			u.add(&assign{dst: []dest{{}}, src: u.value(r.s.X)})
		}
		length = rope{text(strconv.FormatInt(arrayOf(u.typeOf(r.s.X)).Len(), 10))}
	default:
		u.spill(r.s.X, false)
		n := u.temp("n", types.Typ[types.Int])
		src := append(rope{lenName, text("(")}, u.value(r.s.X)...)
		u.add(&assign{dst: []dest{{v: n, declares: true}}, src: append(src, text(")"))})
		length = rope{use(n)}
	}
	i, isKey := r.counter(types.Typ[types.Int])
	r.count(i, length)
	if elem != nil {
		elem = append(elem, use(i), text("]"))
	}
	r.assign(rope{use(i)}, elem, isKey)
}

// count emits the loop's head: i from 0 to below limit.
func (r *ranging) count(i *variable, limit rope) {
	u := r.u
	u.add(&assign{dst: []dest{{v: i, declares: true}}, src: rope{text("0")}, typed: i.typ != types.Typ[types.Int]})
	u.add(&mark{label: r.top})
	cond := append(rope{use(i), text(" >= ")}, limit...)
	u.add(&branch{cond: cond, to: r.end})
	r.step = []instr{&do{line: rope{use(i), text("++")}}}
}

// overInt: the limit is evaluated once, and has the type of the counter.
func (r *ranging) overInt() {
	u := r.u
	t := types.Default(u.typeOf(r.s.X))
	limit := u.value(r.s.X)
	if !u.isConstant(r.s.X) {
		limit = rope{use(r.once("n"))}
	} else if wanted(r.s.Key) {
		if obj := u.info.ObjectOf(rootIdent(r.s.Key)); r.s.Tok == token.DEFINE && obj != nil {
			t = obj.Type()
		}
	}
	i, isKey := r.counter(t)
	r.count(i, limit)
	r.assign(rope{use(i)}, nil, isKey)
}

func rootIdent(e ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(e).(*ast.Ident)
	return id
}

// overString: one iteration a rune; invalid UTF-8 counts byte by byte.
func (r *ranging) overString() {
	u := r.u
	str := r.once("str")
	i, isKey := r.counter(types.Typ[types.Int])
	r.count(i, rope{lenName, text("("), use(str), text(")")})
	char, width := u.temp("char", types.Typ[types.Rune]), u.temp("width", types.Typ[types.Int])
	tail := rope{use(str), text("["), use(i), text(":]")}
	if str.typ != types.Typ[types.String] {
		tail = append(append(rope{text("string(")}, tail...), text(")"))
	}
	src := rope{late(func(p *printer) string { return p.path("unicode/utf8", "utf8") }), text(".DecodeRuneInString(")}
	dst := []dest{{v: char, declares: true}, {v: width, declares: true}}
	if !wanted(r.s.Value) {
		dst[0] = dest{}
	}
	u.add(&assign{dst: dst, src: append(append(src, tail...), text(")"))})
	r.step = []instr{&do{line: rope{use(i), text(" += "), use(width)}}}
	r.assign(rope{use(i)}, rope{use(char)}, isKey)
}

// assign gives the iteration's values to the loop's variables.
func (r *ranging) assign(key, value rope, keyDone bool) {
	u := r.u
	var lhs []ast.Expr
	var src []rope
	if wanted(r.s.Key) && !keyDone {
		lhs, src = append(lhs, r.s.Key), append(src, key)
	}
	if wanted(r.s.Value) {
		lhs, src = append(lhs, r.s.Value), append(src, value)
	}
	if len(lhs) == 0 {
		return
	}
	var ops []operandOf
	for _, e := range lhs {
		if r.s.Tok == token.ASSIGN {
			ops = append(ops, operandOf{expr: e, assigned: true})
		}
	}
	u.spillAll(ops, false)
	var dst []dest
	for _, e := range lhs {
		if id, ok := e.(*ast.Ident); ok && r.shared {
			dst = append(dst, dest{v: u.variableOf(id)})
		} else {
			dst = append(dst, u.left(e))
		}
	}
	all := src[0]
	for _, s := range src[1:] {
		all = append(append(append(rope{}, all...), text(", ")), s...)
	}
	u.add(&assign{dst: dst, src: all})
}
