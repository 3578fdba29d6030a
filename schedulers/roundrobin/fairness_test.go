package roundrobin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/roundrobin"
)

// do is a function as Work. It records the reason for which it was abandoned.
type do struct {
	run       func()
	abandoned error
}

func (d *do) Run(schedulers.Worker) { d.run() }

func (d *do) Abandon(reason error) { d.abandoned = reason }

func submit(t *testing.T, s schedulers.Scheduler, run func()) *do {
	t.Helper()
	d := &do{run: run}
	require.NoError(t, s.Submit(d, schedulers.Hint{}))
	return d
}

// log records the order in which items run, a letter for each.
type log struct{ strings.Builder }

// batch submits n items that write the batch's letter.
func (l *log) batch(t *testing.T, s schedulers.Scheduler, letter string, n int) {
	t.Helper()
	for range n {
		submit(t, s, func() { l.WriteString(letter) })
	}
}

func create(t *testing.T, s *roundrobin.Scheduler, opts ...roundrobin.QueueOption) *roundrobin.Queue {
	t.Helper()
	q, err := s.CreateQueue(opts...)
	require.NoError(t, err)
	return q
}

func TestQueuesAreVisitedInTurn(t *testing.T) {
	beneath := manual.New()
	s := roundrobin.New(beneath)
	a, b, c := create(t, s), create(t, s), create(t, s)
	var order log
	order.batch(t, a, "a", 4)
	order.batch(t, b, "b", 2)
	order.batch(t, c, "c", 3)
	order.batch(t, s, "d", 1)
	assert.Equal(t, 10, beneath.RunAll())
	assert.Equal(t, "abcd"+"abc"+"ac"+"a", order.String())
}

// A thousand items arrive before a hundred. The hundred get half of the workers until they
// have run; then the thousand get all.
func TestASmallBatchThatCameLaterGetsHalfWhileBothHaveWork(t *testing.T) {
	beneath := manual.New()
	s := roundrobin.New(beneath)
	large, small := create(t, s), create(t, s)
	var order log
	order.batch(t, large, "L", 1000)
	for range 300 { // the large batch has been running for a while
		require.True(t, beneath.Step())
	}
	order.batch(t, small, "S", 100)
	order.Reset()
	beneath.RunAll()

	both, rest := order.String()[:200], order.String()[200:]
	assert.InDelta(t, 100, strings.Count(both, "S"), 10)
	assert.Equal(t, 600, strings.Count(rest, "L"))
	assert.NotContains(t, rest, "S")
}

func TestSharesFollowWeights(t *testing.T) {
	beneath := manual.New()
	s := roundrobin.New(beneath)
	one, three := create(t, s), create(t, s, roundrobin.Weight(3), roundrobin.Name("premium"))
	assert.Equal(t, "queue", one.Name())
	assert.Equal(t, "premium", three.Name())
	assert.Equal(t, 3, three.Weight())
	var order log
	order.batch(t, one, "1", 100)
	order.batch(t, three, "3", 100)
	for range 100 {
		beneath.Step()
	}
	assert.Equal(t, strings.Repeat("1333", 25), order.String())
	assert.Equal(t, 1, create(t, s, roundrobin.Weight(-5)).Weight())
}

// A batch that is fed one item at a time leaves the ring and enters it again with each item.
// If it entered at next, the other batch would never have its turn.
func TestAQueueThatIsFedByItsOwnItemsDoesNotOvertake(t *testing.T) {
	beneath := manual.New()
	s := roundrobin.New(beneath)
	steady, fed := create(t, s), create(t, s)
	var order log
	order.batch(t, steady, "s", 5)
	left := 5
	var feed func()
	feed = func() {
		order.WriteString("f")
		if left--; left > 0 {
			submit(t, fed, feed)
		}
	}
	submit(t, fed, feed)
	beneath.RunAll()
	assert.Equal(t, "sfsfsfsfsf", order.String())
}

// The scheduler beneath uses the newest ticket first, which does not affect the shim's order.
func TestTheOrderBeneathMakesNoDifference(t *testing.T) {
	beneath := manual.New()
	s := roundrobin.New(beneath)
	a, b := create(t, s), create(t, s)
	var order log
	for _, digit := range []string{"1", "2", "3"} {
		order.batch(t, a, digit, 1)
	}
	order.batch(t, b, "x", 3)
	for beneath.StepAt(beneath.Len() - 1) {
	}
	assert.Equal(t, "1x2x3x", order.String())
}

func TestOneSubmissionBeneathForEachItem(t *testing.T) {
	beneath := manual.New()
	s := roundrobin.New(beneath)
	var order log
	order.batch(t, s, "a", 7)
	assert.Equal(t, 7, beneath.Len())
	assert.Len(t, s.Snapshot(), 7)
	assert.Equal(t, 7, beneath.RunAll())
	assert.Empty(t, s.Snapshot())
}
