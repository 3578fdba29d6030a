package programs

// Preamble is a file next to the programs of a package: types whose methods do or do not suspend,
// and functions that change what others read.
const Preamble = `package batch

import (
	"context"
	"fmt"
	"iter"

	"example.com/proof/trace"

	"github.com/movenext/movenext/job"
)

var (
	Gg0, Gg1 int
	Ggs      string
	Ggb      bool
)

// Reset is called before each run.
func Reset() { Gg0, Gg1, Ggs, Ggb = 1, 2, "g", false }

type GN int

type GS struct {
	A int
	B string
	C [2]int
}

// GR is GS under another name, and GE has what both of its fields have.
type GR GS

type GE struct {
	GS
	*GP
	E int
}

type GP struct{ Q int }

type Gcell[V any] struct{ v V }

type GI interface {
	Plus(t *trace.T, n int) int
	Wait(t *trace.T, n int) int
	WaitAsync(t *trace.T, n int) *job.Job[int]
}

func (n GN) Less(k int) int                { Gg1 -= k; return int(n) - k }
func (n GN) Plus(t *trace.T, k int) int    { t.Log("N.Plus %v %v", n, k); return int(n) + k }
func (s GS) Plain(n int) int               { s.A += n; return s.A*2 + s.C[0] }
func (s GS) Plus(t *trace.T, n int) int     { t.Log("S.Plus %v %v", s, n); return s.C[1] + n }
func (s *GS) Add(n int) int                 { s.A += n; return s.C[1] }

//movenext:async
func (n GN) Wait(t *trace.T, k int) int {
	Gg0 = trace.Step(t, k)
	return int(n) - Gg0
}

//movenext:async
func (s GS) Wait(t *trace.T, n int) int {
	s.A += trace.Get(t, n)
	t.Log("S.Wait %v", s)
	return s.A
}

//movenext:async
func (s *GS) Grow(t *trace.T, n int) int {
	s.C[0] = s.A
	s.A += trace.Step(t, n)
	return s.C[0] + s.A
}

//movenext:async
func Gset(t *trace.T, n int) int {
	Gg0, Ggb = trace.Step(t, n), !Ggb
	Ggs += "+"
	return Gg0 - 1
}

//movenext:async
func Gpick[V any](t *trace.T, first bool, a, b V) V {
	if trace.Get(t, first) {
		return a
	}
	return trace.Get(t, b)
}

//movenext:async
func Gspread(t *trace.T, n int) (int, string) {
	Gg1 += n
	return trace.Step(t, n), trace.Get(t, "spread")
}

//movenext:async
func Gthree(t *trace.T, n int) (*trace.T, int, string) {
	a, b := Gspread(t, n)
	return t, a, b
}

//movenext:async
func (p *GP) Pull(t *trace.T, n int) int {
	p.Q += trace.Step(t, n)
	return p.Q
}

//movenext:async
func (c Gcell[V]) Take(t *trace.T, v V) V {
	c.v, v = v, c.v
	trace.Pause(t)
	return v
}

//movenext:async
func (c *Gcell[V]) Swap(t *trace.T, v V) V {
	c.v, v = v, c.v
	trace.Pause(t)
	return v
}

//movenext:async
func Gtotal(t *trace.T, ns ...int) (sum int) {
	for i, n := range ns {
		sum += trace.Step(t, n)
		ns[i]--
	}
	return sum
}

var Gctx = context.Background()

//movenext:async
type Gkept func(ctx context.Context, t *trace.T, n int) int

//movenext:async
func Gwaits(_ context.Context, t *trace.T, n int) int { return trace.Step(t, n) }

//movenext:async
func (s *GS) Keep(_ context.Context, t *trace.T, n int) int {
	s.A += trace.Get(t, n)
	return s.A
}

//movenext:async
func Gwrap(next Gkept) Gkept {
	calls := 0
	return func(ctx context.Context, t *trace.T, n int) int {
		calls++
		Gg0 += next(ctx, t, n)
		return Gg0 + calls
	}
}

//movenext:async
func Gapply(t *trace.T, f func(context.Context, *trace.T, int) int, n int) int {
	return f(Gctx, t, n) - f(Gctx, t, 1)
}

//movenext:async
func Gstream(t *trace.T, n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		defer t.Log("stream ends")
		for i := range min(3, n) {
			if !yield(trace.Step(t, i), trace.Err(i&1)) {
				return
			}
			Gg1 += i
		}
	}
}

func Gadd(ns ...int) int {
	for i := range ns {
		ns[i]++
		Gg0 += ns[i]
	}
	return Gg0
}

func Gcatch(t *trace.T) {
	if v := recover(); v != nil {
		t.Log("caught %v", v)
	}
}

func Gcall(f func(int) int, n int) int            { return f(n) }
func Gbump(n int) int                             { Gg0 += n; return Gg0 }
func Gpair(t *trace.T, n int) (int, string)       { t.Log("pair %v", n); return n + 1, Ggs }
func Gid[V any](v V) V                            { return v }
func Gptr[V any](v V) *V                          { return &v }
func Gbox(v any) any                              { return v }
func Gshow(v any) string                          { return fmt.Sprint(v) }
func Gsend(c chan<- int, n int)                   { c <- n }
func Gnone(n int) chan<- int                      { Gg1 += n; return nil }

func Gfull(n int) chan int {
	c := make(chan int, 1)
	c <- n
	return c
}

func Gclosed(n int) chan int {
	c := make(chan int, 2)
	c <- n
	c <- n + 1
	close(c)
	return c
}

func Gtimes(t *trace.T, n int) func(func() bool) {
	return func(yield func() bool) {
		for range min(2, n) {
			if !yield() {
				return
			}
			t.Log("and again")
		}
	}
}

func Gpairs(t *trace.T, n int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		defer func() { t.Log("pairs end, panicking %v", recover() != nil) }()
		_ = yield(n, Ggs) && yield(n+1, "second")
	}
}

func Gtwos(t *trace.T, n int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) { _ = yield(1, n) && yield(0, n+1) && yield(1, n+2) }
}

func Gseq(t *trace.T, n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		defer t.Log("seq ends")
		for i := range min(3, n) {
			if !yield(i) {
				t.Log("seq stops at %v", i)
				return
			}
		}
	}
}
`
