package job

import "github.com/movenext/movenext/internal/interleave"

// users counts the users of a job's context. These are the job itself, until it has
// ended, and everything started with that context, until it has ended: jobs with a
// function ([body.nest]), machines ([insides.Stay]), and waits that watch the context,
// such as sleeps (ctxwatch.Host).
//
// A job may start others and not wait for them: they continue. Ending their context with
// the job would silently cancel those that are still queued, and those that run at some
// arbitrary moment. Never ending it would keep every registration with the parent
// context for as long as the parent lives. So the last user ends it.
//
//	bits 0-27   the users besides the job itself
//	canceled    Cancel was called, for this job or one that is nested in it; see outermost
//	left        the job itself has ended
//	realMade    there is a real context, which ends with the last user
//
// Once the job has left and no other user is counted, none can be added: hold fails,
// since it checks and counts in one compare-and-swap.
type users struct{ n interleave.Int32 }

const (
	canceled int32 = 1 << 28
	left     int32 = 1 << 29
	realMade int32 = 1 << 30
)

func unused(n int32) bool { return n&^(canceled|realMade) == left }

// none reports whether the context is no longer needed.
func (u *users) none() bool { return unused(u.n.Load()) }

// hold counts one more user; false: the context is no longer needed and has ended.
func (u *users) hold() bool {
	for {
		n := u.n.Load()
		if unused(n) {
			return false
		}
		if u.n.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release records that a user counted by hold has ended, and reports whether it was the
// last one.
func (u *users) release() (last bool) { return unused(u.n.Add(-1)) }

// leave records, once, that the job itself has ended, and reports whether it was the
// last user. (An Or that returns the old value is a loop of compare-and-swaps; an Add is
// one instruction.)
func (u *users) leave() (last bool) { return unused(u.n.Add(left)) }

// disturb records that Cancel was called in the chain of contexts of which this is the
// outermost.
func (u *users) disturb() { u.n.Or(canceled) }

func (u *users) disturbed() bool { return u.n.Load()&canceled != 0 }

// mark records that there is a real context, r, and ends r if it is no longer needed. It
// checks that first: a context that has reported its end must not revoke it. After the
// mark, the last user to leave ends r.
func (u *users) mark(r *realContext) {
	for {
		n := u.n.Load()
		if unused(n) {
			r.cancel(nil)
		}
		if u.n.CompareAndSwap(n, n|realMade) {
			return
		}
	}
}

func (u *users) marked() bool { return u.n.Load()&realMade != 0 }
