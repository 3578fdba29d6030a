package forms

// Preamble is a file next to the programs of a package.
const Preamble = `package batch

import (
	"fmt"
	"reflect"

	"example.com/proof/trace"

	"github.com/movenext/movenext/job"
)

type (
	GI int
	GU uint8
	GD float64
	GS string
	GB bool
	GL []GI
	GY []byte
	GA [4]GI
	GO *[4]GI
	GM map[GI]GI
	GW map[GS]GI
	GP *GI
	GC chan GI
	GT chan<- GI
	GF func(GI) GI
	GN func(func(GI, GI) bool)
)

type Gsmall int8

var GvI int

// Reset is called before each run.
func Reset() { GvI = 1 }

type Gbox[V any] struct{ v V }

type Gouter[V any] struct{ *Gbox[V] }

type Gl[V any] struct{ v V }

// Gr is a structure of values, with methods of all kinds.
type Gr[I, S any] struct {
	a I
	b S
	c [2]I
}

type Gm[I any] interface {
	Plain(I) I
	Log(*trace.T, I)
	Wait(*trace.T, I) I
	WaitAsync(*trace.T, I) *job.Job[I]
}

type Gk[I any] interface {
	comparable
	Gm[I]
	Show() string
}

func (r Gr[I, S]) Plain(n I) I            { r.a, n = n, r.a; return n }
func (r *Gr[I, S]) Inc(n I) I             { r.a, n = n, r.a; return n }
func (r Gr[I, S]) Log(t *trace.T, n I)    { t.Log("deferred %v %v", r, n) }
func (r Gr[I, S]) Send(c chan I, n I)     { c <- r.a }
func (r *Gr[I, S]) Show() string          { return fmt.Sprint(*r) }

//movenext:async
func (r Gr[I, S]) Wait(t *trace.T, n I) I {
	r.a, n = n, r.a
	trace.Pause(t)
	t.Log("wait %v", r)
	return n
}

//movenext:async
func (r *Gr[I, S]) Grow(t *trace.T, n I) I {
	r.a, n = n, r.a
	trace.Pause(t)
	t.Log("grow %v", *r)
	return n
}

// Gy suspends, and changes what others read.
//
//movenext:async
func Gy[V any](t *trace.T, change func(), v V) V {
	trace.Pause(t)
	change()
	return v
}

//movenext:async
func Gytwo[V, W any](t *trace.T, change func(), v V, w W) (V, W) {
	trace.Pause(t)
	change()
	return v, w
}

// Ggive and the next ones call what they are given.
//
//movenext:async
func Ggive[V any](t *trace.T, f func() V) V {
	trace.Pause(t)
	return f()
}

//movenext:async
func Gapply[V any](t *trace.T, f func(V) V, v V) V { return f(v) }

//movenext:async
func Gthrough[V any](t *trace.T, f func(*trace.T, V) V, v V) V {
	inner := f
	return Gapply(t, func(v V) V { return inner(t, v) }, v)
}

//movenext:async
func Geach[V any](t *trace.T, fs ...func() V) (v V) {
	for _, f := range fs {
		v = f()
	}
	return v
}

func Gn[V any](t *trace.T, v V) V           { t.Log("note %v", Gkind(v)); return v }
func Gp[V any](v V) *V                      { return &v }
func Gid[V any](v V) V                      { return v }
func Gtwo[V, W any](v V, w W) (V, W)        { return v, w }
func Gsecond[A, B any](a A, b B) B          { return b }
func Gsend[V any](c chan V, v V)            { c <- v }
func Gnote[V, W any](t *trace.T, v V, w W)  { t.Log("deferred %v %v", v, w) }
func Gnone[V any](v V) chan<- V             { return nil }
func Gnil[V any](v V) <-chan V              { return nil }
func Gc2[C ~chan V, V any](c C) chan V      { return c }
func Glinks[V any](v V) func(func(*Gl[V], V) bool) {
	return func(yield func(*Gl[V], V) bool) { _ = yield(&Gl[V]{v}, v) && yield(&Gl[V]{v}, v) }
}

// Gkind is what of a value may be logged: no addresses.
func Gkind(v any) string {
	switch reflect.ValueOf(v).Kind() {
	case reflect.Pointer, reflect.Chan, reflect.Func:
		return fmt.Sprintf("%T", v)
	}
	return fmt.Sprintf("%T %v", v, v)
}

func Gshow(v any) string {
	if s, ok := v.(interface{ Show() string }); ok {
		return s.Show()
	}
	return Gkind(v)
}

func Gadd[I any](ns ...I) I {
	if len(ns) == 0 {
		var none I
		return none
	}
	return ns[len(ns)-1]
}

func Gall[I any, N ~func(func(I, I) bool)](over N) (list []I) {
	over(func(a, b I) bool { list = append(list, a, b); return true })
	return list
}

// Gc returns a channel with room that holds values.
func Gc[C ~chan I, I any](is ...I) C {
	c := make(C, 8)
	for _, i := range is {
		c <- i
	}
	return c
}

func Gseq[I any](t *trace.T, n I) func(func(int) bool) {
	return func(yield func(int) bool) {
		defer t.Log("seq of %v ends", n)
		for i := range 3 {
			if !yield(i) {
				return
			}
		}
	}
}
`

// twins are the twins that the preamble and its constraints mention before they are generated.
const twins = `
func (r Gr[I, S]) WaitAsync(t *trace.T, n I) *job.Job[I] { return nil }
`
