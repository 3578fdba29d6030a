package main

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// each yields f of each value: map.
//
//movenext:async
func each[T, R any](in *job.Stream[T], f func(T) R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for v, err := range in.All() {
			if err != nil {
				var none R
				yield(none, err)
				return
			}
			if !yield(f(v), nil) {
				return
			}
		}
	}
}

// merge yields the values of all streams as they arrive.
//
//movenext:async
func merge[T any](ctx context.Context, streams ...*job.Stream[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var open []source[T]
		for _, s := range streams {
			values := s.Pull()
			defer func() { _ = values.Stop(ctx) }()
			open = append(open, source[T]{values, values.NextAsync(ctx)})
		}
		for len(open) > 0 {
			i, err := coord.Select(ctx, endsOf(open)...)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			first := open[i]
			open = slices.Delete(open, i, i+1)
			v, err := first.next.Await()
			if errors.Is(err, io.EOF) {
				continue
			}
			if !yield(v, err) || err != nil {
				return
			}
			// Behind the others: none is starved.
			open = append(open, source[T]{first.values, first.values.NextAsync(ctx)})
		}
	}
}

// source is a stream that is merged, and its next value.
type source[T any] struct {
	values *job.Puller[T]
	next   *job.Job[T]
}

func endsOf[T any](open []source[T]) []coord.Case {
	cases := make([]coord.Case, len(open))
	for i, s := range open {
		cases[i] = coord.OnEnd(s.next)
	}
	return cases
}

// zip yields f of the first values, of the second ones, and so on.
//
//movenext:async
func zip[A, B, R any](ctx context.Context, as *job.Stream[A], bs *job.Stream[B], f func(A, B) R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		others := bs.Pull()
		defer func() { _ = others.Stop(ctx) }()
		for a, err := range as.All() {
			var r R
			if err == nil {
				var b B
				if b, err = others.Next(ctx); err == nil {
					r = f(a, b)
				}
			}
			if errors.Is(err, io.EOF) || !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// combine yields f of the latest values whenever one of them changes.
//
//movenext:async
func combine[A, B, R any](ctx context.Context, as *job.Stream[A], bs *job.Stream[B], f func(A, B) R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var a *A
		var b *B
		changes := mergeAsync(ctx,
			eachAsync(as, func(v A) func() { return func() { a = &v } }),
			eachAsync(bs, func(v B) func() { return func() { b = &v } }))
		for change, err := range changes.All() {
			var r R
			if err == nil {
				change()
				if a == nil || b == nil {
					continue
				}
				r = f(*a, *b)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// debounce yields a value when no other has followed it for that long.
//
//movenext:async
func debounce[T any](ctx context.Context, in *job.Stream[T], quiet time.Duration) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		values := in.Pull()
		defer func() { _ = values.Stop(ctx) }()
		next := values.NextAsync(ctx)
		for {
			v, err := next.Await()
			if err == nil {
				next = values.NextAsync(ctx)
				var i int
				i, err = coord.Select(ctx, coord.OnEnd(next), coord.OnTimeout(quiet))
				if i == 0 && !errors.Is(next.Err(), io.EOF) {
					continue // another value has followed
				}
			}
			if errors.Is(err, io.EOF) || !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// flatLatest yields the values of f of the latest value, and leaves that stream when a newer one
// arrives.
//
//movenext:async
func flatLatest[T, R any](ctx context.Context, in *job.Stream[T], f func(T) *job.Stream[R]) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		values := in.Pull()
		defer func() { _ = values.Stop(ctx) }()
		next := values.NextAsync(ctx)
		for {
			var r R
			v, err := next.Await()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					yield(r, err)
				}
				return
			}
			next = values.NextAsync(ctx)
			for r, err := range untilAsync(ctx, f(v), next).All() {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// until yields the values of a stream until newer has a value.
//
//movenext:async
func until[T any](ctx context.Context, in *job.Stream[T], newer job.Handle) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		values := in.Pull()
		defer func() { _ = values.Stop(ctx) }()
		left := coord.OnEnd(newer)
		next := values.NextAsync(ctx)
		for {
			i, err := coord.Select(ctx, left, coord.OnEnd(next))
			if i == 0 && errors.Is(newer.Err(), io.EOF) {
				left = coord.Case{} // there is no newer one
				continue
			}
			if i == 0 {
				return
			}
			var v T
			if err == nil {
				v, err = next.Await()
			}
			if errors.Is(err, io.EOF) || !yield(v, err) || err != nil {
				return
			}
			next = values.NextAsync(ctx)
		}
	}
}

// batch yields n values at once, or what has arrived when the first of them has waited for that
// long.
//
//movenext:async
func batch[T any](ctx context.Context, in *job.Stream[T], n int, patience time.Duration) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		values := in.Pull()
		defer func() { _ = values.Stop(ctx) }()
		next := values.NextAsync(ctx)
		for {
			var some []T
			v, err := next.Await()
			deadline := job.SleepAsync(ctx, patience)
			for err == nil {
				some = append(some, v)
				next = values.NextAsync(ctx)
				if len(some) == n {
					break
				}
				var i int
				i, err = coord.Select(ctx, coord.OnEnd(next), coord.OnEnd(deadline))
				if err != nil || i == 1 {
					break
				}
				v, err = next.Await()
			}
			deadline.Cancel()
			ended := errors.Is(err, io.EOF)
			if ended {
				err = nil
			}
			if (len(some) > 0 || err != nil) && !yield(some, err) || err != nil || ended {
				return
			}
		}
	}
}
