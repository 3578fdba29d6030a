package statemachine

import (
	"context"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/probe"
)

// # An awaited job is run before the frames move
//
// The first step of a job's function runs on a worker that has nothing else to do. If the
// function awaits a job that it has started, and that is still queued on this worker, the
// worker can run that job at once, above the frames of the function. They move to the heap
// only if that job suspends. In a recursion that starts a job for each half, they hardly ever
// do, and neither frames nor machines are allocated.
//
// The difficulty is runtime.Goexit. If the awaited job calls it, the goroutine ends, and with
// it the stack. The function must not end: in plain Go, another goroutine would have run the
// job. So each entry between the job and the await defers a function that promotes its frame
// if the goroutine exits for that reason, from the inside out, in the order of a suspension:
//
//	job's function ─calls─▶ fetchAll ─calls─▶ fetch ─awaits─▶ job, run in place
//
//	                                       4. the job ends; Goexit unwinds
//	                              5. RunInPlace: State of fetch = the await
//	                   6. fetch's frame is promoted; State of fetchAll = the call
//	      7. fetchAll's frame is promoted; State of the job's function = the call
//	8. the root is promoted, and suspends
//
// Every frame then is as if it had suspended. The callee sets the state of its caller, and the
// field for itself, since only the entry that is called has both. Deferred calls of the
// functions stay in their frames, because a State above zero means suspended.
//
// The last step cannot return the error that reports a suspension ([spawnedChain.Suspend]), since
// nothing returns during a Goexit. But a deferred function may panic, and the runtime's caller
// recovers the error and continues the machine. Go resumes the Goexit after that.
//
// It is tempting to link the frames by their addresses, and to promote them all in one place.
// But a goroutine's stack moves when it grows, and only Go's own frames are told.
//
// A frame is on a host if all entries between it and the job's function promote their frames.
// The mark is passed on from caller to callee. The frames of a hot start are not: its goroutine
// is the caller's, which a Goexit in an awaited job must not end. Nor are those whose caller
// uses the entry for all machines (FEnter), from another package or through a variable, nor
// those of a machine that has been resumed. There the frames move before the job is run; see
// [Run.register].

// onHost is the ticket of a frame that is on the stack of a host.
const onHost = 1

// Host marks f as the frame of a job's function, in its first step. ctx is the context of that
// job. The caller has deferred a function that promotes f if [Run.Exiting] returns true.
func (r *Run) Host(f *Frame, ctx context.Context) {
	f.ticket, r.host = onHost, ctx
}

// Nest marks f, a frame on the stack, as its caller is marked. Its entry has deferred a function
// that promotes f if [Run.Exiting] returns true. caller may be nil.
func (r *Run) Nest(f, caller *Frame) {
	if caller != nil {
		f.ticket = caller.ticket
	}
}

// Exiting reports whether the goroutine exits because a job that was run in place has called
// runtime.Goexit, so that the frames on its stack have to be promoted.
func (r *Run) Exiting() bool { return r.exiting }

// awaitedJob is what the runtime needs of an awaited *job.Job.
type awaitedJob interface {
	awaiter.Completion
	jobcore.Job
}

// RunInPlace runs the job that f awaits at its suspension point at, if f is on a host and the
// job is queued there, and reports whether the job has ended. If it returns false, f suspends as
// usual. If the job calls runtime.Goexit, RunInPlace does not return.
func (r *Run) RunInPlace(f *Frame, at int32, j awaitedJob) bool {
	return f.ticket == onHost && r.host != nil && r.runInPlace(f, at, j)
}

func (r *Run) runInPlace(f *Frame, at int32, j awaitedJob) bool {
	if r.labels != nil || budget.Spent(r.ready) || probe.On(probe.Lives|probe.Tables) {
		return false // the machine pays attention to these
	}
	_, in := j.Internal(jobcore.Key{})
	if in == nil {
		return false
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			panic(v) // of a scheduler
		}
		in.LeavePlace()
		f.State, r.awaiting, r.exiting = at, j, true
	}()
	ran := in.RunFor(r.host, r.runs)
	returned = true
	if ran == jobcore.NotRun {
		return false
	}
	r.runs++
	if ran == jobcore.RanUntilSuspended {
		return false
	}
	r.ready++
	return true
}
