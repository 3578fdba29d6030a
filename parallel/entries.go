package parallel

import (
	"context"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// ForEnter is [For] as generated machines call it.
func ForEnter(r *statemachine.Run, bodyEnter func(*statemachine.Run, context.Context, int) (statemachine.ActionCallee, error), ctx context.Context, from, to int, body func(ctx context.Context, i int) error, opts ...Option) (*statemachine.WaitingVoid[job.Void], error) {
	if bodyEnter == nil {
		return nil, For(ctx, from, to, body, opts...)
	}
	return enterVoid(r, For(byMachine{ctx}, from, to, func(ctx context.Context, i int) error {
		return statemachine.ActionAsRoot(ctx, func(r *statemachine.Run) (statemachine.ActionCallee, error) { return bodyEnter(r, ctx, i) })
	}, opts...))
}

// ForBlocksEnter is [ForBlocks] as generated machines call it.
func ForBlocksEnter(r *statemachine.Run, bodyEnter func(*statemachine.Run, context.Context, int, int) (statemachine.ActionCallee, error), ctx context.Context, from, to int, body func(ctx context.Context, lo, hi int) error, opts ...Option) (*statemachine.WaitingVoid[job.Void], error) {
	if bodyEnter == nil {
		return nil, ForBlocks(ctx, from, to, body, opts...)
	}
	return enterVoid(r, ForBlocks(byMachine{ctx}, from, to, func(ctx context.Context, lo, hi int) error {
		return statemachine.ActionAsRoot(ctx, func(r *statemachine.Run) (statemachine.ActionCallee, error) { return bodyEnter(r, ctx, lo, hi) })
	}, opts...))
}

// InvokeEnter is [Invoke] as generated machines call it.
func InvokeEnter(r *statemachine.Run, funcsEnter []func(*statemachine.Run, context.Context) (statemachine.ActionCallee, error), ctx context.Context, funcs ...func(context.Context) error) (*statemachine.WaitingVoid[job.Void], error) {
	all := make([]func(context.Context) error, len(funcs))
	for i, f := range funcs {
		all[i] = f
		if enter := statemachine.CompanionAt(funcsEnter, i); enter != nil {
			all[i] = func(ctx context.Context) error {
				return statemachine.ActionAsRoot(ctx, func(r *statemachine.Run) (statemachine.ActionCallee, error) { return enter(r, ctx) })
			}
		}
	}
	return enterVoid(r, Invoke(byMachine{ctx}, all...))
}

// ForEachEnter is [ForEach] as generated machines call it.
func ForEachEnter[S Items[T], T any](r *statemachine.Run, bodyEnter func(*statemachine.Run, context.Context, T) (statemachine.ActionCallee, error), ctx context.Context, items S, body func(ctx context.Context, item T) error, opts ...Option) (*statemachine.WaitingVoid[job.Void], error) {
	if bodyEnter == nil {
		return nil, ForEach(ctx, items, body, opts...)
	}
	return enterVoid(r, ForEach(byMachine{ctx}, items, func(ctx context.Context, item T) error {
		return statemachine.ActionAsRoot(ctx, func(r *statemachine.Run) (statemachine.ActionCallee, error) { return bodyEnter(r, ctx, item) })
	}, opts...))
}

// MapEnter is [Map] as generated machines call it.
func MapEnter[S Items[T], T, R any](r *statemachine.Run, fEnter func(*statemachine.Run, context.Context, T) (statemachine.Callee[R], R, error), ctx context.Context, items S, f func(ctx context.Context, item T) (R, error), opts ...Option) (*statemachine.Waiting[[]R], []R, error) {
	if fEnter == nil {
		out, err := Map(ctx, items, f, opts...)
		return nil, out, err
	}
	out, err := Map(byMachine{ctx}, items, itemAsRoot(fEnter), opts...)
	return enterValue(r, out, err)
}

// itemAsRoot returns a body that runs a function of an item as a root.
func itemAsRoot[T, R any](enter func(*statemachine.Run, context.Context, T) (statemachine.Callee[R], R, error)) func(context.Context, T) (R, error) {
	return func(ctx context.Context, item T) (R, error) {
		return statemachine.FuncAsRoot(ctx, func(r *statemachine.Run) (statemachine.Callee[R], R, error) { return enter(r, ctx, item) })
	}
}

// FilterEnter is [Filter] as generated machines call it.
func FilterEnter[S Items[T], T any](r *statemachine.Run, keepEnter func(*statemachine.Run, context.Context, T) (statemachine.Callee[bool], bool, error), ctx context.Context, items S, keep func(ctx context.Context, item T) (bool, error), opts ...Option) (*statemachine.Waiting[[]T], []T, error) {
	if keepEnter == nil {
		out, err := Filter(ctx, items, keep, opts...)
		return nil, out, err
	}
	out, err := Filter(byMachine{ctx}, items, itemAsRoot(keepEnter), opts...)
	return enterValue(r, out, err)
}

// GroupByEnter is [GroupBy] as generated machines call it.
func GroupByEnter[S Items[T], T any, K comparable](r *statemachine.Run, keyEnter func(*statemachine.Run, context.Context, T) (statemachine.Callee[K], K, error), ctx context.Context, items S, key func(ctx context.Context, item T) (K, error), opts ...Option) (*statemachine.Waiting[map[K][]T], map[K][]T, error) {
	if keyEnter == nil {
		out, err := GroupBy(ctx, items, key, opts...)
		return nil, out, err
	}
	out, err := GroupBy(byMachine{ctx}, items, itemAsRoot(keyEnter), opts...)
	return enterValue(r, out, err)
}

// DistinctEnter is [Distinct] as generated machines call it.
func DistinctEnter[S Items[T], T any, K comparable](r *statemachine.Run, keyEnter func(*statemachine.Run, context.Context, T) (statemachine.Callee[K], K, error), ctx context.Context, items S, key func(ctx context.Context, item T) (K, error), opts ...Option) (*statemachine.Waiting[[]T], []T, error) {
	if keyEnter == nil {
		out, err := Distinct(ctx, items, key, opts...)
		return nil, out, err
	}
	out, err := Distinct(byMachine{ctx}, items, itemAsRoot(keyEnter), opts...)
	return enterValue(r, out, err)
}

// RunEnter is [Run] as generated machines call it.
func RunEnter[R any](r *statemachine.Run, bodyEnter func(*statemachine.Run, *Worker) (statemachine.Callee[R], R, error), ctx context.Context, body func(w *Worker) (R, error), opts ...Option) (*statemachine.Waiting[R], R, error) {
	if bodyEnter == nil {
		v, err := Run(ctx, body, opts...)
		return nil, v, err
	}
	v, err := Run(byMachine{ctx}, func(w *Worker) (R, error) {
		return statemachine.FuncAsRoot(w.Context(), func(r *statemachine.Run) (statemachine.Callee[R], R, error) { return bodyEnter(r, w) })
	}, opts...)
	return enterValue(r, v, err)
}

// ReduceEnter is [Reduce] as generated machines call it.
func ReduceEnter[S ~[]T, T, A any](r *statemachine.Run, foldEnter func(*statemachine.Run, context.Context, A, T) (statemachine.Callee[A], A, error), mergeEnter func(*statemachine.Run, A, A) (interface{ Results(*statemachine.Run) A }, A), ctx context.Context, items S, zero A, fold func(ctx context.Context, acc A, item T) (A, error), merge func(a, b A) A, opts ...Option) (*statemachine.Waiting[A], A, error) {
	switch {
	case mergeEnter != nil:
		m, v, err := reduceMergingEnter(r, foldEnter, mergeEnter, ctx, items, zero, fold, merge, opts)
		return statemachine.WaitingFor(m), v, err
	case foldEnter == nil:
		v, err := Reduce(ctx, items, zero, fold, merge, opts...)
		return nil, v, err
	}
	v, err := Reduce(byMachine{ctx}, items, zero, foldAsRoot(foldEnter), merge, opts...)
	return enterValue(r, v, err)
}

// foldAsRoot returns a fold that runs another one as a root.
func foldAsRoot[T, A any](enter func(*statemachine.Run, context.Context, A, T) (statemachine.Callee[A], A, error)) func(context.Context, A, T) (A, error) {
	return func(ctx context.Context, acc A, item T) (A, error) {
		return statemachine.FuncAsRoot(ctx, func(r *statemachine.Run) (statemachine.Callee[A], A, error) { return enter(r, ctx, acc, item) })
	}
}

// ScanEnter is [Scan] as generated machines call it.
func ScanEnter[S ~[]T, T, A any](r *statemachine.Run, foldEnter func(*statemachine.Run, context.Context, A, T) (statemachine.Callee[A], A, error), mergeEnter func(*statemachine.Run, A, A) (interface{ Results(*statemachine.Run) A }, A), ctx context.Context, items S, zero A, fold func(ctx context.Context, acc A, item T) (A, error), merge func(a, b A) A, opts ...Option) (*statemachine.Waiting[[]A], []A, error) {
	switch {
	case mergeEnter != nil:
		m, v, err := scanMergingEnter(r, foldEnter, mergeEnter, ctx, items, zero, fold, merge, opts)
		return statemachine.WaitingFor(m), v, err
	case foldEnter == nil:
		v, err := Scan(ctx, items, zero, fold, merge, opts...)
		return nil, v, err
	}
	v, err := Scan(byMachine{ctx}, items, zero, foldAsRoot(foldEnter), merge, opts...)
	return enterValue(r, v, err)
}
