package pullcontext_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/pullcontext"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type key struct{}

// counting is a context that counts what is registered with it.
type counting struct {
	context.Context
	registered int
}

// Value hides base: package context would register with it, and pass this context by.
func (c *counting) Value(any) any { return nil }

// AfterFunc is what package context calls.
func (c *counting) AfterFunc(func()) func() bool {
	c.registered++
	return func() bool { c.registered--; return true }
}

func TestItEndsWithItsParentsAndWithItsConsumer(t *testing.T) {
	for _, name := range []string{"left", "consumer", "own"} {
		own, endOwn := context.WithCancel(context.WithValue(t.Context(), key{}, 7))
		consumer, endConsumer := context.WithCancel(t.Context())
		c := pullcontext.New(own, consumer)
		assert.NoError(t, c.Err())
		child, cancel := context.WithCancel(c)
		called := make(chan struct{})
		context.AfterFunc(c, func() { close(called) })
		assert.Equal(t, 7, child.Value(key{}))
		map[string]func(){"left": c.Leave, "consumer": endConsumer, "own": endOwn}[name]()
		<-child.Done()
		<-c.Done()
		<-called
		assert.Equal(t, context.Canceled, c.Err(), name)
		assert.Equal(t, context.Canceled, context.Cause(child), name)
		cancel()
		late := make(chan struct{})
		context.AfterFunc(c, func() { close(late) })
		<-late
		endOwn()
		endConsumer()
	}
	c := pullcontext.New(nil, nil) //nolint:staticcheck // there is neither a stream's nor a consumer's
	c.Leave()
	<-c.Done()
}

func TestItLeavesNothingBehindWhenThePullIsOver(t *testing.T) {
	base, cancel := context.WithCancel(t.Context())
	defer cancel()
	parent := &counting{Context: base}
	c := pullcontext.New(parent, nil)
	c.Done()
	child, end := context.WithCancel(c)
	assert.Equal(t, 1, parent.registered)
	c.Over()
	assert.Equal(t, 1, parent.registered, "the child has to notice the parent's end")
	end()
	<-child.Done()
	assert.Zero(t, parent.registered)
	assert.NoError(t, c.Err())
	c.Done()
	assert.Equal(t, 1, parent.registered, "what is started later notices it too")
}

func TestItsDeadlineIsTheFirstOne(t *testing.T) {
	now := time.Now()
	early, cancel := context.WithDeadline(t.Context(), now.Add(time.Hour))
	defer cancel()
	late, cancelLate := context.WithDeadline(t.Context(), now.Add(2*time.Hour))
	defer cancelLate()
	for _, c := range []*pullcontext.Context{
		pullcontext.New(early, late), pullcontext.New(late, early), pullcontext.New(early, nil),
		pullcontext.New(nil, early), //nolint:staticcheck // a function of a stream may have none
	} {
		d, ok := c.Deadline()
		assert.True(t, ok)
		assert.Equal(t, now.Add(time.Hour).UnixNano(), d.UnixNano())
	}
	_, ok := pullcontext.New(nil, nil).Deadline() //nolint:staticcheck // as above
	assert.False(t, ok)
}

// broken is a context whose Err does not return once it has ended.
type broken struct {
	context.Context
	err func()
}

// Err implements context.Context.
func (b *broken) Err() error {
	if b.Context.Err() != nil {
		b.err()
	}
	return nil
}

func TestAContextWhoseErrDoesNotReturnEndsItAllTheSame(t *testing.T) {
	for _, err := range []func(){func() { panic("broken") }, runtime.Goexit} {
		base, cancel := context.WithCancel(t.Context())
		c := pullcontext.New(t.Context(), &broken{base, err})
		done := c.Done()
		cancel()
		<-done
		assert.Equal(t, context.Canceled, c.Err())
	}
}
