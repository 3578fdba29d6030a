// Package keep finds the sends and receives after which a machine soon waits again. Their peers
// need not be put into a queue: the worker runs them as soon as the machine has suspended
// (handover.go in package statemachine has the protocol).
//
// A call qualifies if on every path from it to the next Send or Receive, or to the function's end,
// only simple statements run. They contain no calls, since a callee may wait for what the peer
// does; no operations of Go's channels, for the same reason; and no loops, which may poll. They
// may panic: the runtime publishes the peer before deferred calls run.
//
//	for {
//		v, err := in.Receive(ctx)                      // qualifies
//		if err != nil {
//			return err                             // generated code publishes
//		}
//		if err := out.Send(ctx, v+1); err != nil { // qualifies
//			return err
//		}
//	}
//
// The judgement is about text: it knows no types, and takes conversions and len for calls. That
// errs on the side of the queue.
//
// Nothing here is for concurrent use.
package keep
