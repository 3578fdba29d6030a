// Package durable runs functions that survive their process. A durable function is saved
// before each of its steps, and while it waits for a signal or for a time it exists in a store
// alone. After a crash or a deploy another process loads it and continues where it stopped.
//
// # The model
//
// A durable function runs from one point to the next. A point is the call of a step, a
// [Receive] or a [Sleep]. At each point the values that are still needed are saved, as data,
// by name. Nothing is replayed: code between the points runs once for each time that it is
// reached, may read clocks and random numbers, and may loop forever.
//
//   - A step is any Go function with effects. The checkpoint before it holds its arguments.
//     Only when that is committed does the step start. Its result is saved with the next
//     point.
//   - A crash in a step, or before the next point is committed, repeats the step with equal
//     arguments and an equal [Key]. So a step may run twice. One that must not have its
//     effect twice passes the key to the service that it calls.
//   - Code between points must have no effect outside of the function: a crash repeats it.
//   - A step's error is reduced to its text and what is registered of it (see
//     [RegisterError]), crash or not, so that a function sees the same error in both cases.
//   - A step that returns an error is not repeated unless a [Retry] says so: the function gets
//     the error, as in plain Go. A step that panics has failed with a [*PanicError].
//
// # Frames
//
// A [Function] describes a durable function to an [Engine]: how to make its [Frame], and which
// points it has. The frame has the function's variables and the code between its points. The
// generator writes both, with go tool movenext:
//
//	//movenext:durable name=shop.Order   above a function: makes OrderDurable
//	//movenext:step                      above a function that it calls for its effects
//	//movenext:point NAME                above a statement: names a point, which otherwise
//	                                     has the name of the called function
//
// The function has a context, at most one parameter more, and the results (T, error) or error.
// A point is a statement of its own, in straight code, blocks, if, for, switch, and ranges over
// slices, arrays, maps and numbers. Everything else is allowed where no step is inside; what is
// not, the generator refuses with a position. A frame can also be written by hand, as the
// package's example is: the interface says what each method is asked for.
//
// # What is saved
//
// Booleans, numbers, strings, arrays, slices, maps, structs whose fields are all exported,
// pointers to whole objects, errors, and types that marshal themselves as JSON or text. All
// values of a checkpoint are one graph: what two pointers share before, they share after,
// cycles too. A pointer into another object and slices that overlap are refused when they are
// saved, with their path. The capacity of a slice beyond its length is not kept.
//
// The context and the receiver of a function are not saved. The engine passes both in again.
//
// # Not supported yet
//
// Steps of other modules, generic and variadic steps, ranges over strings, functions and channels
// with a step inside, and type switches with one.
//
// Layouts are compared as a whole: an instance that was saved by a function with another
// [Function.Layout] is stuck, unless [Function.Resumes] names that layout. There are no child
// functions, updates, query handlers, resets, heartbeats of steps, routing of single steps to
// workers, and no encryption of payloads. Steps run on goroutines, not on schedulers.
package durable
