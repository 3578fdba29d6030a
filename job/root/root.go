// Package root has the types of functions that become jobs.
//
// A parameter of one of these types is for a function that runs as a job, or as a part of one,
// later and elsewhere: like those of job.Run, a scope's Go, job.Then and coord.NewLazy. The types
// are aliases: callers give any function with that signature. But in a function marked
// //movenext:async they may also give a literal, a method or a function that suspends. Such a
// function holds no goroutine while it waits. It reports its suspension by its error, which only
// the runtime understands.
//
// A library declares its own parameters with these types, and passes the functions on to
// parameters with these types, as they are:
//
//	func (p *Pool) Submit(ctx context.Context, fn root.Action) *job.Job[job.Void] {
//		return job.Go(ctx, fn, job.On(p.workers))
//	}
//
// It neither calls them nor looks at their errors. A wrapper returns the error unchanged, and does
// nothing after the call, which may return long before the function has ended. A function that
// calls what it is given is marked //movenext:async itself, and its parameters have ordinary
// types.
package root

import "context"

// Func is a function with a result that becomes a job. It is that of job.Run, for example.
type Func[T any] = func(ctx context.Context) (T, error)

// FuncOf is [Func] for a function with an argument, like that of job.Then.
type FuncOf[A, T any] = func(ctx context.Context, arg A) (T, error)

// Action is a function without a result that becomes a job. It is that of job.Go, for example.
type Action = func(ctx context.Context) error

// ActionOf is [Action] for a function with an argument, like that of job.InScopeAsync.
type ActionOf[A any] = func(ctx context.Context, arg A) error
