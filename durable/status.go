package durable

import "github.com/movenext/movenext/durable/stores"

// Status is the state of an instance. Its method Ended reports whether the instance has ended.
type Status = stores.Status

// The states of an instance. An instance that is Running, Waiting or Stuck has not ended.
const (
	Running    = stores.Running    // a worker runs it, or is about to
	Waiting    = stores.Waiting    // for a signal, a time, or the next attempt of a step
	Stuck      = stores.Stuck      // cannot continue; Instance.Reason says why
	Completed  = stores.Completed  // returned without an error
	Failed     = stores.Failed     // returned an error
	Canceled   = stores.Canceled   // returned an error after it was canceled
	Terminated = stores.Terminated // ended from outside, without compensations
)
