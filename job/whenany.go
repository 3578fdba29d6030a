package job

import (
	"slices"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// WhenAny returns a job that completes with the first of jobs to end, whatever its
// outcome; if several have ended already, with the first of these in the order given.
// The others continue and keep nothing of the WhenAny. The WhenAny does not fail if that
// job did: check the job that it yields.
//
// Without jobs it has faulted with [ErrNoJobs]. Jobs that are Created are started,
// unless another one has ended already. A nil job counts as one that has ended. See also
// [Race], which waits for a success, and [WhenAnyOf].
func WhenAny[T any](jobs ...*Job[T]) *Job[*Job[T]] {
	if len(jobs) == 0 {
		return FromError[*Job[T]](ErrNoJobs)
	}
	if i := slices.IndexFunc(jobs, (*Job[T]).IsCompleted); i >= 0 {
		return FromResult(jobs[i])
	}
	all := append([]*Job[T](nil), jobs...)
	w := &whenAny[*Job[T]]{jobs: all}
	w.promise.job.core.initDependent()
	w.start(len(all), func(i int) *core { return coreIn(all[i]) }, w)
	return &w.promise.job
}

// WhenAnyOf is [WhenAny] for jobs of several types. A nil Handle counts as a nil job.
func WhenAnyOf(jobs ...Handle) *Job[Handle] {
	if len(jobs) == 0 {
		return FromError[Handle](ErrNoJobs)
	}
	if i := slices.IndexFunc(jobs, func(h Handle) bool { return baseOf(h) == nil || h.IsCompleted() }); i >= 0 {
		return FromResult(jobs[i])
	}
	all := append([]Handle(nil), jobs...)
	w := &whenAny[Handle]{jobs: all}
	w.promise.job.core.initDependent()
	w.start(len(all), func(i int) *core { return baseOf(all[i]) }, w)
	return &w.promise.job
}

// whenAny is a contest that the first job to end decides. J is the type of its handles.
type whenAny[J any] struct {
	promise promise[J]
	contest
	jobs []J
}

func (w *whenAny[J]) decides(int) bool { return true }

func (w *whenAny[J]) finishWith(i int) continuation.Chain {
	winner := w.jobs[i]
	w.jobs = nil // the result must not keep the losers
	waiters, _ := tryComplete(&w.promise, Completed, winner, nil)
	return waiters
}

func (w *whenAny[J]) finishWithout() continuation.Chain { return continuation.Chain{} }

func (w *whenAny[J]) waitingJob() (*core, string) { return &w.promise.job.core, "WhenAny" }

// Race returns a job that completes with the result of the first of jobs to Complete; if
// several have Completed already, with the result of the first of these in the order
// given. The others continue (cancel them if they should not) and keep nothing of the
// Race. If all fail, it fails as [WhenAll] does: with all errors, joined in the order
// given.
//
// A loser that fails, before the winner or after it, keeps its failure: unless somebody
// looks at that job, it is reported to [OnUnobserved].
//
// Without jobs it has faulted with [ErrNoJobs]. Jobs that are Created are started, up
// to the first that has Completed. A nil job counts as one that has faulted with
// [ErrNilJob].
//
// It is what JavaScript calls Promise.any; Promise.race is [WhenAny].
func Race[T any](jobs ...*Job[T]) *Job[T] {
	if len(jobs) == 0 {
		return FromError[T](ErrNoJobs)
	}
	all := append([]*Job[T](nil), jobs...)
	r := &race[T]{jobs: all}
	r.promise.job.core.initDependent()
	r.start(len(all), func(i int) *core { return coreIn(all[i]) }, r)
	return &r.promise.job
}

// race is a contest that the first result decides.
type race[T any] struct {
	promise promise[T]
	contest
	jobs []*Job[T]
}

func (r *race[T]) decides(i int) bool { return r.jobs[i].Status() == Completed }

func (r *race[T]) finishWith(i int) continuation.Chain {
	value := r.jobs[i].value
	r.jobs = nil
	waiters, _ := tryComplete(&r.promise, Completed, value, nil)
	return waiters
}

func (r *race[T]) finishWithout() continuation.Chain {
	var failed failures
	for _, j := range r.jobs {
		_, err := j.GetResult()
		failed.add(j.Status(), err)
	}
	r.jobs = nil
	var zero T
	waiters, _ := tryComplete(&r.promise, failed.final(), zero, failed.err())
	return waiters
}

func (r *race[T]) waitingJob() (*core, string) { return &r.promise.job.core, "Race" }

// contest waits for several jobs until one of them decides it, and then withdraws its
// registrations from all others.
//
// The difficulty is that the winner may end while the last jobs are still being
// registered: it must withdraw exactly the nodes that are there. So after registering
// job i and recording that (registered = i+1), the registering goroutine checks, under
// the lock, whether the contest is over. Either the winner has seen the new number and
// withdraws the node, or the contest is over and the registering goroutine withdraws it.
//
// Nodes are withdrawn outside the lock: a withdrawal may deliver nodes of other jobs,
// whose targets have their own locks.
type contest struct {
	party contestants

	mu         interleave.Mutex
	nodes      []contestNode // until it is over
	registered int           // how many nodes are in the lists of their jobs
	left       int           // how many jobs can still decide it
	over       bool
}

// contestants are the jobs of a contest. decides is called under the contest's lock;
// then finishWith or finishWithout is called once.
type contestants interface {
	decides(i int) bool // job i has ended: does that end the contest?
	finishWith(i int) continuation.Chain
	finishWithout() continuation.Chain // all have ended, and none decided

	waitingJob() (*core, string)
}

type contestNode struct {
	continuation.Node
	contest *contest
	awaited *core // where it is registered
	index   int
}

// start registers with n jobs, one after the other, until one has decided the contest. n
// is at least 1; at returns nil for a nil job.
func (c *contest) start(n int, jobAt func(int) *core, party contestants) {
	nodes := make([]contestNode, n)
	c.nodes, c.left, c.party = nodes, n, party
	for i := range nodes {
		node := &nodes[i]
		node.contest, node.awaited, node.index = c, jobAt(i), i
		node.Prepare(node)
		if node.awaited == nil || !node.awaited.register(&node.Node) {
			c.end(i).Deliver(nil)
		}
		if !c.noteRegistered(i + 1) {
			node.takeBack()
			return
		}
	}
}

// noteRegistered records that the first n jobs are registered; false: the contest is over.
func (c *contest) noteRegistered(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.registered = n
	return !c.over
}

// end is notified that job i has ended.
func (c *contest) end(i int) continuation.Chain {
	nodes, decided := c.count(i)
	if nodes == nil {
		return continuation.Chain{}
	}
	for k := range nodes {
		nodes[k].takeBack()
	}
	if !decided {
		return c.party.finishWithout()
	}
	return c.party.finishWith(i)
}

// count records the end of job i. If that decides the contest, count returns the nodes
// to withdraw, in a slice that is not nil.
func (c *contest) count(i int) (nodes []contestNode, decided bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil, false
	}
	c.left--
	decided = c.party.decides(i)
	if !decided && c.left > 0 {
		return nil, false
	}
	nodes = c.nodes[:c.registered]
	c.over, c.nodes = true, nil
	return nodes, decided
}

// takeBack does nothing for a node that was delivered.
func (n *contestNode) takeBack() {
	if n.awaited != nil {
		n.awaited.waiting.Remove(&n.Node)
	}
}

func (n *contestNode) waitingJob() (*core, string) { return n.contest.party.waitingJob() }

// endsOtherwise reports whether another job can decide the contest.
func (n *contestNode) endsOtherwise() bool {
	n.contest.mu.Lock()
	defer n.contest.mu.Unlock()
	return n.contest.left > 1
}

// Completed implements continuation.Target.
func (n *contestNode) Completed(schedulers.Worker) continuation.Chain { return n.contest.end(n.index) }
