// Package awaiter defines the protocol for awaiting an operation. The waiter checks whether it
// has completed ([Completion.IsCompleted]), registers a continuation if not
// ([Completion.OnCompleted]), and gets the result ([Awaiter.GetResult]).
//
// The roles and their names are those of .NET's GetAwaiter, INotifyCompletion and
// GetResult. Any type with a method GetAwaiter can be awaited by [Await]: in plain code,
// which blocks, and in generated code, which suspends.
package awaiter
