package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
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
	if !asks && !u.Suspends(s.Body) && !u.suspendsLeft(s) {
		u.spill(s.X, false)
		if !wanted(s.Value) && u.Suspends(s.X) && arrayOf(u.TypeOf(s.X)) != nil {
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
	switch t := typeset.Core(u.TypeOf(s.X)).(type) {
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
	u.add(&ir.Mark{Label: r.next})
	u.atLine(s)
	u.add(r.step...)
	u.add(&ir.Jump{To: r.top}, &ir.Mark{Label: r.end})
}

func (u *unit) suspendsLeft(s *ast.RangeStmt) bool {
	return s.Key != nil && u.Suspends(s.Key) || s.Value != nil && u.Suspends(s.Value)
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
	text.Label = name
	u.add(&ir.Keep{Text: text, Stops: u.terminates(named)})
}

// ranging is one loop while it is lowered.
type ranging struct {
	u              *unit
	s              *ast.RangeStmt
	top, next, end *ir.Label
	step           []ir.Instr // from one iteration to the next
	shared         bool       // the variables are the same in all iterations
}

// shareOldVars declares the variables before the loop, as before Go 1.22.
func (r *ranging) shareOldVars() {
	if r.s.Tok != token.DEFINE || r.u.LoopVarPerIteration() {
		return
	}
	r.shared = true
	z := &ir.Zero{}
	for _, e := range []ast.Expr{r.s.Key, r.s.Value} {
		if e != nil && !analyse.IsBlank(e) {
			z.Vars = append(z.Vars, r.u.declare(r.u.Info.Defs[e.(*ast.Ident)]))
		}
	}
	r.u.add(z)
}

// wanted reports whether the loop has a use for its key or value.
func wanted(e ast.Expr) bool { return e != nil && !analyse.IsBlank(e) }

// counter is the variable that counts: the key itself if the body leaves it
// alone, or a temporary.
func (r *ranging) counter(t types.Type) (v *ir.Variable, isKey bool) {
	if r.s.Tok == token.DEFINE && wanted(r.s.Key) && !r.shared {
		obj := r.u.Info.Defs[r.s.Key.(*ast.Ident)]
		if f := r.u.UsageOf(obj); !f.Captured && !f.Mutated && !f.Addressed {
			return r.u.declare(obj), true
		}
	}
	return r.u.temp("i", t), false
}

// once evaluates the range expression into a temporary.
func (r *ranging) once(stem string) *ir.Variable {
	u := r.u
	u.spill(r.s.X, false)
	v := u.temp(stem, u.TypeOf(r.s.X))
	u.add(&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: u.value(r.s.X), Typed: true})
	return v
}

// overList: slices, arrays, pointers to arrays.
func (r *ranging) overList(array bool) {
	u := r.u
	var length, elem ir.Rope
	switch {
	case wanted(r.s.Value):
		list := r.once("list")
		length = ir.Rope{ir.LenName, ir.Text("("), ir.Use(list), ir.Text(")")}
		elem = ir.Rope{ir.Use(list), ir.Text("[")}
	case array:
		if u.HasCall(r.s.X) { // else it is not evaluated at all
			u.spill(r.s.X, false)
			u.add(&ir.Assign{Dst: []ir.Dest{{}}, Src: u.value(r.s.X)})
		}
		length = ir.Rope{ir.Text(strconv.FormatInt(arrayOf(u.TypeOf(r.s.X)).Len(), 10))}
	default:
		u.spill(r.s.X, false)
		n := u.temp("n", types.Typ[types.Int])
		src := append(ir.Rope{ir.LenName, ir.Text("(")}, u.value(r.s.X)...)
		u.add(&ir.Assign{Dst: []ir.Dest{{V: n, Declares: true}}, Src: append(src, ir.Text(")"))})
		length = ir.Rope{ir.Use(n)}
	}
	i, isKey := r.counter(types.Typ[types.Int])
	r.count(i, length)
	if elem != nil {
		elem = append(elem, ir.Use(i), ir.Text("]"))
	}
	r.assign(ir.Rope{ir.Use(i)}, elem, isKey)
}

// count emits the loop's head: i from 0 to below limit.
func (r *ranging) count(i *ir.Variable, limit ir.Rope) {
	u := r.u
	u.add(&ir.Assign{Dst: []ir.Dest{{V: i, Declares: true}}, Src: ir.Rope{ir.Text("0")}, Typed: i.Type != types.Typ[types.Int]})
	u.add(&ir.Mark{Label: r.top})
	cond := append(ir.Rope{ir.Use(i), ir.Text(" >= ")}, limit...)
	u.add(&ir.Branch{Cond: cond, To: r.end})
	r.step = []ir.Instr{&ir.Do{Line: ir.Rope{ir.Use(i), ir.Text("++")}}}
}

// overInt: the limit is evaluated once, and has the type of the counter.
func (r *ranging) overInt() {
	u := r.u
	t := types.Default(u.TypeOf(r.s.X))
	limit := u.value(r.s.X)
	if !u.IsConstant(r.s.X) {
		limit = ir.Rope{ir.Use(r.once("n"))}
	} else if wanted(r.s.Key) {
		if obj := u.Info.ObjectOf(rootIdent(r.s.Key)); r.s.Tok == token.DEFINE && obj != nil {
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

// overString: one iteration a rune; invalid UTF-8 counts byte by byte.
func (r *ranging) overString() {
	u := r.u
	str := r.once("str")
	i, isKey := r.counter(types.Typ[types.Int])
	r.count(i, ir.Rope{ir.LenName, ir.Text("("), ir.Use(str), ir.Text(")")})
	char, width := u.temp("char", types.Typ[types.Rune]), u.temp("width", types.Typ[types.Int])
	tail := ir.Rope{ir.Use(str), ir.Text("["), ir.Use(i), ir.Text(":]")}
	if str.Type != types.Typ[types.String] {
		tail = append(append(ir.Rope{ir.Text("string(")}, tail...), ir.Text(")"))
	}
	src := ir.Rope{ir.PackageName("unicode/utf8", "utf8"), ir.Text(".DecodeRuneInString(")}
	dst := []ir.Dest{{V: char, Declares: true}, {V: width, Declares: true}}
	if !wanted(r.s.Value) {
		dst[0] = ir.Dest{}
	}
	u.add(&ir.Assign{Dst: dst, Src: append(append(src, tail...), ir.Text(")"))})
	r.step = []ir.Instr{&ir.Do{Line: ir.Rope{ir.Use(i), ir.Text(" += "), ir.Use(width)}}}
	r.assign(ir.Rope{ir.Use(i)}, ir.Rope{ir.Use(char)}, isKey)
}

// assign gives the iteration's values to the loop's variables.
func (r *ranging) assign(key, value ir.Rope, keyDone bool) {
	u := r.u
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
	u.spillAll(ops, false)
	var dst []ir.Dest
	for _, e := range lhs {
		if id, ok := e.(*ast.Ident); ok && r.shared {
			dst = append(dst, ir.Dest{V: u.variableOf(id)})
		} else {
			dst = append(dst, u.left(e))
		}
	}
	all := src[0]
	for _, s := range src[1:] {
		all = append(append(append(ir.Rope{}, all...), ir.Text(", ")), s...)
	}
	u.add(&ir.Assign{Dst: dst, Src: all})
}
