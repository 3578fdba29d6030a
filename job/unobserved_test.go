package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// listening sets a hook for one test. Such tests are not parallel.
func listening(t *testing.T) <-chan Failure {
	t.Helper()
	ReportUnobserved() // what earlier tests have left
	heard := make(chan Failure, 100)
	before := OnUnobserved(func(f Failure) { heard <- f })
	t.Cleanup(func() {
		ReportUnobserved()
		OnUnobserved(before)
	})
	return heard
}

// collected waits until the collector has reported something.
func collected(heard <-chan Failure) Failure {
	for {
		runtime.GC()
		select {
		case f := <-heard:
			return f
		default:
			runtime.Gosched()
		}
	}
}

// written returns what f writes to standard error.
func written(t *testing.T, f func()) string {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	said := make(chan string)
	go func() {
		text, _ := io.ReadAll(read)
		said <- string(text)
	}()
	before := os.Stderr
	os.Stderr = write
	f()
	os.Stderr = before
	require.NoError(t, write.Close())
	text := <-said
	require.NoError(t, read.Close())
	return text
}

// unheard ends without a hook, as programs do by default.
func unheard(t *testing.T) {
	t.Helper()
	ReportUnobserved()
	before := OnUnobserved(nil)
	t.Cleanup(func() { OnUnobserved(before) })
}

func TestAnUnobservedPanicIsWrittenToStandardErrorOnce(t *testing.T) {
	unheard(t)
	m := &manual{}
	text := written(t, func() {
		j := Run(m.ctx(), func(context.Context) (int, error) { return explode("ouch") }, Named("forgotten"))
		Then(m.ctx(), j, itoa) // two jobs have the failure
		Then(m.ctx(), j, itoa)
		Run(m.ctx(), constant(0, errBoom))
		m.all()
		assert.Equal(t, 1, ReportUnobserved())
		assert.Zero(t, ReportUnobserved())
	})
	assert.Equal(t, 1, strings.Count(text, "ouch"), text)
	assert.Contains(t, text, "movenext: nobody has looked at the error of job ")
	assert.Contains(t, text, "job: panic: ouch\n\n")
	assert.Contains(t, text, "job.explode", "the stack")
	assert.NotContains(t, text, errBoom.Error())
}

// The value of a panic may contain what a client has sent.
func TestAPanicIsWrittenWithoutWhatATerminalObeys(t *testing.T) {
	unheard(t)
	m := &manual{}
	text := written(t, func() {
		Run(m.ctx(), func(context.Context) (int, error) { return explode("\x1b[2J\nmovenext: all is well\u202e\r") })
		m.all()
		assert.Equal(t, 1, ReportUnobserved())
	})
	assert.Contains(t, text, "job: panic: \uFFFD[2J\n\tmovenext: all is well\uFFFD\uFFFD\n\n")
	assert.Contains(t, text, "job.explode", "the stack")
}

func TestAPanicIsWrittenWhenItsJobIsCollected(t *testing.T) {
	unheard(t)
	m := &manual{}
	text := written(t, func() {
		func() {
			Run(m.ctx(), func(context.Context) (int, error) { return explode("ouch") }, Named("forgotten"))
			m.all()
		}()
		for len(outstanding.all()) > 0 {
			runtime.GC()
			runtime.Gosched()
		}
		for range 3 { // the record is settled just before it is written
			runtime.GC()
			done := make(chan struct{})
			func() { runtime.AddCleanup(new([64]byte), func(c chan struct{}) { close(c) }, done) }()
			runtime.GC()
			<-done
		}
	})
	assert.Contains(t, text, `of job "forgotten": job: panic: ouch`)
}

func TestEachPanicOfSeveralIsWritten(t *testing.T) {
	unheard(t)
	text := written(t, func() {
		func() {
			s := NewScope(context.Background(), Supervisor())
			s.Go(func(context.Context) error { panic("first") })
			s.Go(func(context.Context) error { panic("second") })
			s.Go(func(context.Context) error { return errBoom })
			<-s.WaitAsync().Done() // does not look at the error
		}()
		assert.Equal(t, 1, ReportUnobserved())
	})
	assert.Equal(t, 1, strings.Count(text, "panic: first\n"), text)
	assert.Equal(t, 1, strings.Count(text, "panic: second\n"), text)
}

func TestAPanicIsNotWrittenIfItIsObservedOrThereIsAHook(t *testing.T) {
	unheard(t)
	assert.Empty(t, written(t, func() {
		m := &manual{}
		j := Run(m.ctx(), func(context.Context) (int, error) { return explode("ouch") })
		m.all()
		require.Error(t, j.Err())
		heard := 0
		OnUnobserved(func(Failure) { heard++ })
		Run(m.ctx(), func(context.Context) (int, error) { return explode("ouch") })
		m.all()
		assert.Equal(t, 1, ReportUnobserved())
		assert.Equal(t, 1, heard)
	}))
}

// The value's own method panics: fmt says so, and the rest is written.
func TestAPanicWhoseValueCannotBePrintedIsWritten(t *testing.T) {
	unheard(t)
	text := written(t, func() {
		m := &manual{}
		Run(m.ctx(), func(context.Context) (int, error) { panic(unprintable{}) })
		m.all()
		assert.Equal(t, 1, ReportUnobserved())
	})
	assert.Contains(t, text, "unobserved_test.go")
}

// Completing runs no user code: whatever is done to find a panic.
func TestAnErrorWhoseMethodsPanicIsNotLookedInto(t *testing.T) {
	unheard(t)
	m := &manual{}
	for _, err := range []error{unwrapping{}, errors.Join(errBoom, unwrapping{}), fmt.Errorf("wrapped: %w", unwrapping{})} {
		j := Run(m.ctx(), constant(0, err))
		m.all()
		assert.Equal(t, Faulted, j.Status())
	}
	assert.Zero(t, ReportUnobserved())
}

type unwrapping struct{}

func (unwrapping) Error() string { return "unwrapping" }
func (unwrapping) Unwrap() error { panic("no inner error") }

func TestAWrappedPanicIsWritten(t *testing.T) {
	unheard(t)
	text := written(t, func() {
		m := &manual{}
		Run(m.ctx(), func(context.Context) (int, error) {
			j := Run(context.Background(), func(context.Context) (int, error) { return explode("ouch") })
			_, err := j.Await()
			return 0, fmt.Errorf("inner: %w; %w", errors.Join(err), errBoom)
		})
		m.all()
		assert.Equal(t, 1, ReportUnobserved())
	})
	assert.Equal(t, 1, strings.Count(text, "ouch"), text)
}

type unprintable struct{}

func (unprintable) Error() string { panic("no text") }

// nothingHeard checks that the collector has nothing to report: it makes one more
// failure, and requires that the collector reports that one and none before it.
func nothingHeard(t *testing.T, heard <-chan Failure) {
	t.Helper()
	for range 3 {
		runtime.GC()
	}
	last := errors.New("last")
	FromError[int](last)
	assert.Equal(t, last, collected(heard).Err)
	assert.Empty(t, heard)
}

func TestAnUnobservedFailureIsReported(t *testing.T) {
	heard := listening(t)
	m := &manual{}
	func() {
		Run(m.ctx(), constant(0, errBoom), Named("forgotten"), Diagnose(RecordCreation))
		m.all()
	}()
	f := collected(heard)
	assert.Equal(t, errBoom, f.Err)
	assert.Equal(t, "forgotten", f.Name)
	assert.NotZero(t, f.ID)
	assert.Contains(t, f.Creation.File, "unobserved_test.go")
}

func TestPanicsAndRefusalsAreFailuresToo(t *testing.T) {
	heard := listening(t)
	m := &manual{}
	func() {
		Run(m.ctx(), func(context.Context) (int, error) { return explode("ouch") })
		m.all()
	}()
	var p *PanicError
	assert.ErrorAs(t, collected(heard).Err, &p)
	func() { m.refuse = ErrShutdown; Run(m.ctx(), constant(1, nil)) }()
	assert.ErrorIs(t, collected(heard).Err, ErrShutdown)
}

func TestAnObservedFailureIsNotReported(t *testing.T) {
	heard := listening(t)
	looks := []func(j *Job[int]){
		func(j *Job[int]) { _ = j.Err() },
		func(j *Job[int]) { _, _ = j.Wait(context.Background()) },
		func(j *Job[int]) { _, _ = j.Await() },
		func(j *Job[int]) { _, _ = j.GetResult() },
		func(j *Job[int]) { _ = WhenAll(j).Err() },
		func(j *Job[int]) { _ = Race(j, j).Err() },
		func(j *Job[int]) { _ = Then(context.Background(), j, itoa).Err() },
		func(j *Job[int]) { _ = Unwrap(context.Background(), FromResult(j)).Err() },
	}
	for _, look := range looks {
		look(FromError[int](errBoom))
	}
	FromCanceled[int](errBoom) // is not a failure
	FromResult(1)
	nothingHeard(t, heard)
}

// Whether a loser fails before the winner or after it makes no difference.
func TestTheFailureOfALoserIsUnobserved(t *testing.T) {
	heard := listening(t)
	for _, loserFirst := range []bool{true, false} {
		func() {
			winner, loser := NewSource[int](), NewSource[int]()
			r := Race(loser.Job(), winner.Job())
			if loserFirst {
				loser.TrySetError(errBoom)
			}
			winner.TrySetResult(1)
			loser.TrySetError(errBoom)
			assert.NoError(t, r.Err())
		}()
		assert.ErrorIs(t, collected(heard).Err, errBoom)
	}
	func() {
		r := Race(FromError[int](errBoom), FromResult(1)) // neither has to be waited for
		assert.NoError(t, r.Err())
	}()
	assert.ErrorIs(t, collected(heard).Err, errBoom)
}

func TestCloseDoesNotLookAtTheScopesError(t *testing.T) {
	heard := listening(t)
	func() {
		m := &manual{}
		s := NewScope(m.ctx())
		s.Go(func(context.Context) error { return errBoom })
		m.all()
		s.Close()
	}()
	assert.ErrorIs(t, collected(heard).Err, errBoom)
}

// The scope has taken the failure over, and the scope's failure is observed.
func TestAFailureOfAChildIsItsScopes(t *testing.T) {
	heard := listening(t)
	func() {
		m := &manual{}
		s := NewScope(m.ctx())
		Spawn(s, constant(0, errBoom))
		m.all()
		assert.ErrorIs(t, s.Wait(), errBoom)
	}()
	nothingHeard(t, heard)
}

// A continuation that was canceled has not taken the failure of its antecedent over.
func TestAFailureThatComesTooLateForAContinuationIsUnobserved(t *testing.T) {
	heard := listening(t)
	for _, attach := range []func(ctx context.Context, j *Job[int]) *Job[int]{
		func(ctx context.Context, j *Job[int]) *Job[int] {
			return Then(ctx, j, func(context.Context, int) (int, error) { return 1, nil })
		},
		func(ctx context.Context, j *Job[int]) *Job[int] {
			return Catch(ctx, j, func(context.Context, error) (int, error) { return 1, nil }, OnlyOnCanceled())
		},
	} {
		func() {
			s := NewSource[int]()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			// The continuation is notified of the end although it was canceled: the
			// completer took its registration before that.
			var c *Job[int]
			first := &tells{func() { c.Cancel() }, continuation.Node{}}
			first.Prepare(first)
			s.Job().Register(&first.Node)
			c = attach(ctx, s.Job())
			s.TrySetError(errBoom)
			assert.Equal(t, Canceled, c.Status())
		}()
		assert.ErrorIs(t, collected(heard).Err, errBoom)
	}
}

// tells is a registration that calls a function when it is notified.
type tells struct {
	call func()
	continuation.Node
}

// Completed implements continuation.Target.
func (c *tells) Completed(schedulers.Worker) continuation.Chain {
	c.call()
	return continuation.Chain{}
}

func TestAContinuationThatDoesNotAskHasNotLooked(t *testing.T) {
	heard := listening(t)
	m := &manual{}
	func() {
		ContinueWith(m.ctx(), FromError[int](errBoom), func(context.Context, *Job[int]) (int, error) { return 1, nil })
		m.all()
	}()
	assert.Equal(t, errBoom, collected(heard).Err)
}

func TestAWaitThatGaveUpHasNotTakenTheFailureOver(t *testing.T) {
	heard := listening(t)
	func() {
		s := NewSource[int]()
		w := WaitTimeout(context.Background(), s.Job(), 1)
		_, _ = w.Await()
		s.TrySetError(errBoom)
	}()
	assert.Equal(t, errBoom, collected(heard).Err)
}

func TestReportUnobservedReportsNowAndOnce(t *testing.T) {
	heard := listening(t)
	j, seen := FromError[int](errBoom), FromError[int](errBoom)
	_ = seen.Err()
	assert.Equal(t, 1, ReportUnobserved())
	assert.Equal(t, errBoom, (<-heard).Err)
	assert.Zero(t, ReportUnobserved())
	_ = j.Err()
	runtime.KeepAlive(j)
	j = nil
	nothingHeard(t, heard)
}

func TestWithoutAHookAFailureKeepsNoRecord(t *testing.T) {
	assert.Nil(t, OnUnobserved(nil))
	j := FromError[int](errBoom)
	assert.Nil(t, interleave.LoadPointer(&j.core.extra).failure)
	first := func(Failure) {}
	assert.Nil(t, OnUnobserved(first))
	assert.NotNil(t, OnUnobserved(nil))
}

func TestManyLookAtOnce(t *testing.T) {
	heard := listening(t)
	for i := range 100 {
		j := FromError[int](errors.New(strconv.Itoa(i)))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { _ = j.Err() })
		}
		wg.Wait()
	}
	nothingHeard(t, heard)
}

//go:noinline
func dropSource(wait func(j *Job[int])) {
	wait(NewSource[int]().Job())
}

func TestADroppedSourceIsReportedWithItsPlace(t *testing.T) {
	heard := listening(t)
	ran := make(chan struct{}, 1)
	dropSource(func(j *Job[int]) { // its waiters are dropped with it
		ContinueWith(context.Background(), j, func(context.Context, *Job[int]) (int, error) {
			ran <- struct{}{}
			return 0, nil
		})
	})
	f := collected(heard)
	assert.ErrorIs(t, f.Err, ErrDropped)
	assert.Contains(t, f.Creation.File, "unobserved_test.go")
	assert.Contains(t, f.Creation.Function, "dropSource")
	assert.NotZero(t, f.ID)
	assert.Equal(t, fmt.Sprintf("#%d", f.ID), f.Creation.Job)
	assert.Equal(t, "source", f.Creation.What)
	assert.Empty(t, ran)

	func() {
		var zero struct {
			name string
			Source[int]
		}
		zero.Job().Register(new(continuation.Node))
	}()
	assert.ErrorIs(t, collected(heard).Err, ErrDropped)
	nothingHeard(t, heard)
}

func TestACompletedSourceIsNotReported(t *testing.T) {
	heard := listening(t)
	func() {
		NewSource[int]().TrySetResult(1)
		NewSource[int]().TrySetCanceled()
		NewSource[int]().TrySetCanceledCause(errBoom)
		var zero Source[int]
		zero.TrySet(1, nil)
		s := NewSource[int]()
		s.TrySetError(errBoom) // and this is observed
		_ = s.Job().Err()
	}()
	nothingHeard(t, heard)
}

func TestASourceThatIsMadeWithoutAHookIsNotFollowed(t *testing.T) {
	assert.Nil(t, interleave.LoadPointer(&NewSource[int]().Job().core.extra))
}
