package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// laterRest is the rest of a function: it hands the right to complete the job to the test.
type laterRest[T any] struct {
	machine *job.Machine[T]
	suspend chan *job.Machine[T]
}

func (r *laterRest[T]) GoOn(schedulers.Worker, uint8) { r.suspend <- r.machine }

func suspending[T any](to chan *job.Machine[T]) func(*job.Machine[T], context.Context) job.Rest {
	return func(m *job.Machine[T], _ context.Context) job.Rest { return &laterRest[T]{m, to} }
}

func ExampleRunMachine() {
	ctx := context.Background()
	j := job.RunMachine(ctx, func(m *job.Machine[int], _ context.Context) job.Rest { return m.Return(7, nil) })
	fmt.Println(j.Wait(ctx))
	// Output: 7 <nil>
}

func ExampleNewMachine() {
	j := job.NewMachine(context.Background(), func(m *job.Machine[int], _ context.Context) job.Rest { return m.Return(7, nil) })
	fmt.Println(j.Status())
	fmt.Println(j.Await())
	// Output:
	// Created
	// 7 <nil>
}

func TestAMachineThatSuspendsCompletesItsJobLater(t *testing.T) {
	ctx := context.Background()
	suspended := make(chan *job.Machine[int], 1)
	j := job.RunMachine(ctx, suspending(suspended), job.Named("in steps"))
	m := <-suspended
	assert.Equal(t, job.Running, j.Status())
	assert.Equal(t, "in steps", j.Name())
	m.Return(7, io.EOF)
	m.End(nil)
	v, err := j.Wait(ctx)
	assert.Equal(t, 7, v)
	assert.Equal(t, io.EOF, err, "value and error are kept")
	assert.Equal(t, job.Faulted, j.Status())
}

func TestAMachinesFaultIsOneWhateverTheErrorIs(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	suspended := make(chan *job.Machine[int], 1)
	j := job.RunMachine(ctx, suspending(suspended))
	m := <-suspended
	cancel()
	m.Fault(fmt.Errorf("a panic with %w", context.Canceled))
	m.End(nil)
	<-j.Done()
	assert.Equal(t, job.Faulted, j.Status())
	require.ErrorIs(t, j.Err(), context.Canceled)
}

func TestTheErrorOfAMachinesEndedContextCancelsItsJob(t *testing.T) {
	suspended := make(chan *job.Machine[int], 1)
	j := job.RunMachine(context.Background(), suspending(suspended))
	m := <-suspended
	assert.True(t, j.Cancel())
	m.Return(0, context.Canceled)
	m.End(nil)
	<-j.Done()
	assert.Equal(t, job.Canceled, j.Status())
}

func TestAMachineOfAnEndedContextNeverBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	j := job.RunMachine(ctx, func(*job.Machine[int], context.Context) job.Rest { panic("began") })
	_, err := j.Wait(context.Background())
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, job.Canceled, j.Status())
}

func TestAMachineWithoutAFirstStepFaults(t *testing.T) {
	_, err := job.RunMachine[int](context.Background(), nil).Await()
	require.ErrorIs(t, err, job.ErrNilFunc)
	_, err = job.NewMachine[int](context.Background(), nil).Await()
	require.ErrorIs(t, err, job.ErrNilFunc)
}

func TestAFirstStepThatDoesNotReturnFaults(t *testing.T) {
	ctx := context.Background()
	_, err := job.RunMachine(ctx, func(*job.Machine[int], context.Context) job.Rest { panic("ouch") }).Wait(ctx)
	var p *job.PanicError
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "ouch", p.Value)
	_, err = job.RunMachine(ctx, func(*job.Machine[int], context.Context) job.Rest { runtime.Goexit(); return nil }).Wait(ctx)
	require.ErrorIs(t, err, job.ErrGoexit)
}

func TestAMachineWhoseErrorPanicsCanBeFaulted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	suspended := make(chan *job.Machine[int], 1)
	j := job.RunMachine(ctx, suspending(suspended))
	m := <-suspended
	cancel() // the error is asked what it is then
	m.Return(0, badError{})
	assert.Panics(t, func() { m.End(nil) })
	assert.False(t, j.IsCompleted())
	why := errors.New("the error panicked")
	m.Fault(why)
	m.End(nil)
	assert.Equal(t, why, j.Err())
}

type badError struct{}

func (badError) Error() string   { return "bad" }
func (badError) Is(error) bool   { panic("in Is") }
func (e badError) Unwrap() error { return nil }
