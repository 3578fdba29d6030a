package job

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/suspension"
)

// recording switches d on for one test. Such tests are not parallel.
func recording(t *testing.T, d Diagnostics) {
	t.Helper()
	before := SetDiagnostics(d)
	t.Cleanup(func() { SetDiagnostics(before) })
}

func TestAJobRemembersWhereItWasMadeIfAsked(t *testing.T) {
	ctx := (&manual{}).ctx()
	assert.Empty(t, Run(ctx, constant(1, nil)).Creation().File)
	recording(t, RecordCreation)
	for name, h := range map[string]Handle{
		"New":          New(ctx, constant(1, nil)),
		"Run":          Run(ctx, constant(1, nil)),
		"Go":           Go(ctx, doNothing),
		"ContinueWith": ContinueWith(ctx, FromResult(1), next),
		"the method":   FromResult(1).ContinueWith(ctx, func(context.Context, *Job[int]) error { return nil }),
		"Then":         Then(ctx, FromResult(1), itoa),
		"Catch":        Catch(ctx, FromResult(1), func(context.Context, error) (int, error) { return 0, nil }),
		"Finally":      Finally(ctx, FromResult(1), doNothing),
		"Blocking":     Blocking(ctx, constant(1, nil)),
	} {
		f := h.Creation()
		assert.Contains(t, f.File, "diagnostics_test.go", name)
		assert.Contains(t, f.Function, "TestAJobRemembersWhereItWasMadeIfAsked", name)
		assert.NotZero(t, f.Line, name)
	}
	assert.Empty(t, (*Job[int])(nil).Creation())
	SetDiagnostics(0)
	assert.NotEmpty(t, Run(ctx, constant(1, nil), Diagnose(RecordCreation)).Creation().File)
	assert.Empty(t, Run(ctx, constant(1, nil)).Creation().File)
}

func goroutineLabels(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&b, 1))
	var all []string
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "labels:") {
			all = append(all, line)
		}
	}
	return strings.Join(all, "")
}

func TestLabelsFollowTheJobAndStayWithIt(t *testing.T) {
	m := &manual{consent: true}
	ctx := pprof.WithLabels(m.ctx(), pprof.Labels("tenant", "blue"))
	var inside, child, back string
	Go(ctx, func(ctx context.Context) error {
		inside = goroutineLabels(t)
		c := Go(ctx, func(context.Context) error { child = goroutineLabels(t); return nil }, Named("second"), Diagnose(FollowLabels))
		_, err := c.Wait(ctx)
		back = goroutineLabels(t)
		return err
	}, Named("first"), Diagnose(FollowLabels))
	m.all()
	assert.Contains(t, inside, `"job":"first"`)
	assert.Contains(t, inside, `"tenant":"blue"`)
	assert.Contains(t, child, `"job":"second"`)
	assert.Contains(t, child, `"tenant":"blue"`)
	assert.Contains(t, back, `"job":"first"`, "a job run in place gives the goroutine back as it was")
	assert.Empty(t, goroutineLabels(t), "the worker is as before")

	Go(ctx, func(context.Context) error { inside = goroutineLabels(t); return nil }, Named("unfollowed"))
	m.all()
	assert.Contains(t, inside, `"tenant":"blue"`, "the labels of a context follow in any case")
	assert.NotContains(t, inside, "unfollowed")
	assert.Empty(t, goroutineLabels(t), "the worker is as before")
}

func TestLabelsAndRegionsFollowTheFirstStepOfWhatSuspends(t *testing.T) {
	require.NoError(t, trace.Start(io.Discard))
	defer trace.Stop()
	m := &manual{consent: true}
	var inside string
	j := Go(m.ctx(), func(context.Context) error {
		inside = goroutineLabels(t)
		return restFunc(func(end suspension.Completer[Void], _ uint8) { end.Return(Void{}, nil).Deliver(nil) })
	}, Named("stepping"), Diagnose(FollowLabels|FollowTrace))
	m.all()
	assert.True(t, j.IsCompleted())
	assert.Contains(t, inside, `"job":"stepping"`)
	assert.Empty(t, goroutineLabels(t), "the worker is as before")
}

func TestLabelsFollowTheChildrenOfAScope(t *testing.T) {
	m := &manual{consent: true}
	ctx := pprof.WithLabels(m.ctx(), pprof.Labels("tenant", "blue"))
	pprof.SetGoroutineLabels(ctx)
	defer pprof.SetGoroutineLabels(context.Background())
	s := NewScope(ctx, Named("fan"), Diagnose(FollowLabels|RecordCreation))
	var inside string
	s.Go(func(context.Context) error { inside = goroutineLabels(t); return nil })
	require.NoError(t, s.Wait())
	assert.Contains(t, inside, `"job":"fan"`)
	assert.Contains(t, inside, `"tenant":"blue"`)
	assert.Contains(t, goroutineLabels(t), `"tenant":"blue"`, "the waiter has its own labels back")
	assert.NotContains(t, goroutineLabels(t), `"job":"fan"`)

	assert.Contains(t, s.WaitAsync().Creation().Function, "TestLabelsFollowTheChildrenOfAScope")
	in := InScopeAsync(m.ctx(), func(context.Context, *Scope) error { return nil }, Diagnose(RecordCreation))
	assert.Contains(t, in.Creation().Function, "TestLabelsFollowTheChildrenOfAScope")
	m.all()
}

func TestEachTracedJobIsATask(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, trace.Start(&b))
	m := &manual{}
	Go(m.ctx(), doNothing, Named("traced one"), Diagnose(FollowTrace))
	canceled := Go(m.ctx(), doNothing, Named("traced two"), Diagnose(FollowTrace))
	canceled.Cancel()
	Go(m.ctx(), doNothing, Named("untraced"))
	m.all()
	trace.Stop()
	assert.Contains(t, b.String(), "traced one")
	assert.Contains(t, b.String(), "traced two")
	assert.NotContains(t, b.String(), "untraced")

	j := Go(m.ctx(), doNothing, Diagnose(FollowTrace))
	m.all()
	assert.NoError(t, j.Err(), "without a trace there is nothing to record")
}

func TestTheAsynchronousStackOfAPanicNamesTheWaiters(t *testing.T) {
	m := &manual{}
	recording(t, RecordCreation)
	j := Run(m.ctx(), func(context.Context) (int, error) { return explode("ouch") }, Named("deepest"))
	then := Then(m.ctx(), j, itoa, Named("then"))
	all := WhenAllOf(FromResult(1), then)
	unwrapped := Unwrap(m.ctx(), ContinueWith(m.ctx(), all, func(context.Context, *Job[Void]) (*Job[int], error) { return FromResult(1), nil }))
	race := Race(unwrapped)
	done := race.Done()
	m.all()
	<-done

	var p *PanicError
	require.ErrorAs(t, j.Err(), &p)
	var got []string
	for _, f := range p.Async {
		got = append(got, strings.Trim(f.What, "#0123456789"))
	}
	assert.Equal(t, []string{"job", "continuation", "WhenAll", "continuation", "Unwrap", "Race", "Done channel"}, got)
	assert.Equal(t, `"deepest"`, p.Async[0].Job)
	assert.Equal(t, `"then"`, p.Async[1].Job)
	assert.Contains(t, p.Async[1].File, "diagnostics_test.go")

	long := fmt.Sprintf("%+v", p)
	assert.Contains(t, long, "job: panic: ouch\n\n")
	assert.Contains(t, long, "job.explode")
	assert.Contains(t, long, "job \"deepest\" in ")
	assert.Contains(t, long, "awaited by continuation \"then\" in ")
	assert.Contains(t, long, "diagnostics_test.go:")
	assert.Equal(t, "job: panic: ouch", fmt.Sprintf("%v", p))
	assert.Equal(t, `"job: panic: ouch"`, fmt.Sprintf("%q", p))
}

func TestTheAsynchronousStackEndsSomewhere(t *testing.T) {
	m := &manual{}
	s := NewSource[int]()
	j := s.Job()
	for range 1000 {
		j = ContinueWith(m.ctx(), j, next)
	}
	assert.Len(t, AsyncStack(s.Job()), maxStackDepth+1)
	assert.Nil(t, AsyncStack(nil))
	assert.Nil(t, AsyncStack((*Job[int])(nil)))
	s.TrySetResult(1)
	m.all()
	assert.Equal(t, Completed, j.Status(), "looking has changed nothing")
}

func TestAForeignWaiterContributesItsFrames(t *testing.T) {
	s, behind := NewSource[int](), NewSource[int]()
	s.Job().OnCompleted(machine{frames: []Frame{{What: "async function", Function: "fetch", File: "fetch.go", Line: 7}}, job: behind.Job()})
	behind.Job().OnCompleted(resumer(func() {}))
	frames := AsyncStack(s.Job())
	require.Len(t, frames, 2, "a waiter without a description does not appear")
	assert.Equal(t, "async function in fetch\n\tfetch.go:7", frames[1].String())
	s.TrySetResult(1)
	behind.TrySetResult(1)
}

// machine is a continuation as a state machine would be.
type machine struct {
	frames []Frame
	job    Handle
}

func (machine) Resume()                  {}
func (m machine) WaitingFrames() []Frame { return m.frames }
func (m machine) WaitingJob() Handle     { return m.job }
