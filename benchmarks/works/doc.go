// Package works has the workloads, each with its contenders: this library, plain goroutines,
// and the other libraries that are able to do it.
//
// # Rules of a fair run
//
//   - All contenders of a workload do the same: where one has to return a result, each
//     of the others returns it too, by the means that its users would take.
//   - Each checks its result. Contenders without a handle pay for
//     one atomic addition per task, by which it is known to have run: sync.WaitGroup's
//     where there is one, a counter's where the library waits by itself.
//   - Calls of libraries are written out at each place. A table of functions would be shorter,
//     and an indirect call in every one of a million tasks.
//   - Asynchronous functions are generated from machines.go; none was
//     tuned by hand.
//
// # Kind works and real ones
//
// W1 to W9 are the works that benchmarks of such libraries have: one context that never ends.
// V1 to V9 are the same under what real programs have (met.go).
//
// # Names
//
// Contenders called "movenext" use the default scheduler with its default options.
// "goroutine + channel" is the future that Go programs write: a goroutine, and a channel
// for its result.
package works
