// Package durable runs functions that survive their process. A durable function is saved
// before each of its steps, and while it waits for a signal or for a time it exists in a store
// alone. After a crash or a deploy another process loads it and continues where it stopped.
//
// # The model
//
// A durable function runs from one point to the next. A point is the call of a step, a
// [Receive], a [Sleep], or the call of other durable functions by [All] or [Any]. At each
// point the values that are still needed are saved, as data, by name. Nothing is
// replayed: code between the points runs once for each time that it is reached, may read
// clocks and random numbers, and may loop forever.
//
//   - A step is any Go function with effects. The checkpoint before it holds its arguments.
//     Only when that is committed does the step start. Its result is saved with the next
//     point.
//   - A crash in a step, or before the next point is committed, repeats the step with equal
//     arguments and an equal [Key]. So a step may run twice. One that must not have its
//     effect twice passes the key to the service that it calls. What a step writes with [Tx]
//     to the database of the store is committed together with its result, once.
//   - Code between points must have no effect outside of the function: a crash repeats it.
//   - A step's error is reduced to its text and what is registered of it (see
//     [RegisterError]), crash or not, so that a function sees the same error in both cases.
//   - A step that returns an error is not repeated unless a [Retry] says so: the function gets
//     the error, as in plain Go. A step that panics has failed with a [*PanicError].
//   - A long step calls [Heartbeat] with its progress, which its next attempt gets from
//     [Progress]. [Steps] leaves steps to the engines that have what they need.
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
//	//movenext:migrate name=NAME from=LAYOUT
//	                                     above a func(*Saved) error: loads what an older
//	                                     version has saved
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
// A [Codec] encrypts or compresses what is stored, with the option [Payloads].
//
// The context and the receiver of a function are not saved. The engine passes both in again.
//
// # From outside
//
// [Engine.Signal] sends a value that the function receives, [Update] one that it also answers.
// [Engine.Get], [Engine.List] and [Query] look at instances. [Engine.Cancel] has the function
// end, with its compensations, [Engine.Terminate] ends it without, [Engine.Resume] continues a
// stuck one, and [Engine.Reset] goes back to an earlier point.
//
// # Versions
//
// The generator writes what checkpoints contain, for each version of a function, into the file
// movenext_layouts.txt next to its source, which is committed. It compares a changed function with
// all of them. A change that an instance in flight would not survive is a finding: a value that
// was not saved, a changed type, a step that would run twice or be skipped, a
// changed meaning. The command movenext accept takes what can be taken. [Function.Resumes] and
// [Function.Migrations] are the outcome. An instance with any other [Function.Layout] is stuck
// until a program runs that knows it.
//
// # Not supported yet
//
// Steps of other modules, generic and variadic steps, ranges over strings, functions and channels
// with a step inside, and type switches with one.
//
// A layout is resumed as a whole or not at all. Steps run on goroutines, not on schedulers, except
// in a simulation: [On].
package durable
