package parallel

import (
	"context"
	"testing"
)

func fib(w *Worker, n int) int {
	if n < 2 {
		return n
	}
	a, b := Join(w, fib, n-1, n-2)
	return a + b
}

func fibPlain(n int) int {
	if n < 2 {
		return n
	}
	return fibPlain(n-1) + fibPlain(n-2)
}

func fibGo(n int) int {
	if n < 2 {
		return n
	}
	c := make(chan int, 1)
	go func() { c <- fibGo(n - 1) }()
	return fibGo(n-2) + <-c
}

func fib2(w *Worker, n int) int {
	if n < 2 {
		return n
	}
	a, b := Join2(w, func(w *Worker) int { return fib2(w, n-1) }, func(w *Worker) int { return fib2(w, n-2) })
	return a + b
}

func fibFork(w *Worker, n int) int {
	if n < 2 {
		return n
	}
	f := Fork(w, fibFork, n-1)
	a := fibFork(w, n-2)
	return a + f.Join(w)
}

const (
	f27 = 317810
	f32 = 3524577
)

func perFork(b *testing.B, forks int, f func()) {
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(forks), "ns/fork")
}

func runInt(f func(*Worker, int) int, n int) func() {
	return func() {
		_, _ = Run(context.Background(), func(w *Worker) (int, error) { return f(w, n), nil })
	}
}

func BenchmarkFibPlain(b *testing.B)      { perFork(b, f32, func() { _ = fibPlain(32) }) }
func BenchmarkFibJoin(b *testing.B)       { perFork(b, f32, runInt(fib, 32)) }
func BenchmarkFibJoin2(b *testing.B)      { perFork(b, f27, runInt(fib2, 27)) }
func BenchmarkFibFork(b *testing.B)       { perFork(b, f27, runInt(fibFork, 27)) }
func BenchmarkFibGoroutines(b *testing.B) { perFork(b, f27, func() { fibGo(27) }) }

type skyArg struct{ num, size int }

func sky(w *Worker, a skyArg) int {
	if a.size == 1 {
		return a.num
	}
	var f [10]Forked[skyArg, int]
	for i := range f {
		f[i] = Fork(w, sky, skyArg{a.num + i*(a.size/10), a.size / 10})
	}
	s := 0
	for i := range f {
		s += f[i].Join(w)
	}
	return s
}

func skyGo(c chan int, num, size int) {
	if size == 1 {
		c <- num
		return
	}
	rc := make(chan int)
	for i := range 10 {
		go skyGo(rc, num+i*(size/10), size/10)
	}
	s := 0
	for range 10 {
		s += <-rc
	}
	c <- s
}

func BenchmarkSkynetFork(b *testing.B) {
	perFork(b, 1111111, func() {
		_, _ = Run(context.Background(), func(w *Worker) (int, error) { return sky(w, skyArg{0, 1000000}), nil })
	})
}

func BenchmarkSkynetGoroutines(b *testing.B) {
	perFork(b, 1111111, func() {
		c := make(chan int)
		go skyGo(c, 0, 1000000)
		<-c
	})
}

func empty(*Worker, int) int { return 1 }

func BenchmarkNestedForks(b *testing.B) { // 1000 roots of 1000 children
	root := func(w *Worker, n int) int {
		var f [1000]Forked[int, int]
		for i := range f {
			f[i] = Fork(w, empty, i)
		}
		s := 0
		for i := range f {
			s += f[i].Join(w)
		}
		return s
	}
	perFork(b, 1001000, func() {
		_, _ = Run(context.Background(), func(w *Worker) (int, error) {
			f := make([]Forked[int, int], 1000)
			for i := range f {
				f[i] = Fork(w, root, i)
			}
			s := 0
			for i := range f {
				s += f[i].Join(w)
			}
			return s, nil
		})
	})
}

func BenchmarkInvokeMillion(b *testing.B) {
	funcs := make([]func(context.Context) error, 1000000)
	for i := range funcs {
		funcs[i] = func(context.Context) error { return nil }
	}
	perFork(b, len(funcs), func() { _ = Invoke(context.Background(), funcs...) })
}

func BenchmarkForMillion(b *testing.B) {
	perFork(b, 1000000, func() {
		_ = For(context.Background(), 0, 1000000, func(context.Context, int) error { return nil })
	})
}

func BenchmarkForTen(b *testing.B) {
	perFork(b, 1, func() { _ = For(context.Background(), 0, 10, func(context.Context, int) error { return nil }) })
}

func BenchmarkRunEmpty(b *testing.B) {
	perFork(b, 1, func() { _, _ = Run(context.Background(), func(*Worker) (int, error) { return 0, nil }) })
}
