// Package durable runs functions that survive their process. A durable function is saved before
// each of its steps. While it waits for a signal or a time, it exists only in a store. After a
// crash or a deploy, another process loads it and continues where it stopped.
//
// # The model
//
// A durable function runs from one point to the next. A point is the call of a step, a [Receive],
// a [Sleep], the call of other durable functions by [All] or [Any], or a [Select] of several. At
// each point the values that are still needed are saved, as data, by name. Nothing is replayed:
// the code between points runs once each time it is reached. It may read clocks and random
// numbers, and may loop forever.
//
//   - A step is any Go function with effects. The checkpoint before it holds its arguments; the
//     step starts only when that checkpoint is committed. Its result is saved with the next
//     point.
//   - A crash in a step, or before the next point is committed, repeats the step with equal
//     arguments and an equal [Key]. So a step may run twice. A step whose effect must not happen
//     twice passes the key to the service that it calls. The rows that a step writes with [Tx]
//     to the store's database are committed together with its result, exactly once.
//   - A step, or code between points, that kills its process again and again makes the instance
//     stuck: see [Crashes].
//   - Code between points must have no effect outside the function: a crash repeats it.
//   - A step's error is reduced to its text and its registered properties (see
//     [RegisterError]), with or without a crash, so that a function sees the same error in both
//     cases.
//   - A step that returns an error is repeated only if a [Retry] says so, that of the engine or of
//     the call ([WithRetry]): the function gets the error, as in plain Go. A step that panics
//     fails with a [*PanicError].
//   - A long step calls [Heartbeat] with its progress, which its next attempt reads with
//     [Progress]. [Steps] restricts an engine to the steps that its process can run.
//
// # Frames
//
// A [Function] describes a durable function to an [Engine]: how to make its [gen.Frame], and which
// points it has. The frame holds the function's variables and the code between its points. The
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
// The function has a context, at most one other parameter, and the results (T, error) or error. A
// point is a statement of its own, in straight code, blocks, if, for, switch, and ranges over
// slices, arrays, maps and numbers. Everything else is allowed if it contains no step; the
// generator refuses the rest with a position, also steps behind calls of helpers. A frame can
// also be written by hand, as in the package's example: the interface says what each method must
// do.
//
// # What is saved
//
// Booleans, numbers, strings, arrays, slices, maps, structs whose fields are all exported,
// pointers to whole objects, errors, and types that marshal themselves as JSON or text can be
// saved. All values of a checkpoint are one graph: pointers that share an object when saved share
// it when loaded, and cycles are kept. Pointers into other objects and slices that overlap are
// refused when they are saved; the error names their path. The capacity of a slice beyond its
// length is not kept.
//
// What is loaded is what was saved. A time keeps its zone: by name, so that summer times are those
// of the zone data of the process that loads it; a local time is local there, if its offset is the
// same. It loses the reading of the monotonic clock. What MarshalJSON returns is passed to
// UnmarshalJSON byte by byte; a [encoding/json.RawMessage] is not changed. A [math/big.Float] is
// refused, since its own methods lose its precision.
//
// A [Codec], set with the option [Payloads], encrypts or compresses what is stored.
//
// The context and the receiver of a function are not saved. The engine passes both in again.
//
// # From outside
//
// [Engine.Signal] sends a value that the function receives; [Update] sends one that it also
// answers. [Engine.Get], [Engine.List] and [Query] inspect instances. [Engine.Cancel] makes the
// function end and run its compensations; [Engine.Terminate] ends it without them.
// [Engine.Resume] continues a stuck instance, [Engine.Reset] goes back to an earlier point, and
// [Engine.Rerun] runs an instance again that has ended.
// [Engine.Delete] deletes an instance that has ended.
//
// # Versions
//
// For each version of a function, the generator records the contents of its checkpoints in the
// file movenext_layouts.txt, which is next to its source and committed. It compares a changed
// function with all of them. It reports each change that an instance in flight would not survive:
// a value that was not saved, a changed type, a step that would run twice or be skipped, a
// changed meaning. The command movenext accept accepts those that are acceptable.
// [Function.Resumes] and [Function.Migrations] are the outcome. A worker takes only instances
// whose layouts it knows, so that versions can run side by side during a deploy. It leaves the
// others to workers of their version, and counts them: see Foreign in [Metrics].
//
// # Not supported yet
//
// Steps of other modules, generic and variadic steps, ranges over strings, functions and channels
// with a step inside, and type switches with one.
//
// A layout is resumed as a whole or not at all. Steps run on goroutines, not on schedulers,
// except in a simulation: see [On].
package durable
