package ums_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers/ums"
)

// fifo is an entry point with its own ready queue. It leaves the scheduling mode when all
// workers have ended.
type fifo struct {
	queue []*ums.Worker
	seen  []ums.Activation
	left  int    // workers that have not ended
	idle  func() // called before a wait, when no worker is ready; may be nil
}

// run runs the given number of workers to their ends. They are on the list, or will be.
func (f *fifo) run(t *testing.T, list *ums.CompletionList, workers int) {
	t.Helper()
	f.left = workers
	require.NoError(t, ums.EnterSchedulingMode(list, f.entry, nil))
}

func (f *fifo) entry(th *ums.Thread, a ums.Activation) {
	f.seen = append(f.seen, a)
	if a.Worker != nil {
		f.queue = append(f.queue, a.Worker)
	}
	f.collect(th.List().Dequeue(0))
	for f.left > 0 {
		if len(f.queue) == 0 {
			if f.idle != nil {
				f.idle()
			}
			f.collect(th.List().Dequeue(ums.Forever))
			continue
		}
		w := f.queue[0]
		f.queue = f.queue[1:]
		if th.Execute(w) == nil {
			return
		}
	}
}

func (f *fifo) collect(ws []*ums.Worker) {
	for _, w := range ws {
		if w.Delete() == nil {
			f.left--
		} else {
			f.queue = append(f.queue, w)
		}
	}
}

// reasons returns the reasons for which the entry point was called, in order.
func (f *fifo) reasons() (all []ums.Reason) {
	for _, a := range f.seen {
		all = append(all, a.Reason)
	}
	return all
}

func TestTheFirstActivationIsAStartupWithItsParameter(t *testing.T) {
	var seen []ums.Activation
	err := ums.EnterSchedulingMode(ums.NewCompletionList(), func(_ *ums.Thread, a ums.Activation) { seen = append(seen, a) }, "processor 7")
	assert.NoError(t, err)
	assert.Equal(t, []ums.Activation{{Reason: ums.Startup, Param: "processor 7"}}, seen, "an entry point that picks no worker leaves the mode")
}

func TestYieldActivatesWithWorkerAndParameter(t *testing.T) {
	list := ums.NewCompletionList()
	w := list.NewWorker(func(w *ums.Worker) { w.Yield("be right back") })
	f := &fifo{}
	f.run(t, list, 1)
	assert.Equal(t, []ums.Activation{
		{Reason: ums.Startup},
		{Reason: ums.WorkerYielded, Worker: w, Param: "be right back"},
		{Reason: ums.WorkerBlocked, Cause: ums.Ended},
	}, f.seen)
}

func TestABlockedActivationHasNoParameterAndNamesNoWorker(t *testing.T) {
	list := ums.NewCompletionList()
	list.NewWorker(func(w *ums.Worker) {
		w.Call(func() {})
		unblock, err := w.Block()
		assert.NoError(t, err)
		unblock()
		unblock() // does nothing
	})
	f := &fifo{}
	f.run(t, list, 1)
	assert.Equal(t, []ums.Activation{
		{Reason: ums.Startup},
		{Reason: ums.WorkerBlocked, Cause: ums.InCall},
		{Reason: ums.WorkerBlocked, Cause: ums.InWait},
		{Reason: ums.WorkerBlocked, Cause: ums.Ended},
	}, f.seen)
}

func TestWhileAWorkerBlocksItsThreadRunsAnother(t *testing.T) {
	list := ums.NewCompletionList()
	gate := make(chan struct{})
	var order []string
	list.NewWorker(func(w *ums.Worker) {
		order = append(order, "reads")
		w.Call(func() { <-gate })
		order = append(order, "has read")
	})
	list.NewWorker(func(*ums.Worker) { order = append(order, "computes") })
	f := &fifo{idle: func() { close(gate) }} // the call ends when there is nothing else to run
	f.run(t, list, 2)
	assert.Equal(t, []string{"reads", "computes", "has read"}, order)
}

func TestAWorkerRunsOnlyWhenItIsPicked(t *testing.T) {
	list := ums.NewCompletionList()
	ended := make(chan struct{})
	ran := 0
	w := list.NewWorker(func(w *ums.Worker) {
		ran++
		w.Call(func() { close(ended) })
		ran++
	})
	require.NoError(t, ums.EnterSchedulingMode(list, func(th *ums.Thread, a ums.Activation) {
		if a.Reason == ums.Startup {
			assert.Zero(t, ran, "it is new, and was not picked")
			assert.Equal(t, []*ums.Worker{w}, list.Dequeue(0))
			assert.NoError(t, th.Execute(w))
			assert.Zero(t, ran, "it runs when the entry point has returned")
			return
		}
		<-ended
		assert.Equal(t, []*ums.Worker{w}, list.Dequeue(ums.Forever), "its blocking has ended, and it is on the list")
		assert.Equal(t, ums.Ready, w.State())
	}, nil))
	assert.Equal(t, 1, ran, "it does not go on by itself")

	f := &fifo{queue: []*ums.Worker{w}} // another thread
	f.run(t, list, 1)
	assert.Equal(t, 2, ran)
}

func TestABlockingCallThatIsNotMarkedHoldsTheThread(t *testing.T) {
	list := ums.NewCompletionList()
	var order []string
	began, gate := make(chan struct{}), make(chan struct{})
	list.NewWorker(func(*ums.Worker) {
		close(began)
		<-gate
		order = append(order, "has read")
	})
	list.NewWorker(func(*ums.Worker) { order = append(order, "computes") })
	go func() { <-began; close(gate) }()
	f := &fifo{}
	f.run(t, list, 2)
	assert.Equal(t, []string{"has read", "computes"}, order)
	assert.Equal(t, []ums.Reason{ums.Startup, ums.WorkerBlocked, ums.WorkerBlocked}, f.reasons(), "nothing but two ends")
}

func TestOneCallIsOneActivationHoweverMuchIsDoneInIt(t *testing.T) {
	read := func() {}
	for name, c := range map[string]struct {
		body func(*ums.Worker)
		want int
	}{
		"many small calls": {want: 102, body: func(w *ums.Worker) {
			for range 100 {
				w.Call(read)
			}
		}},
		"one large call": {want: 3, body: func(w *ums.Worker) {
			w.Call(func() {
				for range 100 {
					read()
				}
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			list := ums.NewCompletionList()
			list.NewWorker(c.body)
			f := &fifo{}
			f.run(t, list, 1)
			assert.Len(t, f.seen, c.want, "the startup, the calls, and the end")
		})
	}
}

func TestAWorkerThatExitsEnds(t *testing.T) {
	list := ums.NewCompletionList()
	list.NewWorker(func(w *ums.Worker) { w.Call(runtime.Goexit) })
	list.NewWorker(func(*ums.Worker) { runtime.Goexit() })
	list.NewWorker(nil)
	f := &fifo{}
	f.run(t, list, 3)
	assert.Zero(t, list.Contexts())
}

func TestAnEntryPointThatPanicsLosesNoWorker(t *testing.T) {
	list := ums.NewCompletionList()
	ran := false
	list.NewWorker(func(*ums.Worker) { ran = true })
	assert.PanicsWithValue(t, "oops", func() {
		_ = ums.EnterSchedulingMode(list, func(th *ums.Thread, _ ums.Activation) {
			assert.NoError(t, th.Execute(list.Dequeue(0)[0]))
			panic("oops")
		}, nil)
	})
	assert.False(t, ran)
	f := &fifo{}
	f.run(t, list, 1)
	assert.True(t, ran)
}

func TestASchedulingModeWithoutListOrEntryPointIsAnError(t *testing.T) {
	assert.Error(t, ums.EnterSchedulingMode(nil, func(*ums.Thread, ums.Activation) {}, nil))
	assert.Error(t, ums.EnterSchedulingMode(ums.NewCompletionList(), nil, nil))
}

func TestExecuteAnswersForEachStateOfAContext(t *testing.T) {
	list := ums.NewCompletionList()
	gate := make(chan struct{})
	w := list.NewWorker(func(w *ums.Worker) { w.Call(func() { <-gate }) })
	var outside *ums.Thread
	step := 0
	require.NoError(t, ums.EnterSchedulingMode(list, func(th *ums.Thread, _ ums.Activation) {
		outside = th
		step++
		switch step {
		case 1:
			assert.ErrorIs(t, th.Execute(nil), ums.ErrNotReady)
			assert.ErrorIs(t, th.Execute(w), ums.ErrNotReady, "contexts never run straight from a list")
			assert.ErrorIs(t, w.Delete(), ums.ErrNotTerminated)
			list.Dequeue(0)
			assert.NoError(t, th.Execute(w))
			assert.ErrorIs(t, th.Execute(w), ums.ErrNotDeciding, "one activation picks one worker")
		case 2:
			assert.ErrorIs(t, th.Execute(w), ums.ErrNotReady, "it is blocked")
			close(gate)
			list.Dequeue(ums.Forever)
			assert.NoError(t, th.Execute(w))
		case 3:
			assert.ErrorIs(t, th.Execute(w), ums.ErrTerminated)
			assert.ErrorIs(t, w.Delete(), ums.ErrNotTerminated, "it is on the list")
			list.Dequeue(0)
			assert.NoError(t, w.Delete())
			assert.NoError(t, w.Delete())
		}
	}, nil))
	assert.ErrorIs(t, outside.Execute(list.NewWorker(nil)), ums.ErrNotDeciding)
}
