package statemachine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
)

// deciding is a worker that runs the work it is given next, or not.
type deciding struct {
	roomy
	runsNext bool
	runsFor  schedulers.Scheduler // work of this home that yields runs again
	asked    int                  // how often RunsNext was called
}

func (d *deciding) RunsNext() bool {
	d.asked++
	return d.runsNext
}

func (d *deciding) RunsAgain(home schedulers.Scheduler) bool { return home == d.runsFor }

// keeping returns a run in the middle of a chain that keeps the chain of m.
func keeping(m *suspended, runsNext bool) *Run {
	m.of = job.FromResult(1)
	r := borrow(&deciding{runsNext: runsNext})
	r.top, r.runs, r.ready, r.handed = &suspend().Frame, 3, 5, &m.Chain.chain
	r.Keep(new(Operation))
	return r
}

// locked is a lock that was free.
type locked struct{ Operation }

func (*locked) Join(*continuation.Node, schedulers.Worker) bool { return false }

func (*locked) Holds() bool { return true }

// Because of a search elsewhere in the process, the machine yields with its lock, and its worker
// has nothing else to run.
func TestAMachineThatYieldsWithALockMayContinueAtOnce(t *testing.T) {
	defer budget.EveryAwait()()
	m := suspend()
	m.of = job.FromResult(1)
	y := &yielded{chain: &m.Chain.chain, awaiting: new(locked)}
	y.Run(&deciding{runsFor: m.home.Scheduler})
	assert.Equal(t, job.Completed, m.Promise.Job.Status())
}

// resumes waits until the home of m has run it.
func resumes(t *testing.T, r *Run, m *suspended) {
	t.Helper()
	assert.Nil(t, r.handed)
	_, err := m.Promise.Job.Wait(t.Context())
	require.NoError(t, err)
}

func TestTheKeptChainStartsWithAFreshRun(t *testing.T) {
	m := suspend()
	r := keeping(m, true)
	r.last, r.failure, r.holder = new(Frame), new(failure), new(probe.Holder)
	assert.Same(t, &m.Chain.chain, r.next())
	assert.Equal(t, Run{cache: r.cache, top: &m.Frame}, *r)
}

func TestAChainThatIsNotNextIsPublished(t *testing.T) {
	m := suspend()
	r := keeping(m, false)
	assert.Nil(t, r.next())
	resumes(t, r, m)
}

func TestAKeptChainIsPublishedBeforeAnotherIsKept(t *testing.T) {
	m := suspend()
	r := keeping(m, true)
	r.HandOver(continuation.Chain{})
	resumes(t, r, m)
}

func TestAKeptChainIsPublishedBeforeAWaitThatMayRunOtherCode(t *testing.T) {
	m := suspend()
	r := keeping(m, true)
	_, begun := r.beginBeside(&suspend().Chain.chain)
	assert.False(t, begun)
	resumes(t, r, m)
}

// It may be inside another run, whose worker has more to do.
func TestARunThatIsNotItsWorkersOwnWorkPublishesTheKeptChain(t *testing.T) {
	m, ending := suspend(), suspend()
	ending.of = job.FromResult(2)
	r := keeping(m, true)
	r.top = &ending.Frame
	r.runAndGiveBack(&ending.Chain.chain)
	assert.Equal(t, job.Completed, ending.Promise.Job.Status())
	resumes(t, r, m)
}

// quiet is a wait that serves no other waiter.
type quiet struct{ Operation }

func (q *quiet) JoinQuietly(n *continuation.Node) (waits bool, served continuation.Chain) {
	return q.Join(n, nil), served
}

// handing is a machine that hands another one over, and waits once before it ends.
type handing struct {
	*suspended
	over *suspended
	wait quiet
}

func (h *handing) MoveNext(r *Run) bool {
	if h.over == nil {
		return h.suspended.MoveNext(r)
	}
	r.handed, h.over = &h.over.Chain.chain, nil
	h.State = 1
	return r.Suspend(&h.wait)
}

func TestAWorkerRunsTheKeptChainsNextAndGivesTheRunBack(t *testing.T) {
	m, second := suspend(), suspend()
	m.of, second.of = job.FromResult(1), job.FromResult(2)
	middle := &handing{suspended: second, over: m}
	middle.self = middle
	first := &handing{suspended: suspend(), over: second}
	first.self, first.of = first, job.FromResult(3)
	on := &deciding{runsNext: true}
	r := borrow(on)
	r.giveBack()
	first.Chain.chain.Run(on) // it borrows the same Run
	assert.Equal(t, job.Completed, m.Promise.Job.Status(), "on the same goroutine")
	assert.Same(t, r, borrow(on))
	assert.Equal(t, Run{cache: r.cache}, *r)
	for _, h := range []*handing{first, middle} {
		assert.False(t, h.Promise.Job.IsCompleted(), "it waits")
		h.wait.Complete().Deliver(nil)
		_, err := h.Promise.Job.Wait(t.Context())
		require.NoError(t, err)
	}
}

func TestARunThatIsNotItsWorkersOwnWorkRunsNoKeptChain(t *testing.T) {
	m := suspend()
	m.of = job.FromResult(1)
	h := &handing{suspended: suspend(), over: m}
	h.self, h.of = h, job.FromResult(2)
	on := &deciding{runsNext: true}
	r := borrow(on)
	r.top = &h.Frame
	r.runAndGiveBack(&h.Chain.chain)
	assert.Zero(t, on.asked)
	resumes(t, r, m)
	h.wait.Complete().Deliver(nil)
	_, err := h.Promise.Job.Wait(t.Context())
	require.NoError(t, err)
}

// ready is a wait that is over.
type ready struct{ Operation }

func (*ready) JoinQuietly(*continuation.Node) (waits bool, served continuation.Chain) {
	return false, continuation.Chain{}
}

func TestAKeptChainIsPublishedByAMachineThatNeedNotWait(t *testing.T) {
	m := suspend()
	r := keeping(m, true)
	r.Keep(new(ready))
	r.ready = 0
	waits, begun := r.beginBeside(&suspend().Chain.chain)
	assert.False(t, waits)
	assert.True(t, begun)
	resumes(t, r, m)
}

// serving is a wait that serves another waiter.
type serving struct {
	Operation
	served continuation.Node
	told   int
}

func (s *serving) JoinQuietly(*continuation.Node) (waits bool, served continuation.Chain) {
	s.served.PrepareAlone(s)
	return true, continuation.Only(&s.served)
}

func (s *serving) Completed(schedulers.Worker) continuation.Chain {
	s.told++
	return continuation.Chain{}
}

func TestAKeptChainIsPublishedBeforeAWaitServesOthers(t *testing.T) {
	m, s := suspend(), new(serving)
	r := keeping(m, true)
	r.Keep(s)
	waits, begun := r.beginBeside(&suspend().Chain.chain)
	assert.True(t, waits && begun)
	assert.Equal(t, 1, s.told)
	resumes(t, r, m)
}

func TestAKeptChainIsPublishedBeforeAPanicGoesOn(t *testing.T) {
	m, failing := suspend(), suspend()
	r := keeping(m, true)
	r.top = &failing.Frame
	assert.True(t, r.unwind(&failing.Chain.chain, &failing.Frame, "a panic"))
	resumes(t, r, m)
	assert.False(t, r.settle(&failing.Chain.chain, false))
	assert.Equal(t, job.Faulted, failing.Promise.Job.Status())
}

func TestOnlyAMachineOfTheSameHomeThatIsNotTrackedIsKept(t *testing.T) {
	m, running := suspend(), suspend()
	r := borrow(&deciding{})
	r.top = &running.Frame
	m.Chain.chain.node.PrepareAlone(&m.Chain.chain)
	waiters := continuation.Only(&m.Chain.chain.node)
	assert.Same(t, &m.Chain.chain, r.keepable(waiters))
	probe.Set(probe.Tickets, true)
	m.ticket = 1
	assert.Nil(t, r.keepable(waiters), "its life is in a table")
	m.ticket = 0
	m.home = dispatch.HomeFor(inline.New())
	assert.Nil(t, r.keepable(waiters), "it belongs elsewhere")
	assert.Nil(t, r.keepable(continuation.Chain{}))
}

// stopping is a loop whose iterator is a user's: it is aborted on the loop's goroutine.
type stopping struct{ kept *chain }

func (*stopping) enter(openLoop)                     {}
func (*stopping) leave() openLoop                    { return nil }
func (*stopping) exit(_ *Run, how *failure) *failure { return how }
func (*stopping) wait(_ *Run, how *failure) *failure { return how }
func (s *stopping) abort(r *Run, how *failure) aborted {
	s.kept, r.failure = r.handed, how
	return abortEnded
}

func TestAKeptChainIsPublishedBeforeAnIteratorIsStopped(t *testing.T) {
	m, s, finished := suspend(), &stopping{kept: new(chain)}, false
	r, f := keeping(m, true), &Frame{State: Running}
	loops := Loops{top: s}
	func() {
		defer loops.Leave(r, f, 7, &finished)
		panic("in the body")
	}()
	assert.True(t, finished)
	assert.Nil(t, s.kept)
	resumes(t, r, m)
}

func TestAYieldIsOverAtOnceIfTheWorkerRunsNothingElse(t *testing.T) {
	m := suspend()
	r := borrow(&deciding{runsFor: m.home.Scheduler})
	r.top, r.runs, r.ready = &m.Frame, 3, 5
	r.raised, r.holder = new(failure), new(probe.Holder)
	assert.False(t, r.register(&m.Chain.chain))
	assert.Equal(t, Run{cache: r.cache, top: &m.Frame}, *r, "as after a turn in a queue")
}

func TestAYieldIsQueuedIfTheMachineHasMovedOrRunsWithinAnother(t *testing.T) {
	for name, r := range map[string]*Run{
		"moved":      borrow(&deciding{runsFor: inline.New()}),
		"within":     borrow(&deciding{runsFor: suspend().home.Scheduler}),
		"not proven": borrowPooled(&deciding{runsFor: suspend().home.Scheduler}),
	} {
		t.Run(name, func(t *testing.T) {
			m := suspend()
			m.of = job.FromResult(1)
			if name == "within" {
				r.runs |= nested
			}
			r.top = &m.Frame
			require.True(t, r.register(&m.Chain.chain))
			resumes(t, r, m)
		})
	}
}
