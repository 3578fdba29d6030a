package job

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

// patient is a context with watchers that tests end.
type patient struct {
	context.Context
	done    chan struct{}
	waiting int // registrations that were not stopped
	tell    []func()

	onDone func() // called inside Done
}

func newPatient(parent context.Context) *patient {
	return &patient{Context: parent, done: make(chan struct{})}
}

func (p *patient) Done() <-chan struct{} {
	if p.onDone != nil {
		p.onDone()
	}
	return p.done
}

func (p *patient) Err() error {
	select {
	case <-p.done:
		return context.Canceled
	default:
		return nil
	}
}

// AfterFunc is the method that package context looks for before it starts a goroutine.
func (p *patient) AfterFunc(f func()) (stop func() bool) {
	p.waiting++
	p.tell = append(p.tell, f)
	i := len(p.tell) - 1
	return func() bool {
		if p.tell[i] == nil {
			return false
		}
		p.tell[i] = nil
		p.waiting--
		return true
	}
}

// end notifies all watchers.
func (p *patient) end() {
	close(p.done)
	for i, f := range p.tell {
		if p.tell[i] = nil; f != nil {
			p.waiting--
			f()
		}
	}
}

// obedient is a scheduler whose timers the test makes expire, stopped or not.
type obedient struct {
	manual
	timer  *schedulers.Timer
	atOnce bool // it expires inside StartTimer
}

func (o *obedient) StartTimer(t *schedulers.Timer, _ time.Duration) {
	o.timer = t
	if o.atOnce {
		o.expire()
	}
}

func (o *obedient) StopTimer(*schedulers.Timer) bool { return false }

func (o *obedient) expire() { o.timer.OnExpire.Expire(o.timer) }

func TestAContinuationThatRunsLeavesNoWatch(t *testing.T) {
	m, s := &manual{}, NewSource[int]()
	ctx := newPatient(m.ctx())
	c := Then(ctx, s.Job(), func(context.Context, int) (int, error) { return 1, nil })
	assert.Equal(t, 1, ctx.waiting)
	s.TrySetResult(1)
	assert.Zero(t, ctx.waiting, "before it runs")
	m.all()
	assert.Equal(t, Completed, c.Status())
}

// The antecedent ends when the continuation is registered with it, and before it watches
// its context.
func TestAContinuationThatIsActivatedWhileItIsMadeLeavesNoWatch(t *testing.T) {
	m, s := &manual{}, NewSource[int]()
	ctx := newPatient(m.ctx())
	ctx.onDone = func() {
		if !s.Job().core.waiting.Empty() {
			s.TrySetResult(1)
		}
	}
	c := Then(ctx, s.Job(), func(context.Context, int) (int, error) { return 1, nil })
	require.Equal(t, Completed, s.Job().Status())
	assert.Zero(t, ctx.waiting)
	m.all()
	assert.Equal(t, Completed, c.Status())
}

func TestASleepThatIsOverLeavesNoWatch(t *testing.T) {
	for _, atOnce := range []bool{false, true} {
		o := &obedient{atOnce: atOnce}
		ctx := newPatient(schedulers.With(context.Background(), o))
		j := SleepAsync(ctx, time.Second)
		if !atOnce {
			assert.Equal(t, 1, ctx.waiting)
			o.expire()
		}
		assert.Equal(t, Completed, j.Status())
		assert.Zero(t, ctx.waiting)
	}
}

// The timer of a sleep that was cut short expires nevertheless.
func TestASleepThatWasCutShortStaysSo(t *testing.T) {
	o := &obedient{}
	ctx := newPatient(schedulers.With(context.Background(), o))
	j := SleepAsync(ctx, time.Second)
	ctx.end()
	<-j.Done()
	o.expire()
	assert.Equal(t, Canceled, j.Status())
}

func TestATurnThatIsOverLeavesNoWatch(t *testing.T) {
	s := NewSource[int]()
	c := CompletionsOf(s.Job())
	ctx := newPatient(context.Background())
	j := c.NextAsync(ctx)
	assert.Equal(t, 1, ctx.waiting)
	s.TrySetResult(1)
	assert.Equal(t, Completed, j.Status())
	assert.Zero(t, ctx.waiting)
}

// The turn is served before it watches its context.
func TestATurnThatIsServedWhileItIsMadeLeavesNoWatch(t *testing.T) {
	s := NewSource[int]()
	c := CompletionsOf(s.Job())
	ctx := newPatient(context.Background())
	ctx.onDone = func() { s.TrySetResult(1) }
	j := c.NextAsync(ctx)
	assert.Equal(t, Completed, j.Status())
	assert.Zero(t, ctx.waiting)
}

// A sleep that its job does not wait for is a user of the job's context, which ends
// with it.
func TestTheContextOfAJobEndsWithTheLastWatch(t *testing.T) {
	o := &obedient{}
	var around context.Context
	outer := Go(schedulers.With(context.Background(), o), func(ctx context.Context) error {
		around = ctx
		SleepAsync(ctx, time.Second)
		return nil
	})
	o.all()
	require.Equal(t, Completed, outer.Status())
	assert.NoError(t, around.Err(), "the sleep needs it")
	o.expire()
	assert.ErrorIs(t, around.Err(), context.Canceled)
}
