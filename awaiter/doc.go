// Package awaiter is the protocol by which something that will complete is
// awaited: ask whether it has ([Completion.IsCompleted]), leave a continuation
// if not ([Completion.OnCompleted]), take the result ([Awaiter.GetResult]).
//
// The roles and their names are those of .NET's GetAwaiter, INotifyCompletion and
// GetResult. Any type with a method GetAwaiter can be awaited by [Await], in plain
// code, where it blocks, and in generated code, where it suspends.
package awaiter
