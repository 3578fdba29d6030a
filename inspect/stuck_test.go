package inspect_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

//go:generate go tool movenext .

// stuck is a program that hangs in seven places.
type stuck struct {
	source  *job.Source[int]
	channel *coord.Channel[int]
	event   coord.ManualResetEvent
	a, b    coord.Mutex
	met     *coord.Barrier
}

func newStuck() *stuck {
	return &stuck{source: job.NewSource[int](), channel: coord.NewRendezvous[int](), met: coord.NewBarrier(2)}
}

//movenext:async
func (s *stuck) forSource(ctx context.Context) (int, error) {
	return s.inner(ctx)
}

//movenext:async
func (s *stuck) inner(context.Context) (int, error) {
	return s.source.Job().Await() // place: source
}

// hangs waits at the place of that name.
//
//movenext:async
func (s *stuck) hangs(ctx context.Context, place string) (err error) {
	switch place {
	case "lock":
		if err = s.a.Lock(ctx); err == nil { // place: lock
			s.a.Unlock()
		}
	case "channel":
		_, err = s.channel.Receive(ctx) // place: channel
	case "event":
		err = s.event.Wait(ctx) // place: event
	case "sleep":
		err = job.Sleep(ctx, time.Hour) // place: sleep
	}
	return err
}

//movenext:async
func (s *stuck) left(ctx context.Context) error {
	if err := s.a.Lock(ctx); err != nil {
		return err
	}
	defer s.a.Unlock()
	if _, err := s.met.Wait(ctx); err != nil {
		return err
	}
	if err := s.b.Lock(ctx); err != nil { // place: left
		return err
	}
	s.b.Unlock()
	return nil
}

//movenext:async
func (s *stuck) right(ctx context.Context) error {
	if err := s.b.Lock(ctx); err != nil {
		return err
	}
	defer s.b.Unlock()
	if _, err := s.met.Wait(ctx); err != nil {
		return err
	}
	if err := s.a.Lock(ctx); err != nil { // place: right
		return err
	}
	s.a.Unlock()
	return nil
}

// busy waits in many ways, always again, until ctx ends.
//
//movenext:async
func (s *stuck) busy(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := s.turn(ctx, &s.a); err != nil {
			return err
		}
		if err := s.turn(ctx, &s.b); err != nil {
			return err
		}
	}
	return nil
}

//movenext:async
func (s *stuck) turn(ctx context.Context, lock *coord.Mutex) error {
	if err := lock.Lock(ctx); err != nil {
		return err
	}
	defer lock.Unlock()
	if err := job.Sleep(ctx, time.Microsecond); err != nil {
		return err
	}
	_, err := job.Run(ctx, func(context.Context) (int, error) { return 1, nil }).Await()
	return err
}

// named runs a job with a name, which waits.
//
//movenext:async
func (s *stuck) named(ctx context.Context, name string) error {
	_, err := job.Run(ctx, func(context.Context) (int, error) { return s.source.Job().Await() }, job.Named(name)).Await()
	return err
}

// inScope waits in a child of a scope.
//
//movenext:async
func (s *stuck) inScope(ctx context.Context) error {
	scope := job.NewScope(ctx)
	scope.Go(func(context.Context) error {
		_, err := s.source.Job().Await()
		return err
	})
	return scope.Wait()
}

// lead holds a lock and waits for two machines, one of which waits for that lock.
//
//movenext:async
func (s *stuck) lead(ctx context.Context) error {
	if err := s.a.Lock(ctx); err != nil {
		return err
	}
	defer s.a.Unlock()
	all := job.WhenAllOf(s.hangsAsync(ctx, "event"), s.hangsAsync(ctx, "lock"))
	_, err := job.WhenAllOf(all).Await()
	return err
}

//movenext:async
func send(ctx context.Context, to *coord.Channel[int]) error { return to.Send(ctx, 3) }

// hostileName is what a client may send: it clears the screen, begins a line, and turns the rest.
const hostileName = "\x1b[2J\nmovenext: all is well\u202e"

// named is a scheduler with a hostile name.
type named struct{ *manual.Scheduler }

func (named) Name() string { return hostileName }

//movenext:async
func forJob(ctx context.Context, j *job.Job[job.Void]) error {
	_, err := j.Await()
	return err
}

// No text of a report has a character that a terminal or a log obeys, but the line breaks of the
// report itself.
func TestNamesReachNoTerminalAsTheyAre(t *testing.T) {
	defer inspect.Track()()
	s := manual.New()
	ctx := schedulers.With(context.Background(), named{s})
	var events []string
	defer inspect.Observe(func(e inspect.Event) { events = append(events, e.String()) }, inspect.Sample(1))()
	j := job.Go(ctx, func(context.Context) error { return nil }, job.Named(hostileName))
	waits := forJobAsync(context.Background(), j)
	var text strings.Builder
	require.NoError(t, inspect.Dump(&text))
	assert.Contains(t, text.String(), "all is well")
	require.NoError(t, inspect.WriteWaits(&text, waits))
	page := httptest.NewRecorder()
	measured := inspect.Measured(func() []inspect.Latency { return []inspect.Latency{{Of: hostileName, What: hostileName}} })
	inspect.Handler(inspect.Remote(), measured).ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/", nil))
	require.Equal(t, http.StatusOK, page.Code)
	for _, c := range text.String() + strings.Join(events, "") + page.Body.String() {
		assert.True(t, unicode.IsPrint(c) || c == '\n' || c == '\t', "%q", c)
	}
	for line := range strings.Lines(text.String()) {
		assert.False(t, strings.HasPrefix(line, "movenext: all"), text.String())
	}
	s.RunAll()
	_, err := waits.Await()
	require.NoError(t, err)
}
