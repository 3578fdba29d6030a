package runloop

import (
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/polling"
	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type do func()

func (f do) Run(schedulers.Worker) { f() }
func (f do) Abandon(error)         {}

// serve runs work items in a loop until there is none left, and replaces each goroutine that
// a work item ends.
func serve(works ...func()) (l *Loop, lost int) {
	l = &Loop{}
	ended := make(chan struct{})
	run := func() {
		l.Run()
		close(ended)
	}
	l.Next = func() schedulers.Work {
		if len(works) == 0 {
			return nil
		}
		w := works[0]
		works = works[1:]
		return do(w)
	}
	l.Restart = func() {
		lost++
		go run()
	}
	go run()
	<-ended
	return l, lost
}

func TestWorkThatReturns(t *testing.T) {
	ran := 0
	l, lost := serve(func() { ran++ }, func() { ran++ })
	assert.Equal(t, 2, ran)
	assert.Equal(t, []uint64{2, 0}, []uint64{l.Completed(), l.Panicked()})
	assert.Zero(t, lost)
	assert.False(t, l.Busy())
}

type pollCounter int

func (n *pollCounter) Poll() { *n++ }

func TestALoopPollsForEventsBetweenWorkItems(t *testing.T) {
	var n pollCounter
	polling.Open(&n)
	defer polling.Close()
	works := make([]func(), 5000) // there are at most 1024 between two polls
	for i := range works {
		works[i] = func() {}
	}
	serve(works...)
	assert.GreaterOrEqual(t, int(n), 4)
}

// Some of the goroutines that serve a worker may be in a bubble, and others outside.
func TestOnlyAGoroutineOutsideOfBubblesPolls(t *testing.T) {
	var n pollCounter
	polling.Open(&n)
	defer polling.Close()
	left := 0
	l := &Loop{Restart: func() {}, Next: func() schedulers.Work {
		left--
		if left < 0 {
			return nil
		}
		return do(func() {})
	}}
	synctest.Test(t, func(*testing.T) {
		left = 5000
		l.Run()
	})
	assert.Zero(t, n)
	left = 5000
	l.Run()
	assert.NotZero(t, n)
}

func TestAPanicEndsTheWorkAndNotTheLoop(t *testing.T) {
	ran := false
	l, lost := serve(func() { panic("x") }, func() { ran = true })
	assert.True(t, ran)
	assert.Equal(t, []uint64{2, 1}, []uint64{l.Completed(), l.Panicked()})
	assert.Zero(t, lost)
}

func TestGoexitIsReplacedByAnotherGoroutine(t *testing.T) {
	ran := false
	l, lost := serve(runtime.Goexit, func() { ran = true })
	assert.True(t, ran)
	assert.Equal(t, []uint64{2, 0}, []uint64{l.Completed(), l.Panicked()})
	assert.Equal(t, 1, lost)
}

func TestGoexitThenPanicIsBoth(t *testing.T) {
	ran := false
	l, lost := serve(func() {
		defer func() { panic("while exiting") }()
		runtime.Goexit()
	}, func() { ran = true })
	assert.True(t, ran)
	assert.Equal(t, []uint64{2, 1}, []uint64{l.Completed(), l.Panicked()})
	assert.Equal(t, 1, lost)
}

func TestAPanicOfTheSchedulerItselfIsNotHidden(t *testing.T) {
	l := &Loop{Next: func() schedulers.Work { panic("broken") }, Restart: func() {}}
	assert.PanicsWithValue(t, "broken", l.Run)
}

func TestOnceTellsHowItsWorkEnded(t *testing.T) {
	for _, c := range []struct {
		work func()
		want bool
	}{{func() {}, false}, {func() { panic("x") }, true}, {runtime.Goexit, false}} {
		got := make(chan bool, 1)
		go Once(nil, do(c.work), nil, func(panicked bool) { got <- panicked })
		assert.Equal(t, c.want, <-got)
	}
}

// again is work that calls Repeat from inside its run.
type again struct {
	loop  *Loop
	times int
	run   func(*again)
}

func (a *again) Run(schedulers.Worker) { a.times++; a.run(a) }
func (a *again) Abandon(error)         {}

// repeating runs work items in a new loop, until there is none left.
func repeating(works ...*again) (l *Loop, lost int) {
	ended := make(chan struct{})
	l = &Loop{}
	run := func() { l.Run(); close(ended) }
	l.Restart = func() { lost++; go run() }
	l.Next = func() schedulers.Work {
		if len(works) == 0 {
			return nil
		}
		w := works[0]
		works = works[1:]
		w.loop = l
		return w
	}
	go run()
	<-ended
	return l, lost
}

func TestWorkThatIsRepeatedRunsBeforeTheNext(t *testing.T) {
	var order []string
	note := func(name string) *again {
		return &again{run: func(a *again) {
			order = append(order, name)
			if a.times < 3 {
				assert.True(t, a.loop.Repeat(a))
				assert.False(t, a.loop.Repeat(a), "it is repeated once")
			}
		}}
	}
	l, lost := repeating(note("first"), note("second"))
	assert.Equal(t, []string{"first", "first", "first", "second", "second", "second"}, order)
	assert.Equal(t, []uint64{6, 4, 0}, []uint64{l.Completed(), l.Repeated(), l.Panicked()})
	assert.False(t, l.Busy())
	assert.Zero(t, lost)
}

func TestWorkThatCannotBeComparedIsNotRepeated(t *testing.T) {
	l := &Loop{Restart: func() {}}
	runs := 0
	var w do
	w = func() {
		runs++
		assert.False(t, l.Repeat(w))
	}
	works := []schedulers.Work{w, nil}
	l.Next = func() (next schedulers.Work) {
		next, works = works[0], works[1:]
		return next
	}
	l.Run()
	assert.Equal(t, 1, runs)
	assert.Equal(t, []uint64{1, 0, 0}, []uint64{l.Completed(), l.Repeated(), l.Panicked()})
}

func TestOnlyWhatRunsIsRepeated(t *testing.T) {
	other := &again{run: func(*again) { t.Error("repeated") }}
	wrapped := &again{run: func(a *again) {
		assert.False(t, a.loop.Repeat(other))
		assert.False(t, a.loop.Repeat(do(func() {})), "which can not be compared")
	}}
	l, _ := repeating(wrapped)
	assert.EqualValues(t, 1, l.Completed())
}

func TestWorkThatPanicsAfterItWasAcceptedAgainRunsAgain(t *testing.T) {
	w := &again{run: func(a *again) {
		if a.times == 1 {
			a.loop.Repeat(a)
			panic("after it")
		}
	}}
	l, lost := repeating(w)
	assert.Equal(t, 2, w.times)
	assert.Equal(t, []uint64{2, 1, 1}, []uint64{l.Completed(), l.Repeated(), l.Panicked()})
	assert.Zero(t, lost)
	assert.False(t, l.Busy())
}

func TestGoexitAfterResubmitRunsAgain(t *testing.T) {
	w := &again{run: func(a *again) {
		if a.times == 1 {
			a.loop.Repeat(a)
			runtime.Goexit()
		}
	}}
	l, lost := repeating(w)
	assert.Equal(t, 2, w.times)
	assert.Equal(t, []uint64{2, 1, 0}, []uint64{l.Completed(), l.Repeated(), l.Panicked()})
	assert.Equal(t, 1, lost)
	assert.False(t, l.Busy())
}

func TestWorkAtHandRunsBeforeTheNext(t *testing.T) {
	var order []string
	note := func(name string) schedulers.Work { return do(func() { order = append(order, name) }) }
	hand, next := []schedulers.Work{note("hand 1"), note("hand 2")}, []schedulers.Work{note("next 1"), note("next 2")}
	pop := func(list *[]schedulers.Work) schedulers.Work {
		if len(*list) == 0 {
			return nil
		}
		w := (*list)[0]
		*list = (*list)[1:]
		return w
	}
	l := &Loop{Restart: func() {}}
	l.Next = func() schedulers.Work { return pop(&next) }
	counted := 0
	l.More = func() schedulers.Work {
		assert.True(t, l.Busy())
		w := pop(&hand)
		if w != nil {
			counted++
		}
		return w
	}
	l.Run()
	assert.Equal(t, []string{"next 1", "hand 1", "hand 2", "next 2"}, order)
	assert.EqualValues(t, 4, l.Completed()+uint64(counted))
	assert.EqualValues(t, 8, l.Steps()+2*uint64(counted))
}

func TestAPanicOfMoreIsNotHidden(t *testing.T) {
	works := 1
	l := &Loop{Restart: func() {}, More: func() schedulers.Work { panic("broken") }}
	l.Next = func() schedulers.Work {
		if works == 0 {
			return nil
		}
		works--
		return do(func() {})
	}
	assert.PanicsWithValue(t, "broken", l.Run)
}
