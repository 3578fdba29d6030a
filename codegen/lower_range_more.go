package codegen

import (
	"go/types"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typeset"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// overMap: a map's iteration can only be suspended through reflection. Collecting
// the keys first would be simpler and wrong: a key that the body deletes before its
// turn must not come, and a NaN key cannot be looked up again.
func (r *ranging) overMap(t *types.Map) {
	u := r.u
	u.spill(r.s.X, false)
	iter := u.temp("iter", nil)
	reflectName := ir.PackageName("reflect", "reflect")
	iter.Spelled = ir.Rope{ir.Text("*"), reflectName, ir.Text(".MapIter")}
	src := ir.Rope{reflectName, ir.Text(".ValueOf(")}
	src = append(append(src, u.value(r.s.X)...), ir.Text(").MapRange()"))
	u.add(&ir.Assign{Dst: []ir.Dest{{V: iter, Declares: true}}, Src: src})
	u.add(&ir.Mark{Label: r.top})
	u.add(&ir.Branch{Cond: ir.Rope{ir.Use(iter), ir.Text(".Next()")}, Not: true, To: r.end})
	var key, value ir.Rope
	if wanted(r.s.Key) {
		key = r.fromMap(iter, "Key", t.Key())
	}
	if wanted(r.s.Value) {
		value = r.fromMap(iter, "Value", t.Elem())
	}
	r.assign(key, value, false)
}

// fromMap reads the iterator's key or value. The assertion always holds except for a
// nil interface, whose zero value is right.
func (r *ranging) fromMap(iter *ir.Variable, method string, t types.Type) ir.Rope {
	u := r.u
	v := u.temp(typetext.SetFirst(method, false), t)
	src := ir.Rope{ir.Use(iter), ir.Text("." + method + "().Interface()")}
	dst := []ir.Dest{{V: v, Declares: true}}
	if i, ok := t.(*types.Interface); !ok || !i.Empty() {
		src = u.asserted(t, src, r.s)
		dst = append(dst, ir.Dest{})
	}
	u.add(&ir.Assign{Dst: dst, Src: src})
	return ir.Rope{ir.Use(v)}
}

// overChan receives until the channel is closed.
func (r *ranging) overChan() {
	u := r.u
	ch := r.once("ch")
	u.add(&ir.Mark{Label: r.top})
	ok := u.temp("ok", types.Typ[types.Bool])
	dst := []ir.Dest{{}, {V: ok, Declares: true}}
	var received ir.Rope
	if wanted(r.s.Key) {
		v := u.temp("received", typeset.ChanElem(ch.Type))
		dst[0], received = ir.Dest{V: v, Declares: true}, ir.Rope{ir.Use(v)}
	}
	u.add(&ir.Assign{Dst: dst, Src: ir.Rope{ir.Text("<-"), ir.Use(ch)}})
	u.add(&ir.Branch{Cond: ir.Rope{ir.Use(ok)}, Not: true, To: r.end})
	r.assign(received, nil, false)
}
