package workstealing_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime/trace"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// log collects events.
type log struct {
	mu     sync.Mutex
	events []workstealing.Event
}

func (l *log) note(e workstealing.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// of returns the events of these decisions.
func (l *log) of(wanted ...workstealing.Decision) (found []workstealing.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		for _, d := range wanted {
			if e.Decision == d {
				found = append(found, e)
			}
		}
	}
	return found
}

func nothing(schedulers.Worker) {}

func TestTheTraceShowsThe61stSearch(t *testing.T) {
	var l log
	r := newRace(t, 1, workstealing.Trace(l.note))
	gate := make(chan struct{})
	var feed func(left int) do
	feed = func(left int) do {
		return func(on schedulers.Worker) {
			if left > 0 {
				r.submit(on, feed(left-1))
			}
		}
	}
	r.submit(nil, func(on schedulers.Worker) {
		<-gate
		feed(200)(on)
	})
	r.submit(nil, nothing)
	r.submit(nil, nothing)
	close(gate)
	r.end()
	var searches []int
	for i, e := range l.of(workstealing.TookNext, workstealing.TookLocal, workstealing.TookGlobal, workstealing.TookGlobalFirst) {
		if e.Decision == workstealing.TookGlobalFirst {
			searches = append(searches, i+1)
		}
	}
	assert.Equal(t, []int{61, 122}, searches)
}

// The case is the figure of the design document: a processor without work takes three work
// items from a loaded one.
func TestTheTraceShowsThatAThiefTakesHalf(t *testing.T) {
	var l log
	r := newRace(t, 2, workstealing.Trace(l.note))
	release, busy := make(chan struct{}), make(chan struct{})
	r.submit(nil, func(schedulers.Worker) { close(busy); <-release })
	<-busy
	loaded := 0
	r.submit(nil, func(on schedulers.Worker) {
		loaded = on.ID()
		var stolen sync.WaitGroup
		stolen.Add(7)
		for range 7 { // six in the queue, one in the slot
			r.submit(on, func(schedulers.Worker) { stolen.Done() })
		}
		close(release) // now the other processor has no work
		stolen.Wait()
	})
	r.end()
	var halves []int
	for _, e := range l.of(workstealing.Stole) {
		halves = append(halves, e.Works)
		assert.NotEqual(t, loaded, e.Worker)
		assert.NotEqual(t, e.Victim, e.Processor)
	}
	assert.Equal(t, []int{3, 2, 1, 1}, halves, "half of 6, of 3, of 1, and the slot last")
}

func TestTheTraceShowsHandingOnAndSpilling(t *testing.T) {
	var l log
	r := newRace(t, 1, workstealing.Trace(l.note))
	r.submit(nil, func(on schedulers.Worker) {
		for range 300 {
			r.submit(on, nothing)
		}
		unblock, err := on.(schedulers.Blocker).Block()
		assert.NoError(t, err)
		unblock()
	})
	r.end()
	spilled := l.of(workstealing.Spilled)
	assert.Equal(t, []workstealing.Event{{Decision: workstealing.Spilled, Processor: 1, Works: 128}}, spilled)
	assert.Len(t, l.of(workstealing.HandedOn), 1)
	started, ended := l.of(workstealing.Started), l.of(workstealing.Ended)
	assert.GreaterOrEqual(t, len(started), 2, "the processor went to another worker")
	assert.Len(t, ended, len(started))
}

func TestDecisionsAreInTheExecutionTrace(t *testing.T) {
	if trace.IsEnabled() {
		return // the tests themselves are being traced
	}
	var out bytes.Buffer
	require.NoError(t, trace.Start(&out))
	r := newRace(t, 1, workstealing.Name("shop"))
	r.submit(nil, nothing)
	r.end()
	trace.Stop()
	assert.Contains(t, out.String(), "shop")
	assert.Contains(t, out.String(), "worker 1, processor 1: takes from the global queue")
	assert.Equal(t, "shop", r.s.Name())
}

func TestEveryDecisionHasWords(t *testing.T) {
	seen := map[string]bool{}
	for d := workstealing.Started; d <= workstealing.Ended; d++ {
		assert.NotContains(t, d.String(), "Decision(")
		seen[d.String()] = true
	}
	assert.Len(t, seen, int(workstealing.Ended))
	assert.Equal(t, "Decision(0)", workstealing.Decision(0).String())
	assert.Equal(t, "Decision(99)", workstealing.Decision(99).String())
}

// The output shows every decision of a scheduler with one processor.
func ExampleTrace() {
	s := workstealing.New(workstealing.Processors(1), workstealing.Trace(func(e workstealing.Event) { fmt.Println(e) }))
	submitted := make(chan struct{})
	_ = s.Submit(do(func(on schedulers.Worker) {
		_ = s.Submit(do(nothing), schedulers.Hint{From: on})
		_ = s.Submit(do(nothing), schedulers.Hint{From: on})
		close(submitted)
	}), schedulers.Hint{})
	<-submitted // work submitted after Shutdown is refused, even by work items
	_ = s.Shutdown(context.Background())
	// Output:
	// worker 1, processor 1: starts
	// worker 1, processor 1: may steal
	// worker 1, processor 1: takes from the global queue
	// worker 1, processor 1: stops stealing
	// worker 1, processor 1: takes the newest
	// worker 1, processor 1: takes from its queue
	// worker 1, processor 1: may steal
	// worker 1, processor 1: stops stealing
	// worker 1 ends
}
