// Package retry calls operations again after they have failed, with pauses that hold no
// goroutine.
//
// [Do] calls an operation until it succeeds. [Hedge] does not wait for a slow call to fail: it
// starts another one, and the first success counts. Both have
//
//   - a [Policy], which determines the pauses: anything with the method NextBackOff, as those of
//     github.com/cenkalti/backoff have it. Here are [Exponential] and [Constant].
//   - options that limit the calls: [Attempts], [Within], and [Spending] from a [Budget] that many
//     callers share.
//   - operations that say which failures are final, [Permanent], and which pause a server has
//     asked for, [After]. With [If] the caller says what is final.
//
// In a function marked //movenext:async, an operation that is a function literal, a function with
// a twin or a method value suspends.
//
// # How it is written
//
// The package is an example of functions that take functions: it imports nothing internal, its
// functions are annotated like those of any program, and the generator does not know them. So the
// names that begin with Do and Hedge are generated; only generated code uses them, except
// [DoAsync] and [HedgeAsync].
package retry
