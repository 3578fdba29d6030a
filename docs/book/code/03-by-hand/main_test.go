package main

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// WaitingForActivation until the name arrives
	// hello, Ann <nil>
	// 42 <nil>
	// 6 <nil>
}

// The plain functions are the machines' specification: the same arguments, the
// same results.
func TestEachMachineReturnsWhatItsFunctionReturns(t *testing.T) {
	ctx, errPart := context.Background(), errors.New("lost")
	for _, parts := range [][]*job.Job[int]{
		nil,
		{job.FromResult(1)},
		{job.FromResult(1), job.FromResult(2), job.FromError[int](errPart), job.FromResult(4)},
	} {
		want, wantErr := total(parts)
		got, err := totalByHand(parts).Wait(ctx)
		assert.Equal(t, want, got)
		assert.Equal(t, wantErr, err)
	}
	want, wantErr := sum(job.FromResult(1), job.FromError[int](errPart))
	got, err := sumByHand(job.FromResult(1), job.FromError[int](errPart)).Wait(ctx)
	assert.Equal(t, want, got)
	assert.Equal(t, wantErr, err)
	text, err := greet(job.FromResult("Bob"))
	require.NoError(t, err)
	assert.Equal(t, "hello, Bob", text)
}

// late is a machine that sets its state too late.
type late struct {
	state, begun int
	awaited      awaiter.Completion
}

func (m *late) MoveNext() {
	if m.state == 1 {
		return
	}
	m.begun++
	if m.begun > 1 {
		return // it would continue like this forever
	}
	m.awaited.OnCompleted(m)
	m.state = 1
}

func (m *late) Resume() { m.MoveNext() }

// atOnce completes at the moment when OnCompleted is called.
type atOnce struct{}

func (atOnce) IsCompleted() bool                       { return false }
func (atOnce) OnCompleted(k continuation.Continuation) { k.Resume() }

// Exercise 1: the tests of the chapter complete each job before its machine is called or after the
// call has returned, so the state is set in time. A test finds the fault by forcing the bad order,
// as this awaiter does. The race detector finds it in a test in which another goroutine completes
// the job. Any other test needs luck: the job has to complete between two neighbouring lines.
func TestExercise1AStateThatIsSetTooLateRunsTheFirstPartTwice(t *testing.T) {
	m := &late{awaited: atOnce{}}
	m.MoveNext()
	assert.Equal(t, 2, m.begun)
}

// forgetful assigns to the variable that it ranges over. Plain Go evaluates the operand
// of range once.
func forgetful(parts []*job.Job[int]) (n int) {
	for _, part := range parts {
		parts = parts[:1]
		v, err := part.Await()
		if err == nil {
			n += v
		}
	}
	return n
}

// forgetfulMachine is forgetful by hand. Its loop reads list: the parameter's field, as
// that of totalMachine does, or a copy that is made when the loop begins.
type forgetfulMachine struct {
	resumable
	state  int
	copies bool

	parts    []*job.Job[int]
	list     *[]*job.Job[int]
	index, n int
	await1   awaiter.Awaiter[int]

	result *job.Source[int]
}

func forgetfulByHand(copies bool, parts []*job.Job[int]) *job.Job[int] {
	m := &forgetfulMachine{copies: copies, parts: parts, result: job.NewSource[int]()}
	m.machine = m
	m.MoveNext()
	return m.result.Job()
}

func (m *forgetfulMachine) MoveNext() {
	if m.state == 1 {
		goto resume1
	}
	m.list = &m.parts
	if m.copies {
		once := m.parts
		m.list = &once
	}
next:
	if m.index == len(*m.list) {
		m.result.TrySet(m.n, nil)
		return
	}
	m.await1 = (*m.list)[m.index].GetAwaiter()
	m.parts = m.parts[:1]
	if !m.await1.IsCompleted() {
		m.state = 1
		m.await1.OnCompleted(m)
		return
	}
resume1:
	if v, err := m.await1.GetResult(); err == nil {
		m.n += v
	}
	m.index++
	goto next
}

// Exercise 2: the loop of forgetful makes three iterations. A machine like totalMachine makes one,
// because its test reads the parameter's field. It needs one more field: a copy of the slice, made
// when the loop begins.
func TestExercise2RangeKeepsACopy(t *testing.T) {
	ctx := context.Background()
	complete := []*job.Job[int]{job.FromResult(1), job.FromResult(2), job.FromResult(3)}
	assert.Equal(t, 6, forgetful(complete))
	for copies, want := range map[bool]int{false: 1, true: 6} {
		got, err := forgetfulByHand(copies, complete).Wait(ctx)
		require.NoError(t, err)
		assert.Equal(t, want, got, "with a copy: %t", copies)

		parts := []*job.Source[int]{job.NewSource[int](), job.NewSource[int](), job.NewSource[int]()}
		waiting := forgetfulByHand(copies, jobs(parts))
		for i, part := range parts {
			part.TrySetResult(i + 1)
		}
		got, err = waiting.Wait(ctx)
		require.NoError(t, err)
		assert.Equal(t, want, got, "suspended, with a copy: %t", copies)
	}
}
