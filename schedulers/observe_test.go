package schedulers_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/everyscheduler"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
)

// heard collects the events that a listener has received.
type heard struct {
	mu     sync.Mutex
	events []schedulers.Event
}

func (h *heard) hear(e schedulers.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// of returns the kinds of the events about a work item, in order.
func (h *heard) of(w schedulers.Work) (kinds []schedulers.EventKind) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		if e.Work == w {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

// count returns how many events of a scheduler have that kind.
func (h *heard) count(s schedulers.Scheduler, k schedulers.EventKind) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		if e.Kind == k && dispatch.Same(e.Scheduler, s) {
			n++
		}
	}
	return n
}

// everyScheduler makes a scheduler of each kind. Those on top of another one use below.
func everyScheduler(below schedulers.Scheduler) []scheduler {
	list := []scheduler{pool.New(pool.QueueLimit(10, pool.CallerRuns))}
	for _, kind := range everyscheduler.Kinds() {
		list = append(list, kind.New(below))
	}
	return list
}

func TestEverySchedulerTellsWhatBecomesOfWork(t *testing.T) {
	h := &heard{}
	defer schedulers.Observe(h.hear)()
	below := goroutine.New()
	for _, s := range everyScheduler(below) {
		t.Run(strings.TrimPrefix(fmt.Sprintf("%T", s), "*"), func(t *testing.T) {
			w, late := &note{}, &note{}
			require.NoError(t, s.Submit(w, schedulers.Hint{}))
			require.NoError(t, s.Shutdown(context.Background()))
			assert.Equal(t, []schedulers.EventKind{schedulers.Submitted, schedulers.Begun, schedulers.Ended}, h.of(w))
			require.ErrorIs(t, s.Submit(late, schedulers.Hint{}), schedulers.ErrShutdown)
			assert.Equal(t, []schedulers.EventKind{schedulers.Submitted, schedulers.Refused}, h.of(late))
		})
	}
	require.NoError(t, below.Shutdown(context.Background()))
	assert.Equal(t, h.count(below, schedulers.WorkerStarted), h.count(below, schedulers.WorkerEnded))
}

func TestAListenerHearsOnlyTheKindsThatItWants(t *testing.T) {
	h := &heard{}
	stop := schedulers.Observe(h.hear, schedulers.Only(schedulers.Begun), schedulers.Only(schedulers.Ended))
	worksAsEver(t, pool.New())
	stop()
	stop()
	kinds := map[schedulers.EventKind]bool{}
	for _, e := range h.events {
		kinds[e.Kind] = true
		assert.NotZero(t, e.Time)
	}
	assert.Equal(t, map[schedulers.EventKind]bool{schedulers.Begun: true, schedulers.Ended: true}, kinds)
	n := len(h.events)
	worksAsEver(t, pool.New())
	assert.Len(t, h.events, n, "it was stopped")
	assert.False(t, probe.On(probe.Events))
}

func TestAListenerMayExit(t *testing.T) {
	var reports []string
	before := schedulers.OnHookPanic(func(p *schedulers.HookPanic) { reports = append(reports, fmt.Sprint(p)) })
	defer schedulers.OnHookPanic(before)
	var heard []schedulers.EventKind
	defer schedulers.Observe(func(e schedulers.Event) {
		heard = append(heard, e.Kind)
		switch e.Kind {
		case schedulers.Submitted:
			runtime.Goexit()
		case schedulers.Begun:
			defer panic("while it exits")
			runtime.Goexit()
		default:
			panic("a panic")
		}
	})()
	for _, k := range []schedulers.EventKind{schedulers.Submitted, schedulers.Begun, schedulers.Ended} {
		schedulers.Tell(schedulers.Event{Kind: k})
	}
	assert.Equal(t, []schedulers.EventKind{schedulers.Submitted, schedulers.Begun, schedulers.Ended}, heard)
	assert.Equal(t, []string{
		"the hook schedulers.Observe panicked: schedulers: the hook called runtime.Goexit",
		"the hook schedulers.Observe panicked: while it exits",
		"the hook schedulers.Observe panicked: schedulers: the hook called runtime.Goexit",
		"the hook schedulers.Observe panicked: a panic",
	}, reports)
}

func TestAWorkItemIsToldWholeOrNotAtAll(t *testing.T) {
	h := &heard{}
	defer schedulers.Observe(h.hear, schedulers.OneIn(4))()
	s := manual.New()
	works := make([]*note, 4000)
	for i := range works {
		works[i] = &note{}
		require.NoError(t, s.Submit(works[i], schedulers.Hint{}))
	}
	s.RunAll()
	told := 0
	for _, w := range works {
		if kinds := h.of1(w); kinds > 0 {
			told++
			assert.Equal(t, 3, kinds)
		}
	}
	assert.InDelta(t, 1000, told, 500)
	require.NoError(t, s.Submit(blank{}, schedulers.Hint{}))
	assert.Empty(t, h.of(blank{}), "it is not a pointer")
	require.NoError(t, s.Shutdown(context.Background()))
}

// blank is work without an address.
type blank struct{}

func (blank) Run(schedulers.Worker) {}
func (blank) Abandon(error)         {}

// of1 returns the length of heard.of, but faster.
func (h *heard) of1(w *note) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.events {
		if h.events[i].Work == schedulers.Work(w) {
			n++
		}
	}
	return n
}

func TestAWaitIsToldForEachSchedulerOnTheWay(t *testing.T) {
	h := &heard{}
	defer schedulers.Observe(h.hear)()
	below := pool.New()
	s := exclusive.NewStrand(below)
	gate, waits := make(chan struct{}), make(chan struct{})
	require.NoError(t, s.Submit(say2(func(on schedulers.Worker) {
		close(waits)
		assert.NoError(t, schedulers.Wait(context.Background(), on, nil, gate))
	}), schedulers.Hint{}))
	<-waits
	close(gate)
	require.NoError(t, s.Shutdown(context.Background()))
	require.NoError(t, below.Shutdown(context.Background()))
	for _, at := range []schedulers.Scheduler{s, below} {
		assert.Equal(t, 1, h.count(at, schedulers.Blocked))
		assert.Equal(t, 1, h.count(at, schedulers.Unblocked))
	}
	i := slices.IndexFunc(h.events, func(e schedulers.Event) bool { return e.Kind == schedulers.Unblocked })
	assert.Positive(t, h.events[i].Took)
}

// say2 is a function as work. It receives its worker.
type say2 func(schedulers.Worker)

func (f say2) Run(on schedulers.Worker) { f(on) }
func (say2) Abandon(error)              {}

func TestListenersComeAndGoWhileWorkRuns(t *testing.T) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				h := &heard{}
				stop := schedulers.Observe(h.hear)
				worksAsEver(t, pool.New())
				stop()
			}
		})
	}
	all.Wait()
	assert.False(t, probe.On(probe.Events))
}

func TestAnEventIsALine(t *testing.T) {
	s := pool.New(pool.Name("orders"))
	e := schedulers.Event{Kind: schedulers.Stolen, Scheduler: s, Worker: 2, Queue: 1, Count: 3}
	assert.Equal(t, "orders: stolen worker=2 queue=1 count=3", e.String())
	assert.Equal(t, "EventKind(99)", schedulers.EventKind(99).String())
	assert.Equal(t, "none", schedulers.NameOf(nil))
	assert.Equal(t, "schedulers_test.direct", schedulers.NameOf(&direct{}))
	assert.Equal(t, "orders", schedulers.NameOf(dispatch.HomeFor(s)))
	assert.Equal(t, schedulers.Event{Kind: schedulers.Parked}, dispatch.EventOf(schedulers.Parked, nil))
	schedulers.Observe(nil)()
	assert.False(t, probe.On(probe.Events))
}

func TestAnUnheardEventAllocatesNothing(t *testing.T) {
	s, w := manual.New(), &note{}
	run := func() {
		_ = s.Submit(w, schedulers.Hint{})
		s.Step()
	}
	run()
	before := testing.AllocsPerRun(100, run)
	stop := schedulers.Observe(func(schedulers.Event) {})
	stop()
	assert.InDelta(t, before, testing.AllocsPerRun(100, run), 0)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		schedulers.Tell(schedulers.Event{Kind: schedulers.Begun, Scheduler: s, Work: w})
		dispatch.RunTold(s, w, nil)
		dispatch.TellWait(nil)()
	}))
	require.NoError(t, s.Shutdown(context.Background()))
}

// A listener hears of all schedulers.
func ExampleObserve() {
	stop := schedulers.Observe(func(e schedulers.Event) {
		fmt.Println(e.Kind, "at", schedulers.NameOf(e.Scheduler))
	}, schedulers.Only(schedulers.Submitted, schedulers.Begun))
	defer stop()
	s := manual.New()
	_ = s.Submit(say("runs"), schedulers.Hint{})
	s.Step()
	// Output:
	// submitted at manual.Scheduler
	// begun at manual.Scheduler
	// runs
}

// A scheduler of your own reports its events as the schedulers of this module do.
func ExampleTell() {
	defer schedulers.Observe(func(e schedulers.Event) { fmt.Println(e) })()
	s, w := &lifo{}, say("runs")
	schedulers.Tell(schedulers.Event{Kind: schedulers.Submitted, Scheduler: s, Work: w})
	_ = s.Submit(w, schedulers.Hint{})
	s.works = nil
	schedulers.Tell(schedulers.Event{Kind: schedulers.Abandoned, Scheduler: s, Work: w})
	// Output:
	// schedulers_test.lifo: submitted
	// schedulers_test.lifo: abandoned
}

// BenchmarkObserve submits work from inside work, and runs it.
func BenchmarkObserve(b *testing.B) {
	for _, c := range []struct {
		name string
		opts []schedulers.ObserveOption
		off  bool
	}{
		{name: "off", off: true},
		{name: "1 in 100", opts: []schedulers.ObserveOption{schedulers.OneIn(100)}},
		{name: "all"},
	} {
		b.Run(c.name, func(b *testing.B) {
			if !c.off {
				defer schedulers.Observe(func(schedulers.Event) {}, c.opts...)()
			}
			b.ReportAllocs()
			p := pool.New(pool.Workers(1, 1))
			all := new(sync.WaitGroup)
			all.Add(1)
			_ = p.Submit(&tally{again: b.N, home: p, all: all}, schedulers.Hint{})
			all.Wait()
			_ = p.Shutdown(context.Background())
		})
	}
}
