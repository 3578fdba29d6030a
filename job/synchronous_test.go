package job

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

func TestASynchronousContinuationFollowsItsAntecedentOnItsWorker(t *testing.T) {
	m, other := &manual{}, &manual{}
	var log []string
	j := Run(m.ctx(), func(context.Context) (int, error) { log = append(log, "first"); return 1, nil })
	c := ContinueWith(m.ctx(), j, func(ctx context.Context, _ *Job[int]) (int, error) {
		log = append(log, "second")
		assert.Same(t, m, schedulers.WorkerFrom(ctx).Scheduler())
		assert.Same(t, other, schedulers.FromContext(ctx))
		return 2, nil
	}, RunSynchronously(), On(other))
	Run(m.ctx(), func(context.Context) (int, error) { log = append(log, "third"); return 1, nil })
	m.all()
	assert.Equal(t, []string{"first", "second", "third"}, log)
	assert.Equal(t, Completed, c.Status())
	assert.Empty(t, other.hints)
}

func TestASynchronousContinuationOfWhatHasEndedOrHasNoFunctionIsSubmitted(t *testing.T) {
	m := &manual{}
	done := ContinueWith(m.ctx(), FromResult(1), add(1), RunSynchronously())
	s := NewSource[int]()
	source := ContinueWith(m.ctx(), s.Job(), add(1), RunSynchronously())
	ran := Run(m.ctx(), constant(1, nil))
	m.all()
	late := ContinueWith(m.ctx(), ran, add(1), RunSynchronously())
	s.TrySetResult(1)
	assert.Equal(t, Scheduled, source.Status())
	assert.Equal(t, Scheduled, late.Status())
	m.all()
	assert.Equal(t, []Status{Completed, Completed, Completed}, []Status{done.Status(), source.Status(), late.Status()})
}

func TestASynchronousContinuationOfACanceledJobIsSubmitted(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), constant(1, nil))
	c := ContinueWith(m.ctx(), j, func(context.Context, *Job[int]) (int, error) { return 1, nil }, RunSynchronously())
	j.Cancel()
	assert.Equal(t, Scheduled, c.Status())
	m.all()
	assert.Equal(t, Completed, c.Status())
}

func TestACanceledSynchronousContinuationIsForgotten(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), constant(1, nil))
	c := ContinueWith(m.ctx(), j, add(1), RunSynchronously())
	assert.True(t, c.Cancel())
	n := 0
	j.core.ensureExtra().synchronous.Visit(10, func(continuation.Target) { n++ })
	assert.Zero(t, n)
	m.all()
}

func TestGoexitInASynchronousContinuationLosesNoneOfItsSiblings(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), constant(1, nil))
	leaving := ContinueWith(m.ctx(), j, func(context.Context, *Job[int]) (int, error) { runtime.Goexit(); return 0, nil }, RunSynchronously())
	sibling := ContinueWith(m.ctx(), j, add(1), RunSynchronously())
	child := ContinueWith(m.ctx(), leaving, func(context.Context, *Job[int]) (int, error) { return 1, nil }, RunSynchronously())
	onItsOwnGoroutine(m.all)
	assert.Equal(t, ErrGoexit, leaving.Err())
	m.all()
	assert.Equal(t, Completed, sibling.Status())
	assert.Equal(t, Completed, child.Status())
}

func TestAPanicInASynchronousContinuationIsItsOwn(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), constant(1, nil))
	c := ContinueWith(m.ctx(), j, func(context.Context, *Job[int]) (int, error) { return explode("ouch") }, RunSynchronously())
	m.all()
	assert.NoError(t, j.Err())
	var p *PanicError
	assert.ErrorAs(t, c.Err(), &p)
}

func TestASynchronousContinuationAddedWhileItsAntecedentCompletes(t *testing.T) {
	j := Run((&manual{}).ctx(), constant(1, nil))
	c := baseOf(j)
	c.state.set(Running)

	var n continuation.Node
	n.Prepare(told(func() { t.Fatal("told twice") }))
	c.conclude(Completed)
	c.waiting.Complete() // the completer has published, and finds no rare part
	assert.False(t, c.addSynchronous(&n), "so the adder must see the outcome")
}

type told func()

func (f told) Completed(schedulers.Worker) continuation.Chain {
	f()
	return continuation.Chain{}
}
