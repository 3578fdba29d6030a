package parallel

// Join calls f with x and with y, perhaps in parallel, and returns both results. It is
// the cheapest way to divide work: nothing is allocated, and where no other worker has
// time, it is little more than two calls.
//
//	func fib(w *parallel.Worker, n int) int {
//		if n < 2 {
//			return n
//		}
//		a, b := parallel.Join(w, fib, n-1, n-2)
//		return a + b
//	}
//
// The call with x runs on this goroutine at once. The call with y runs after it, unless
// another worker has taken it meanwhile; then Join waits for that worker, and takes work
// that the call forks. So Join blocks for as long as the calls take, and no goroutine
// waits for work that it could do itself.
//
// If a call panics, wherever it ran, Join panics with the same value once neither call
// is running; a call with y that has not begun is left out then, as in plain Go. The
// same goes for runtime.Goexit. A fork that f has made and not joined is joined before
// Join returns, and its result is lost.
//
// This is rayon's join, adapted to Go: the argument is passed separately from the
// function, because a closure would have to be allocated.
func Join[A, R any](w *Worker, f func(w *Worker, arg A) R, x, y A) (rx, ry R) {
	second := push(w, f, y)
	i := second.index
	returned := false
	defer func() {
		if !returned {
			w.unwind(i)
		}
	}()
	rx = f(w, x)
	if w.top == i+1 && w.entries[i].state == private {
		w.top = i
		second.forget()
		ry = f(w, y)
		if w.top != i {
			w.joinAbove(i)
		}
	} else if w.reclaim(i) {
		ry = f(w, y)
		w.joinAbove(i)
	} else {
		ry = second.result
		w.collect(i)
	}
	returned = true
	return rx, ry
}

// Join2 calls a and b, perhaps in parallel, and returns both results. It is [Join] for
// two different functions. If b is a closure, it is allocated.
func Join2[A, B any](w *Worker, a func(w *Worker) A, b func(w *Worker) B) (ra A, rb B) {
	second := pushThunk(w, b)
	i := second.index
	returned := false
	defer func() {
		if !returned {
			w.unwind(i)
		}
	}()
	ra = a(w)
	if w.top == i+1 && w.entries[i].state == private {
		w.top = i
		second.fn = nil
		rb = b(w)
		if w.top != i {
			w.joinAbove(i)
		}
	} else if w.reclaim(i) {
		rb = b(w)
		w.joinAbove(i)
	} else {
		rb = second.result
		w.collect(i)
	}
	returned = true
	return ra, rb
}
