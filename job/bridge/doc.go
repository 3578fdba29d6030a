// Package bridge connects jobs with what else Go programs wait for: channels, contexts,
// processes, callbacks and sequences.
//
//	FromChan, SendTo    a channel operation as a job      holds a goroutine while it waits
//	FromContext         the end of a context as a job     holds none
//	FromProcess         a process as a job                holds a thread of the blocking lane
//	FromCallback        a call that reports back          holds none
//	Pull                an iter.Seq, element by element    holds a goroutine while it lives
//	ToChan              a job as a channel                holds none
//
// Go has no way to wait for a channel without a goroutine. For many waiters, package
// coord has channels that hold none.
package bridge
