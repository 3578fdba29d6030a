package statemachine_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
)

// keeping is a scheduler that keeps its work, and the hints of its submission, until the
// test runs it. The test makes its timers expire, stopped or not.
type keeping struct {
	mu    sync.Mutex
	works []schedulers.Work
	flags []schedulers.Flags

	timer  *schedulers.Timer
	armed  bool
	during func() // called inside StartTimer
}

func (k *keeping) Submit(w schedulers.Work, hint schedulers.Hint) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.works = append(k.works, w)
	k.flags = append(k.flags, hint.Flags)
	return nil
}

func (k *keeping) StartTimer(t *schedulers.Timer, _ time.Duration) {
	if k.during != nil {
		k.during()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer, k.armed = t, true
}

func (k *keeping) StopTimer(*schedulers.Timer) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	was := k.armed
	k.armed = false
	return was
}

func (k *keeping) expire() { k.timer.OnExpire.Expire(k.timer) }

// queued returns how many work items are kept.
func (k *keeping) queued() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.works)
}

// await waits until work is kept.
func (k *keeping) await() {
	for k.queued() == 0 {
		runtime.Gosched()
	}
}

// step runs the oldest work.
func (k *keeping) step(t *testing.T) {
	t.Helper()
	k.mu.Lock()
	require.NotEmpty(t, k.works)
	w := k.works[0]
	k.works[0] = nil
	k.works = k.works[1:]
	k.mu.Unlock()
	w.Run(nil)
}

// ctx returns a context whose scheduler is k.
func (k *keeping) ctx() context.Context { return schedulers.With(context.Background(), k) }

// watched is a context that can end, and counts the watchers of its end.
type watched struct {
	context.Context
	done    chan struct{}
	waiting int
}

func (w *watched) Done() <-chan struct{} { return w.done }

// AfterFunc is the method that package context looks for before it starts a goroutine.
func (w *watched) AfterFunc(func()) (stop func() bool) {
	w.waiting++
	return func() bool { w.waiting--; return true }
}

func TestASleepThatIsOverLeavesNoWatch(t *testing.T) {
	k := new(keeping)
	ctx := &watched{k.ctx(), make(chan struct{}), 0}
	j := nodAsync(ctx, time.Second)
	assert.Equal(t, 1, ctx.waiting)
	k.expire()
	assert.Zero(t, ctx.waiting)
	k.step(t)
	assert.Equal(t, job.Completed, j.Status())
}

func TestASleepThatIsCutShortLeavesNoTimer(t *testing.T) {
	k := new(keeping)
	ctx, cancel := context.WithCancel(k.ctx())
	j := nodAsync(ctx, time.Second)
	assert.True(t, k.armed)
	cancel()
	k.await()
	assert.False(t, k.armed)
	k.expire() // nevertheless
	assert.Equal(t, 1, k.queued(), "it continues once")
	k.step(t)
	assert.Equal(t, job.Canceled, j.Status())
	k.expire()
	assert.Zero(t, k.queued())
}

func TestASleepThatIsCutShortWhileItIsArmedLeavesNoTimer(t *testing.T) {
	k := new(keeping)
	ctx, cancel := context.WithCancel(k.ctx())
	k.during = func() { cancel(); k.await() }
	j := nodAsync(ctx, time.Second)
	assert.False(t, k.armed)
	k.step(t)
	assert.Equal(t, job.Canceled, j.Status())
}

// Whatever keeps a timer does not keep the machine that has slept.
func TestATimerThatIsOverKeepsNoMachine(t *testing.T) {
	k := new(keeping)
	ctx, cancel := context.WithCancel(k.ctx())
	defer cancel()
	slept := func() weak.Pointer[job.Job[job.Void]] {
		j := nodAsync(ctx, time.Second)
		k.expire()
		k.step(t)
		assert.Equal(t, job.Completed, j.Status())
		return weak.Make(j)
	}()
	runtime.GC()
	assert.Nil(t, slept.Value())
	runtime.KeepAlive(k.timer)
}

// belated is an awaiter whose result is available only once a continuation is registered.
type belated struct{ there *[1 << 10]byte }

func (l *belated) GetAwaiter() awaiter.Awaiter[int]      { return l }
func (*belated) IsCompleted() bool                       { return false }
func (*belated) Register(*continuation.Node) bool        { return false }
func (*belated) OnCompleted(k continuation.Continuation) { k.Resume() }
func (l *belated) GetResult() (int, error)               { return int(l.there[0]), nil }
func newBelated(p *weak.Pointer[[1 << 10]byte]) *belated {
	l := &belated{new([1 << 10]byte)}
	*p = weak.Make(l.there)
	return l
}

// looksLater awaits a belated, and then calls look, which checks what the machine keeps.
//
//movenext:async
func looksLater(ctx context.Context, p *weak.Pointer[[1 << 10]byte], look func()) error {
	job.Yield()
	_, err := awaiter.Await(newBelated(p))
	look()
	return err
}

func TestWhatWasAwaitedIsNotKept(t *testing.T) {
	k := new(keeping)
	var p weak.Pointer[[1 << 10]byte]
	looked := false
	j := looksLaterAsync(k.ctx(), &p, func() {
		runtime.GC()
		looked = true
		assert.Nil(t, p.Value())
	})
	k.step(t)
	assert.True(t, looked)
	assert.Equal(t, job.Completed, j.Status())
}

// worksOn computes, yields and waits.
//
//movenext:async
func worksOn(ctx context.Context, s *job.Job[int]) error {
	job.Yield()
	_, err := s.Await()
	for range 2000 { // more than a budget
		_, _ = s.Await()
	}
	return err
}

// A machine that has begun is not refused for lack of space. A machine that yields, or
// has used up its budget, goes to the end of the queue.
func TestHowAMachineThatContinuesIsSubmitted(t *testing.T) {
	k, s := new(keeping), job.NewSource[int]()
	j := worksOnAsync(k.ctx(), s.Job())
	k.step(t)
	s.TrySetResult(1)
	for k.queued() > 0 {
		k.step(t)
	}
	assert.Equal(t, job.Completed, j.Status())
	const toTheEnd = schedulers.Resumed | schedulers.PreferFairness
	require.Greater(t, len(k.flags), 2)
	assert.Equal(t, toTheEnd, k.flags[0], "a yield")
	assert.Equal(t, schedulers.Resumed, k.flags[1], "the end of what it waits for")
	for _, f := range k.flags[2:] {
		assert.Equal(t, toTheEnd, f, "a used-up budget")
	}
}

// abandoning is a scheduler that takes all work and abandons it.
type abandoning struct{}

func (abandoning) Submit(w schedulers.Work, _ schedulers.Hint) error {
	go w.Abandon(schedulers.ErrShutdown)
	return nil
}

// panicsElsewhere moves to another scheduler, and panics there.
//
//movenext:async
func panicsElsewhere(ctx context.Context, s schedulers.Scheduler) {
	_ = job.SwitchTo(ctx, s)
	panic("elsewhere")
}

//movenext:async
func catchesAtHome(ctx context.Context, s schedulers.Scheduler) (caught any, err error) {
	defer func() { caught = recover() }()
	panicsElsewhere(ctx, s)
	return nil, nil
}

// The home of a caller abandons the caller when it should continue after its callee's end.
func TestACallerThatItsHomeAbandonsHearsOfItsCallee(t *testing.T) {
	ctx := schedulers.With(context.Background(), abandoning{})
	caught, err := catchesAtHomeAsync(ctx, inline.New()).Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, "elsewhere", caught)
}
