package codegen

import (
	"go/types"

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
	iter.typeText = func() (string, error) { return "*" + u.imports.Path("reflect", "reflect") + ".MapIter", nil }
	src := rope{late(func(p *printer) string { return p.path("reflect", "reflect") }), text(".ValueOf(")}
	src = append(append(src, u.value(r.s.X)...), text(").MapRange()"))
	u.add(&assign{dst: []dest{{v: iter, declares: true}}, src: src})
	u.add(&mark{label: r.top})
	u.add(&branch{cond: rope{use(iter), text(".Next()")}, not: true, to: r.end})
	var key, value rope
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
func (r *ranging) fromMap(iter *variable, method string, t types.Type) rope {
	u := r.u
	v := u.temp(typetext.SetFirst(method, false), t)
	src := rope{use(iter), text("." + method + "().Interface()")}
	dst := []dest{{v: v, declares: true}}
	if i, ok := t.(*types.Interface); !ok || !i.Empty() {
		src = u.asserted(t, src, r.s)
		dst = append(dst, dest{})
	}
	u.add(&assign{dst: dst, src: src})
	return rope{use(v)}
}

// overChan receives until the channel is closed.
func (r *ranging) overChan() {
	u := r.u
	ch := r.once("ch")
	u.add(&mark{label: r.top})
	ok := u.temp("ok", types.Typ[types.Bool])
	dst := []dest{{}, {v: ok, declares: true}}
	var received rope
	if wanted(r.s.Key) {
		v := u.temp("received", typeset.ChanElem(ch.typ))
		dst[0], received = dest{v: v, declares: true}, rope{use(v)}
	}
	u.add(&assign{dst: dst, src: rope{text("<-"), use(ch)}})
	u.add(&branch{cond: rope{use(ok)}, not: true, to: r.end})
	r.assign(received, nil, false)
}
