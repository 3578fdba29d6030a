package statemachine_test

import (
	"context"
	"io"
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// zipped pulls two streams in turn, and stops both.
//
//movenext:async
func zipped(ctx context.Context, one, two *job.Stream[string]) (all []string, err error) {
	a, b := one.Pull(), two.Pull()
	defer func() { _ = a.Stop(ctx) }()
	defer func() { _ = b.Stop(ctx) }()
	for {
		v, err := a.Next(ctx)
		if err == io.EOF {
			return all, nil
		}
		w, err := b.Next(ctx)
		if err == io.EOF {
			return all, nil
		}
		all = append(all, v+w)
	}
}

func TestTwoStreamsArePulledInTurnByPlainCodeAndByAMachine(t *testing.T) {
	ctx := oneWorker(t)
	for name, zip := range map[string]func(one, two *job.Stream[string]) ([]string, error){
		"plain": func(one, two *job.Stream[string]) ([]string, error) { return zipped(ctx, one, two) },
		"machine": func(one, two *job.Stream[string]) ([]string, error) {
			return zippedAsync(ctx, one, two).Wait(t.Context())
		},
	} {
		var first, second history
		later, after := job.NewSource[string](), job.FromResult("cleaned up")
		one := lettersAsync(&first, append(words("a", "b"), later.Job()), after)
		two := job.StreamOf(letters(&second, words("1", "2"), after))
		go later.TrySetResult("c")
		got, err := zip(one, two)
		assert.NoError(t, err, name)
		assert.Equal(t, []string{"a1", "b2"}, got, name)
		assert.Equal(t, history{"begins", "yields a", "yields b", "yields c", "stopped, cleaned up", "ends"}, first, name)
		assert.Equal(t, history{"begins", "yields 1", "yields 2", "ends"}, second, name)
	}
}

// The machine of the stream is suspended in its await, on no goroutine, and the value is
// not lost.
func TestAPulledMachineSuspends(t *testing.T) {
	source := job.NewSource[string]()
	ctx := oneWorker(t)
	p := lettersAsync(new(history), []*job.Job[string]{source.Job()}, nil).Pull()
	waited, cancel := context.WithCancel(ctx)
	given := p.NextAsync(waited)
	assert.False(t, given.IsCompleted())
	cancel()
	_, err := given.Wait(t.Context())
	assert.ErrorIs(t, err, context.Canceled)
	source.TrySetResult("kept")
	v, err := p.Next(ctx)
	assert.NoError(t, err)
	assert.Equal(t, "kept", v)
	_, err = p.Next(ctx)
	assert.Equal(t, io.EOF, err)
	assert.NoError(t, p.Stop(ctx))
}

func TestAPulledMachineThatIsStoppedRunsToItsEnd(t *testing.T) {
	var h history
	ctx := oneWorker(t)
	after := job.NewSource[string]()
	p := lettersAsync(&h, words("a", "b"), after.Job()).Pull()
	_, err := p.Next(ctx)
	require.NoError(t, err)
	ended := p.StopAsync(ctx)
	assert.False(t, ended.IsCompleted(), "it awaits on its way out")
	_, err = p.Next(ctx)
	assert.Equal(t, io.EOF, err)
	after.TrySetResult("cleaned up")
	_, err = ended.Wait(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, history{"begins", "yields a", "stopped, cleaned up", "ends"}, h)

	h = nil
	p = lettersAsync(&h, words("a"), nil).Pull()
	assert.NoError(t, p.Stop(ctx))
	assert.Empty(t, h, "it has not begun")
}

//movenext:async
func failing(after *job.Job[string]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		s, err := after.Await()
		if yield(s, err) {
			panic("too far")
		}
	}
}

func TestAPanicOfAPulledMachine(t *testing.T) {
	ctx := oneWorker(t)
	plain := job.StreamOf(failing(job.FromResult(""))).Pull()
	_, err := plain.Next(ctx)
	assert.NoError(t, err)
	assert.PanicsWithValue(t, "too far", func() { _, _ = plain.Next(ctx) })
	for _, late := range []bool{false, true} {
		first := job.NewSource[string]()
		p := failingAsync(first.Job()).Pull()
		if late {
			go first.TrySetResult("")
		} else {
			first.TrySetResult("")
		}
		_, err := p.Next(ctx)
		assert.NoError(t, err)
		assert.PanicsWithValue(t, "too far", func() { _, _ = p.Next(ctx) })
		_, err = p.Next(ctx)
		assert.Equal(t, io.EOF, err)
		assert.NoError(t, p.Stop(ctx))
	}
}
