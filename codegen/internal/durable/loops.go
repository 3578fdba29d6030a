package durable

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

func (lo *lowering) forStmt(s *ast.ForStmt, label string) {
	lo.stmt(s.Init, "")
	if a, ok := s.Init.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
		for _, e := range a.Lhs {
			lo.loopVars[lo.variableOf(e.(*ast.Ident))] = true
		}
	}
	again, next, end := lo.label("for"), lo.label("next"), lo.label("endFor")
	lo.mark(again)
	if s.Cond != nil {
		if lo.firstPoint(s.Cond) != nil {
			lo.refuseNested(s.Cond)
			return
		}
		lo.unless(s.Cond, end)
	}
	lo.body(s.Body, target{label: label, breaks: end, next: next})
	lo.mark(next)
	lo.stmt(s.Post, "")
	lo.jump(again)
	lo.mark(end)
}

func (lo *lowering) body(b *ast.BlockStmt, t target) {
	lo.targets = append(lo.targets, t)
	lo.block(b.List)
	lo.targets = lo.targets[:len(lo.targets)-1]
}

// rangeStmt lowers a range to a loop with a counter. Source, then result:
//
//	for i, x := range list { … }
//
//	f.rangeOf, f.rangeAt = list, 0
//	for1:
//	if !(f.rangeAt < len(f.rangeOf)) { goto endFor1 }
//	f.i, f.x = f.rangeAt, f.rangeOf[f.rangeAt]
//	…
//	next1:
//	f.rangeAt++
//	goto for1
func (lo *lowering) rangeStmt(s *ast.RangeStmt, label string) {
	if lo.firstPoint(s.X) != nil {
		lo.refuseNested(s.X)
		return
	}
	t := lo.info.TypeOf(s.X)
	if m, ok := t.Underlying().(*types.Map); ok {
		lo.rangeMap(s, label, t, m)
		return
	}
	overType, indexType := lo.indexTypes(s, t)
	if indexType == nil {
		return
	}
	path := lo.path(lo.info.Scopes[s])
	over := lo.temp("rangeOf", "range.of"+path, overType)
	index := lo.temp("rangeAt", "range.at"+path, indexType)
	lo.add(&instr{
		text: lo.mention(over) + ", " + lo.mention(index) + " = " + lo.expr(s.X) + ", 0",
		uses: lo.variablesIn(s.X), defs: []*variable{over, index},
	})
	again, next, end := lo.label("for"), lo.label("next"), lo.label("endFor")
	lo.mark(again)
	size := lo.mention(over)
	if _, isNumber := overType.Underlying().(*types.Basic); !isNumber {
		size = "len(" + size + ")"
	}
	lo.add(&instr{
		text: "if !(" + lo.mention(index) + " < " + size + ") {\ngoto " + end + "\n}",
		to:   []string{end}, uses: []*variable{over, index},
	})
	lo.iteration(s, []*variable{over, index}, lo.mention(index), lo.mention(over)+"["+lo.mention(index)+"]")
	lo.body(s.Body, target{label: label, breaks: end, next: next})
	lo.mark(next)
	lo.add(&instr{text: lo.mention(index) + "++", uses: []*variable{index}, defs: []*variable{index}})
	lo.jump(again)
	lo.mark(end)
}

// rangeMap visits the keys that exist at the beginning, as long as they are not deleted before
// their turn. A map's own order cannot be saved, and is not guaranteed. Source, then result:
//
//	for k, v := range m { … }
//
//	f.rangeOf, f.rangeKeys, f.rangeAt = m, gen.Keys(m), 0
//	for1:
//	if !(f.rangeAt < len(f.rangeKeys)) { goto endFor1 }
//	if _, ok := f.rangeOf[f.rangeKeys[f.rangeAt]]; !ok { goto next1 }
//	f.k, f.v = f.rangeKeys[f.rangeAt], f.rangeOf[f.rangeKeys[f.rangeAt]]
//	…
func (lo *lowering) rangeMap(s *ast.RangeStmt, label string, t types.Type, m *types.Map) {
	if mayDiffer(m.Key()) {
		lo.refuse(rangeOverUnequalKeys(lo.fn.Extent(s.X), lo.typeName(t)))
		return
	}
	path := lo.path(lo.info.Scopes[s])
	over, keys := lo.temp("rangeOf", "range.of"+path, t), lo.temp("rangeKeys", "range.keys"+path, types.NewSlice(m.Key()))
	index := lo.temp("rangeAt", "range.at"+path, types.Typ[types.Int])
	again, next, end := lo.label("for"), lo.label("next"), lo.label("endFor")
	x := lo.expr(s.X)
	lo.add(&instr{text: lo.mention(over) + " = " + x, uses: lo.variablesIn(s.X), defs: []*variable{over}})
	lo.add(&instr{
		text: fmt.Sprintf("%s, %s = %s.Keys(%s), 0",
			lo.mention(keys), lo.mention(index), lo.genPackage(), lo.mention(over)),
		uses: []*variable{over}, defs: []*variable{keys, index},
	})
	lo.mark(again)
	key := lo.mention(keys) + "[" + lo.mention(index) + "]"
	lo.add(&instr{
		text: fmt.Sprintf("if !(%s < len(%s)) {\ngoto %s\n}", lo.mention(index), lo.mention(keys), end),
		to:   []string{end}, uses: []*variable{keys, index},
	})
	lo.add(&instr{
		text: fmt.Sprintf("if _, ok := %s[%s]; !ok {\ngoto %s\n}", lo.mention(over), key, next),
		to:   []string{next}, uses: []*variable{over, keys, index},
	})
	lo.iteration(s, []*variable{over, keys, index}, key, lo.mention(over)+"["+key+"]")
	lo.body(s.Body, target{label: label, breaks: end, next: next})
	lo.mark(next)
	lo.add(&instr{text: lo.mention(index) + "++", uses: []*variable{index}, defs: []*variable{index}})
	lo.jump(again)
	lo.mark(end)
}

// mayDiffer reports whether a value of the type may differ from itself.
func mayDiffer(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Interface:
		return true
	case *types.Array:
		return mayDiffer(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if mayDiffer(f.Type()) {
				return true
			}
		}
	}
	return false
}

// indexTypes returns the type of the range operand, and that of the index; nil if it is refused.
func (lo *lowering) indexTypes(s *ast.RangeStmt, t types.Type) (over, index types.Type) {
	u := t.Underlying()
	if p, ok := u.(*types.Pointer); ok {
		if _, ok := p.Elem().Underlying().(*types.Array); ok {
			return t, types.Typ[types.Int]
		}
	}
	switch u := u.(type) {
	case *types.Slice, *types.Array:
		return t, types.Typ[types.Int]
	case *types.Basic:
		if u.Info()&types.IsInteger != 0 {
			if id, ok := s.Key.(*ast.Ident); ok && id.Name != "_" {
				t = lo.info.TypeOf(id)
			}
			return types.Default(t), types.Default(t)
		}
	}
	lo.refuse(rangeOverOther(lo.fn.Extent(s.X), lo.typeName(types.Default(t))))
	return nil, nil
}

// iteration assigns values to the variables of a range.
func (lo *lowering) iteration(s *ast.RangeStmt, uses []*variable, values ...string) {
	var left, right []string
	i := &instr{uses: uses}
	for n, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil {
			continue
		}
		id, ok := e.(*ast.Ident)
		if !ok {
			lo.refuse(rangeIntoOther(lo.fn.Extent(e)))
			return
		}
		v := lo.variableOf(id)
		if v == nil {
			continue
		}
		lo.loopVars[v] = s.Tok == token.DEFINE
		i.defs = append(i.defs, v)
		left = append(left, lo.mention(v))
		right = append(right, values[n])
	}
	if len(left) > 0 {
		i.text = strings.Join(left, ", ") + " = " + strings.Join(right, ", ")
		lo.add(i)
	}
}

// switchStmt lowers a switch to comparisons, one case after another.
func (lo *lowering) switchStmt(s *ast.SwitchStmt, label string) {
	lo.stmt(s.Init, "")
	if s.Tag != nil && lo.firstPoint(s.Tag) != nil {
		lo.refuseNested(s.Tag)
		return
	}
	var tag *variable
	if s.Tag != nil {
		t := lo.info.TypeOf(s.Tag)
		if v := lo.info.Types[s.Tag].Value; v != nil && v.Kind() != constant.Unknown {
			t = types.Default(t)
		}
		tag = lo.temp("tag", "switch"+lo.path(lo.info.Scopes[s]), t)
		lo.add(&instr{text: lo.mention(tag) + " = " + lo.expr(s.Tag), uses: lo.variablesIn(s.Tag), defs: []*variable{tag}})
	}
	end := lo.label("endSwitch")
	starts := make([]string, len(s.Body.List))
	fallback := end
	for n, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		starts[n] = lo.label("case")
		if c.List == nil {
			fallback = starts[n]
		}
		for _, e := range c.List {
			lo.caseOf(e, tag, starts[n])
		}
	}
	lo.jump(fallback)
	lo.targets = append(lo.targets, target{label: label, breaks: end})
	for n, c := range s.Body.List {
		lo.mark(starts[n])
		list := c.(*ast.CaseClause).Body
		last, falls := lastOf(list).(*ast.BranchStmt)
		if falls = falls && last.Tok == token.FALLTHROUGH; falls {
			list = list[:len(list)-1]
		}
		lo.block(list)
		if !falls {
			lo.jump(end)
		}
	}
	lo.targets = lo.targets[:len(lo.targets)-1]
	lo.mark(end)
}

func lastOf(list []ast.Stmt) ast.Stmt {
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

func (lo *lowering) caseOf(e ast.Expr, tag *variable, to string) {
	if lo.firstPoint(e) != nil {
		lo.refuseNested(e)
		return
	}
	i := &instr{to: []string{to}, uses: lo.variablesIn(e)}
	cond := "(" + lo.expr(e) + ")"
	if tag != nil {
		i.uses = append(i.uses, tag)
		cond = lo.mention(tag) + " == " + cond
	}
	i.text = "if " + cond + " {\ngoto " + to + "\n}"
	lo.add(i)
}
