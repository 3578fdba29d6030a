package parallel

// Fork lets f(w, arg) run, perhaps in parallel, and returns at once. [Forked.Join]
// returns the result; until then f may not have begun. A fork that is not joined is
// joined at the end of the call that made it, if [Run] or a join made that call, and
// its result is lost. So a function may fork calls without results and never join them:
// joining the function joins them all.
//
// It allocates nothing: arg is passed separately from f, so f need not be a closure. For
// two calls of which one can run on this goroutine, [Join] is cheaper.
func Fork[A, R any](w *Worker, f func(w *Worker, arg A) R, arg A) Forked[A, R] {
	call := push(w, f, arg)
	return Forked[A, R]{call, call.generation}
}

// Forked is a call that [Fork] has postponed. It is a small value: keep it in a variable
// or an array of the function that forked, and use it with the same [Worker]. The zero
// Forked has no call to join.
type Forked[A, R any] struct {
	fork       *fork[A, R]
	generation uint32
}

// Join returns the result of the call. It makes the call itself unless another
// worker has begun it. Otherwise it waits, and meanwhile runs forks that the same
// goroutine has made later, and forks of that call. It blocks for as long as that
// takes. Forks may be joined in any order.
//
// If the call panics, Join panics with the same value, and likewise for runtime.Goexit.
// It panics with an explanation if the fork was joined before, was made with another
// Worker, or was already joined at the end of the function that made it.
func (h Forked[A, R]) Join(w *Worker) (r R) {
	f := h.fork
	if f == nil || f.generation != h.generation || f.owner != w {
		panic("parallel: Join of a fork that was joined before, or belongs to another Worker")
	}
	i := f.index
	p := &w.entries[i]
	if p.state != private && !w.takeBack(p) {
		w.await(i)
		r = f.result
		w.collect(i)
		return r
	}
	fn, arg := f.fn, f.arg
	f.forget()
	f.generation++
	w.vacate(i)
	w.supply() // joins may follow one another with no fork between them
	top, returned := w.top, false
	defer func() {
		if !returned {
			w.unwind(top)
		}
	}()
	r = fn(w, arg)
	if w.top != top {
		w.joinAbove(top)
	}
	returned = true
	return r
}
