package statemachine

import (
	"context"
	"maps"
	"reflect"
	"sync"
	"sync/atomic"
)

// Function values that are kept: in fields, maps, slices, channels and results.
//
// A parameter has a companion beside it (see package codegen), a value in a map has nothing
// beside it. So the value itself has to lead to its entry. For a function type that its author
// marks,
//
//	//movenext:async
//	type Handler func(ctx context.Context, r request) (string, error)
//
// the generator makes a function value from two: the plain function and the entry. Plain code
// that calls the value runs the plain function. A machine asks it for the entry: it calls the
// value with a context that is a question, and the value answers instead of running.
//
//	func HandlerOf(plain func(…) (…), enter func(*Run, …) (…)) Handler {
//		return Kept(Handler(func(ctx context.Context, r request) (page string, err error) {
//			if Answers(ctx, enter) {
//				return
//			}
//			return plain(ctx, r)
//		}))
//	}
//
// No other function may get a question: it would run, with a context that is none. Kept records
// the code of the values that answer, and only those are asked. Two functions never share their
// code address, so a value with a recorded one was made by such a function. The record is made
// from the value itself, so it does not matter how many copies of the function the compiler
// makes.
//
// It is tempting to read the entry from the closure, since its address is known. But the layout
// of a closure is the compiler's.

// answering has the code addresses of the functions that answer. It is replaced, never changed,
// and has one element for each place of the program that makes such values.
var answering struct {
	mu    sync.Mutex
	codes atomic.Pointer[map[uintptr]struct{}]
}

// Kept returns f, a function that calls [Answers] first, and lets machines ask it for its entry.
func Kept[F any](f F) F {
	code := reflect.ValueOf(f).Pointer()
	if !answers(code) {
		recordAnswering(code)
	}
	return f
}

func recordAnswering(code uintptr) {
	answering.mu.Lock()
	defer answering.mu.Unlock()
	codes := map[uintptr]struct{}{}
	if old := answering.codes.Load(); old != nil {
		codes = maps.Clone(*old)
	}
	codes[code] = struct{}{}
	answering.codes.Store(&codes)
}

func answers(code uintptr) bool {
	codes := answering.codes.Load()
	if codes == nil {
		return false
	}
	_, found := (*codes)[code]
	return found
}

// question is the context with which a value is asked for its entry.
type question struct {
	context.Context
	entry any
}

var questions = sync.Pool{New: func() any { return &question{Context: context.Background()} }}

// Answers reports whether ctx is a question. If so, it has answered it with the entry, and the
// caller returns.
func Answers(ctx context.Context, entry any) bool {
	q, ok := ctx.(*question)
	if ok {
		q.entry = entry
	}
	return ok
}

// EntryOf returns the entry of the function value f, or nil if it has none. ask calls f with the
// given context.
func EntryOf[E any](f any, ask func(context.Context)) (entry E) {
	if f == nil || answering.codes.Load() == nil || !answers(reflect.ValueOf(f).Pointer()) {
		return entry
	}
	q := questions.Get().(*question)
	ask(q)
	entry, _ = q.entry.(E)
	q.entry = nil
	questions.Put(q)
	return entry
}
