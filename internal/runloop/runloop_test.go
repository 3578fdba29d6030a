package runloop

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type do func()

func (f do) Run(schedulers.Worker) { f() }
func (f do) Abandon(error)         {}

// serve runs works in a loop until there is none, on as many goroutines as it takes.
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
	l.Lost = func() {
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
	l := &Loop{Next: func() schedulers.Work { panic("broken") }, Lost: func() {}}
	assert.PanicsWithValue(t, "broken", l.Run)
}

func TestOnceTellsHowItsWorkEnded(t *testing.T) {
	for _, c := range []struct {
		work func()
		want bool
	}{{func() {}, false}, {func() { panic("x") }, true}, {runtime.Goexit, false}} {
		got := make(chan bool, 1)
		go Once(do(c.work), nil, func(panicked bool) { got <- panicked })
		assert.Equal(t, c.want, <-got)
	}
}
