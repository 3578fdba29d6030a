// Package workloads has the workloads, each with its contenders: this library, plain goroutines,
// and the other libraries that are able to do it.
//
// # Rules of a fair run
//
//   - All contenders of a workload do the same: where one has to return a result, all others
//     return it too, by the means that their users would use.
//   - Each checks its result. Contenders without a handle pay for one atomic addition per task,
//     which shows that it has run: that of sync.WaitGroup if there is one, that of a counter
//     where the library waits by itself.
//   - Calls of libraries are written out in each place. A table of functions would be shorter,
//     but would add an indirect call to every one of a million tasks.
//   - Asynchronous functions are generated from machines.go; none was tuned by hand.
//
// # Ideal works and realistic ones
//
// W1 to W9 are the usual works of benchmarks for such libraries: one context that never ends.
// V1 to V9 are the same under what real programs have (conditions.go). U1 to U8 are what
// programs do all day (daily.go).
//
// # Names
//
// Contenders called "movenext" use the default scheduler with its default options. "goroutine +
// channel" is the usual future of Go programs: a goroutine, and a channel for its result.
package workloads
