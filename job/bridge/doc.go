// Package bridge connects jobs with what else Go programs wait for: channels, contexts
// and callbacks.
//
//	FromChan, SendTo    a channel operation as a job      holds a goroutine while it waits
//	FromContext         the end of a context as a job     holds none
//	FromCallback        a call that reports back          holds none
//
// A process is waited for in a function of [job.Blocking], with exec.CommandContext. A select
// over jobs and channels of Go uses [job.Job.Done]. [job.StreamOf] turns a sequence into a stream,
// whose values can be pulled one by one.
//
// Go has no way to wait for a channel without a goroutine. For many waiters, package
// coord has channels that hold none.
package bridge
