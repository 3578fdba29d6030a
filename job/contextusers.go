package job

import "github.com/movenext/movenext/internal/interleave"

// users counts the users of a job's context. These are the job itself, until it has
// ended, and everything started with that context, until it has ended: jobs with a
// function ([body.nest]), machines ([internals.HoldContext]), and waits that watch the context,
// such as sleeps (ctxwatch.Host).
//
// A job may start others and not wait for them: they continue. Ending their context with
// the job would silently cancel those that are still queued, and those that run at some
// arbitrary moment. Never ending it would keep every registration with the parent
// context for as long as the parent lives. So the last user ends it.
//
//	bits 0-25   the users besides the job itself
//	canceled    Cancel was called, for this job or one that is nested in it; see outermost
//	left        the job itself has ended
//	realExists  there is a real context, which ends with the last user
//	waitsExist  there is a list of waits, which is closed by the last user
//	outside     of the job, not of its context: RunSynchronously was called, so it runs outside
//	            its home
//
// Once the job has left and no other user is counted, none can be added: hold fails,
// since it checks and counts in one compare-and-swap.
type users struct{ n interleave.Int32 }

const (
	outside    int32 = 1 << 26
	waitsExist int32 = 1 << 27
	canceled   int32 = 1 << 28
	left       int32 = 1 << 29
	realExists int32 = 1 << 30
)

func noUsers(n int32) bool { return n&^(canceled|realExists|waitsExist|outside) == left }

// unused reports whether the context is no longer needed.
func (u *users) unused() bool { return noUsers(u.n.Load()) }

// hold counts one more user; false: the context is no longer needed and has ended.
func (u *users) hold() bool {
	for {
		n := u.n.Load()
		if noUsers(n) {
			return false
		}
		if u.n.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release records that a user counted by hold has ended, and reports whether it was the
// last one.
func (u *users) release() (last bool) { return noUsers(u.n.Add(-1)) }

// leave records, once, that the job itself has ended, and reports whether it was the
// last user. (An Or that returns the old value is a loop of compare-and-swaps; an Add is
// one instruction.)
func (u *users) leave() (last bool) { return noUsers(u.n.Add(left)) }

// noteCancel records that Cancel was called in the chain of contexts of which this is the
// outermost.
func (u *users) noteCancel() { u.n.Or(canceled) }

// cancelCalled reports whether noteCancel was called.
func (u *users) cancelCalled() bool { return u.n.Load()&canceled != 0 }

// setReal records that there is a real context, r. If the job's context has already
// ended, because it has no users left, setReal first cancels r: code that has seen the
// context ended must not find r still running. Otherwise the last user to leave cancels
// r, as it sees what setReal has recorded.
func (u *users) setReal(r *realContext) {
	for {
		n := u.n.Load()
		if noUsers(n) {
			r.cancel(nil)
		}
		if u.n.CompareAndSwap(n, n|realExists) {
			return
		}
	}
}

// hasReal reports whether setReal was called, so that the real context has to be checked.
func (u *users) hasReal() bool { return u.n.Load()&realExists != 0 }

// setWaits records that there is a list of waits.
func (u *users) setWaits() { u.n.Or(waitsExist) }

// hasWaits reports whether setWaits was called.
func (u *users) hasWaits() bool { return u.n.Load()&waitsExist != 0 }

// setOutside records that the job runs outside its home.
func (u *users) setOutside() { u.n.Or(outside) }

// isOutside reports whether setOutside was called.
func (u *users) isOutside() bool { return u.n.Load()&outside != 0 }
