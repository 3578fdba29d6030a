package statemachine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// The oracle: a function whose deferred calls and end are given by a script runs as
// plain Go and as a machine that suspends between all of its steps.

// action is something that a deferred call, or the body's end, does.
type action int

const (
	nothingMuch        action = iota
	recovers                  // calls recover itself
	recoversIndirectly        // has another function call recover, in vain
	panics
	exits
	recoversAndPanics
	actions
)

type script struct {
	deferred []action
	end      action // panics, exits, or anything else: returns
}

func (s script) String() string { return fmt.Sprint(s.deferred, " end ", s.end) }

// log collects what happens.
type log struct{ strings.Builder }

func (l *log) note(format string, args ...any) { fmt.Fprintf(&l.Builder, format+"; ", args...) }

// do is the deferred function: it must be deferred natively for recover to work.
func (l *log) do(i int, a action) {
	l.note("%d", i)
	switch a {
	case recovers:
		l.note("recovered %v", recover())
	case recoversIndirectly:
		l.indirectly()
	case panics:
		panic(fmt.Sprint("panic ", i))
	case exits:
		runtime.Goexit()
	case recoversAndPanics:
		l.note("recovered %v", recover())
		panic(fmt.Sprint("instead ", i))
	}
}

func (l *log) indirectly() { l.note("recovered nothing: %v", recover()) }

func (l *log) finish(a action) {
	l.note("end")
	switch a {
	case panics:
		panic("panic at the end")
	case exits:
		runtime.Goexit()
	}
}

func plainly(l *log, s script) (result string) {
	for i, a := range s.deferred {
		defer l.do(i, a)
	}
	l.finish(s.end)
	return "returned"
}

// scriptFrame is plainly, lowered by hand; suspending selects the form of the deferred calls.
type scriptFrame struct {
	statemachine.Frame
	log    *log
	script script
	i      int
	defers statemachine.Defers
	result string
}

func (f *scriptFrame) MoveNext(r *statemachine.Run) (finished bool) {
	defer f.defers.Leave(r, &f.Frame, &finished)
	state := f.State
	f.State = statemachine.Running
	switch state {
	case 0, 1:
	default:
		statemachine.Misuse(state)
	}
	if i := f.i; i < len(f.script.deferred) {
		l, a := f.log, f.script.deferred[i]
		f.defers.Push(func(raise func()) { defer l.do(i, a); raise() })
		f.i++
		f.State = 1
		return r.Yield()
	}
	f.log.finish(f.script.end)
	f.result = "returned"
	f.State = statemachine.Finished
	return true
}

// epilogueFrame is the same in the form for deferred calls that suspend: every second
// call suspends before it does anything.
type epilogueFrame struct {
	statemachine.Frame
	log    *log
	script script
	i      int
	defers statemachine.Defers
	result string
}

const epilogue = 3

func (f *epilogueFrame) MoveNext(r *statemachine.Run) bool {
	returned := false
	defer f.defers.Exit(r, &f.Frame, epilogue, &returned)
	for {
		if finished, again := f.step(r); !again {
			returned = true
			return finished
		}
	}
}

func (f *epilogueFrame) step(r *statemachine.Run) (finished, again bool) {
	defer f.defers.Catch(r, &f.Frame, epilogue, &again)
	state := f.State
	f.State = statemachine.Running
	switch state {
	case 0, 1:
	case 2:
		goto resume2
	case epilogue:
		goto epilogue
	}
	if f.i < len(f.script.deferred) {
		f.push(f.i, f.script.deferred[f.i])
		f.i++
		f.State = 1
		return r.Yield(), false
	}
	f.log.finish(f.script.end)
	f.result = "returned"
epilogue:
	if !f.defers.Next(r, &f.Frame) {
		f.defers.End(r, &f.Frame)
		return true, false
	}
	f.State = 2
	return false, false
resume2:
	f.defers.Resumed(r)
	goto epilogue
}

func (f *epilogueFrame) push(i int, a action) {
	l := f.log
	if i%2 == 0 {
		f.defers.Push(func(raise func()) { defer l.do(i, a); raise() })
		return
	}
	f.defers.PushEntry(func(r *statemachine.Run, p *statemachine.Panicking) statemachine.After {
		m := literalEnter(r, p, l, i, a)
		return statemachine.Entered(m != nil)
	})
}

// literalFrame is log.do as a deferred literal that suspends: its recover is that of
// its Panicking.
type literalFrame struct {
	statemachine.Frame
	panicking *statemachine.Panicking
	log       *log
	i         int
	a         action
}

func literalEnter(r *statemachine.Run, p *statemachine.Panicking, l *log, i int, a action) *literalFrame {
	frame := literalFrame{panicking: p, log: l, i: i, a: a}
	if frame.MoveNext(r) {
		return nil
	}
	m := new(literalFrame)
	*m = frame
	r.Push(context.Background(), m, &m.Frame)
	return m
}

func (f *literalFrame) MoveNext(r *statemachine.Run) bool {
	if f.State == 0 {
		f.State = 1
		return r.Yield()
	}
	f.State = statemachine.Running
	f.log.note("%d", f.i)
	switch f.a {
	case recovers:
		f.log.note("recovered %v", f.panicking.Recover())
	case recoversIndirectly:
		f.log.indirectly()
	case panics:
		panic(fmt.Sprint("panic ", f.i))
	case exits:
		runtime.Goexit()
	case recoversAndPanics:
		f.log.note("recovered %v", f.panicking.Recover())
		panic(fmt.Sprint("instead ", f.i))
	}
	f.State = statemachine.Finished
	return true
}

type scriptMachine struct {
	statemachine.Builder[string]
	scriptFrame
}

// Root is for the runtime.
func (m *scriptMachine) Root() (statemachine.Root, statemachine.Location) {
	return m.Chain.Root(&m.Promise.Job), statemachine.Location{}
}

func (m *scriptMachine) MoveNext(r *statemachine.Run) bool {
	if !m.scriptFrame.MoveNext(r) {
		return false
	}
	r.Rethrow()
	m.SetResult(r, m.result, nil)
	return true
}

type epilogueMachine struct {
	statemachine.Builder[string]
	epilogueFrame
}

// Root is for the runtime.
func (m *epilogueMachine) Root() (statemachine.Root, statemachine.Location) {
	return m.Chain.Root(&m.Promise.Job), statemachine.Location{}
}

func (m *epilogueMachine) MoveNext(r *statemachine.Run) bool {
	if !m.epilogueFrame.MoveNext(r) {
		return false
	}
	m.SetResult(r, m.result, nil)
	return true
}

func asMachine(ctx context.Context, l *log, s script) (result *job.Job[string]) {
	var r statemachine.Run
	frame := scriptFrame{log: l, script: s}
	defer statemachine.Catch(&r, &result)
	if frame.MoveNext(&r) {
		r.Rethrow()
		return statemachine.Completed(ctx, frame.result, nil)
	}
	m := &scriptMachine{scriptFrame: frame}
	m.Chain.Start(&m.Promise.Job, ctx, &r, m, &m.Frame)
	return &m.Promise.Job
}

func withEpilogue(ctx context.Context, l *log, s script) (result *job.Job[string]) {
	var r statemachine.Run
	frame := epilogueFrame{log: l, script: s}
	defer statemachine.Catch(&r, &result)
	if frame.MoveNext(&r) {
		return statemachine.Completed(ctx, frame.result, nil)
	}
	m := &epilogueMachine{epilogueFrame: frame}
	m.Chain.Start(&m.Promise.Job, ctx, &r, m, &m.Frame)
	return &m.Promise.Job
}

// outcome describes how a job ended.
func outcome(j *job.Job[string]) string {
	v, err := j.Wait(context.Background())
	var p *job.PanicError
	switch {
	case errors.As(err, &p):
		return fmt.Sprint("panicked: ", p.Value)
	case err != nil:
		return err.Error()
	}
	return fmt.Sprintf("result %q", v)
}

func runPlain(s script) (trace, end string) {
	var l log
	j := statemachine.Plain(context.Background(), func() (string, error) { return plainly(&l, s), nil })
	end = outcome(j)
	return l.String(), end
}

func compareWithPlain(t *testing.T, ctx context.Context, s script) {
	t.Helper()
	trace, end := runPlain(s)

	var l log
	assert.Equal(t, end, outcome(asMachine(ctx, &l, s)), "%v", s)
	assert.Equal(t, trace, l.String(), "%v", s)

	l.Reset()
	assert.Equal(t, end, outcome(withEpilogue(ctx, &l, s)), "epilogue, %v", s)
	require.Equal(t, trace, l.String(), "epilogue, %v", s)
}

func TestDeferredCallsDoWhatTheyDoInPlainGo(t *testing.T) {
	ctx := oneWorker(t)
	for _, end := range []action{nothingMuch, panics, exits} {
		for a := range actions {
			for b := range actions {
				for c := range actions {
					compareWithPlain(t, ctx, script{[]action{a, b, c}, end})
				}
			}
		}
	}
}

func TestLongRandomChainsOfDeferredCalls(t *testing.T) {
	ctx := oneWorker(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := script{end: action(rnd.IntN(int(actions)))}
		for range 1 + rnd.IntN(8) { // one: an early Goexit would end the caller
			s.deferred = append(s.deferred, action(rnd.IntN(int(actions))))
		}
		compareWithPlain(t, ctx, s)
	}
}

func TestARaisedPanicKeepsItsFirstStack(t *testing.T) {
	var l log
	j := asMachine(oneWorker(t), &l, script{[]action{nothingMuch, nothingMuch}, panics})
	_, err := j.Wait(context.Background())
	var p *job.PanicError
	require.ErrorAs(t, err, &p)
	assert.Contains(t, string(p.Stack), "(*log).finish", "where the panic was raised first")
}

func TestAPlainTwinThatDoesNotReturn(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	j := statemachine.Plain(ended, func() (int, error) { panic(context.Canceled) })
	var p *job.PanicError
	_, err := j.Await()
	require.ErrorAs(t, err, &p)
	assert.Equal(t, job.Faulted, j.Status(), "as the machine, though the value is how the context has ended")
	_, err = statemachine.Plain(ended, func() (int, error) { runtime.Goexit(); return 0, nil }).Await()
	require.ErrorIs(t, err, job.ErrGoexit)
}
