package inspect

import (
	"cmp"
	"slices"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/job"
)

// WaiterGroup is a group of waiters of a job that wait in the same functions and lines.
type WaiterGroup struct {
	// Stack is the asynchronous stack of one of the waiters, as [job.AsyncStack] returns it,
	// without the job itself.
	Stack []job.Frame
	// Count is the number of the waiters.
	Count int
}

// Waiters returns all waiters of the job h, direct or through other jobs, grouped by the
// functions and lines in which they wait, the largest group first: where [job.AsyncStack]
// follows one waiter of each job, Waiters follows all. Each end of a chain of waits
// counts as one. It is a snapshot for reports, of chains of at most 32 jobs and at most
// a hundred thousand waiters, and works without tracking. It does not block, but the job cannot
// complete while its waiters are examined, which takes some hundred nanoseconds for each.
func Waiters(h job.Handle) []WaiterGroup {
	in := jobcore.Of(h)
	if in == nil {
		return nil
	}
	var all []WaiterGroup
	in.Waiters(func(stack any, count int) {
		frames, _ := stack.([]job.Frame)
		all = append(all, WaiterGroup{frames, count})
	})
	slices.SortStableFunc(all, func(a, b WaiterGroup) int { return cmp.Compare(b.Count, a.Count) })
	return all
}
