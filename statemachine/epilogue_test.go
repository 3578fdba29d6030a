package statemachine_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// exitingFrame exits at once, before it has suspended, with a deferred call that
// suspends.
type exitingFrame struct {
	statemachine.Frame
	log    *log
	action action
	defers statemachine.Defers
}

func (f *exitingFrame) MoveNext(r *statemachine.Run) bool {
	returned := false
	defer f.defers.Exit(r, &f.Frame, 1, &returned)
	finished, _ := f.step(r)
	returned = true
	return finished
}

func (f *exitingFrame) step(r *statemachine.Run) (finished, again bool) {
	defer f.defers.Catch(r, &f.Frame, 1, &again)
	f.State = statemachine.Running
	l, a := f.log, f.action
	f.defers.Push(func(raise func()) { defer l.do(1, nothingMuch); raise() })
	f.defers.PushEntry(func(r *statemachine.Run, p *statemachine.Panicking) statemachine.After {
		return statemachine.Entered(literalEnter(r, p, l, 2, a) != nil)
	})
	runtime.Goexit()
	return true, false
}

func TestAGoexitBeforeTheFirstSuspensionWaitsForTheDeferredCalls(t *testing.T) {
	for a, want := range map[action]string{
		nothingMuch:       "2; 1; native; ",
		recovers:          "2; recovered <nil>; 1; native; ",
		exits:             "2; 1; native; ",
		recoversAndPanics: "2; recovered <nil>; 1; native; panicked instead 2; ",
	} {
		var l log
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() {
				p, panicked := recover().(*job.PanicError)
				l.note("native")
				if panicked {
					l.note("panicked %v", p.Value)
				}
			}()
			var run statemachine.Run
			defer statemachine.Fail(&run)
			f := &exitingFrame{log: &l, action: a}
			f.MoveNext(&run)
		}()
		<-done
		assert.Equal(t, want, l.String(), "%v", a)
	}
}

func TestDeferredCallsThatEndAtOnceNeedNoSecondTurn(t *testing.T) {
	var run statemachine.Run
	assert.Nil(t, statemachine.DeferAwait[int](&run, nil))
	assert.Nil(t, statemachine.DeferSwitch(context.Background(), &run, nil))
	assert.Nil(t, statemachine.Entered(false))
	var none *statemachine.Panicking
	assert.Nil(t, none.Recover())
}
