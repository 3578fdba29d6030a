package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/priority"
	"github.com/movenext/movenext/schedulers/roundrobin"
	"github.com/movenext/movenext/schedulers/ums"
	"github.com/movenext/movenext/schedulers/workstealing"
)

//go:generate go tool movenext .

// Consumers that leave a stream while its next value has not come: the stream ends, whatever it
// waits for, and takes nothing away.

var errEnough = errors.New("enough")

// napping yields 1, and then sleeps for an hour.
//
//movenext:async
func napping(ctx context.Context) iter.Seq2[int, error] { //nolint:unused // its other form is called
	return func(yield func(int, error) bool) {
		if !yield(1, nil) {
			return
		}
		yield(0, job.Sleep(ctx, time.Hour))
	}
}

// doubled yields the elements of a channel, times two.
//
//movenext:async
func doubled(ctx context.Context, c *coord.Channel[int]) iter.Seq2[int, error] { //nolint:unused // its other form is called
	return func(yield func(int, error) bool) {
		for v, err := range c.All(ctx) {
			if !yield(2*v, err) || err != nil {
				return
			}
		}
	}
}

// tripled yields the values of a stream, times three.
//
//movenext:async
func tripled(in *job.Stream[int]) iter.Seq2[int, error] { //nolint:unused // its other form is called
	return func(yield func(int, error) bool) {
		for v, err := range in.All() {
			if !yield(3*v, err) || err != nil {
				return
			}
		}
	}
}

// plainly is doubled without a machine.
func plainly(ctx context.Context, c *coord.Channel[int]) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for {
			v, err := c.Receive(ctx)
			if !yield(2*v, err) || err != nil {
				return
			}
		}
	}
}

func same(_ context.Context, v int) *job.Job[int] { return job.FromResult(v) }

func fails(context.Context, int) *job.Job[int] { return job.FromError[int](errEnough) }

func lasts(ctx context.Context, v int) *job.Job[int] {
	return job.Then(ctx, job.SleepAsync(ctx, time.Hour), func(context.Context, job.Void) (int, error) { return v, nil })
}

// takeOne takes one value, or the first error.
//
//movenext:async
func takeOne(ctx context.Context, in *job.Stream[int], body func(context.Context, int) *job.Job[int]) (int, error) {
	for v, err := range parallel.Stage(ctx, in, body, parallel.Degree(2)) {
		return v, err
	}
	return 0, io.EOF
}

// pullOne takes one value, gives up waiting for the second one, and stops.
//
//movenext:async
func pullOne(ctx context.Context, in *job.Stream[int], _ func(context.Context, int) *job.Job[int]) (int, error) {
	p := in.Pull()
	v, err := p.Next(ctx)
	if err != nil {
		return v, err
	}
	soon, cancel := context.WithCancelCause(ctx)
	next := p.NextAsync(soon)
	cancel(errEnough)
	_, err = next.Await()
	return v, errors.Join(err, p.Stop(ctx))
}

// pullUntil takes values until its context, which is that of the pull, ends.
//
//movenext:async
func pullUntil(ctx context.Context, in *job.Stream[int], _ func(context.Context, int) *job.Job[int]) (n int, err error) {
	p := in.PullContext(ctx)
	for err == nil {
		n++
		_, err = p.Next(context.WithoutCancel(ctx))
	}
	_, _ = p.StopAsync(context.WithoutCancel(ctx)).Await()
	return n, err
}

type consumer = func(context.Context, *job.Stream[int], func(context.Context, int) *job.Job[int]) (int, error)

// streams are the streams to leave. Each has one value, and waits for another one; c is the
// channel of those that receive, and has one element.
var streams = map[string]func(ctx context.Context, c *coord.Channel[int]) *job.Stream[int]{
	"a channel": func(ctx context.Context, c *coord.Channel[int]) *job.Stream[int] { return c.AllAsync(ctx) },
	"a sleep":   func(ctx context.Context, _ *coord.Channel[int]) *job.Stream[int] { return nappingAsync(ctx) },
	"a receive": doubledAsync,
	"plain code": func(ctx context.Context, c *coord.Channel[int]) *job.Stream[int] {
		return job.StreamFunc(ctx, func(ctx context.Context) iter.Seq2[int, error] { return plainly(ctx, c) })
	},
	"a plain channel": func(ctx context.Context, c *coord.Channel[int]) *job.Stream[int] { return job.StreamFunc(ctx, c.All) },
	"a stream of another one": func(ctx context.Context, c *coord.Channel[int]) *job.Stream[int] {
		return tripledAsync(c.AllAsync(ctx))
	},
	"a stream of plain code": func(ctx context.Context, c *coord.Channel[int]) *job.Stream[int] {
		return tripledAsync(job.StreamFunc(ctx, c.All))
	},
	"a stream of a stream of one": func(ctx context.Context, c *coord.Channel[int]) *job.Stream[int] {
		return tripledAsync(tripledAsync(c.AllAsync(ctx)))
	},
	"a stage": func(ctx context.Context, c *coord.Channel[int]) *job.Stream[int] {
		return parallel.StageAsync(ctx, doubledAsync(ctx, c), same, parallel.Degree(2))
	},
	"a stage whose bodies last": func(ctx context.Context, _ *coord.Channel[int]) *job.Stream[int] {
		return parallel.StageAsync(ctx, parallel.FromSlice([]int{1, 2, 3}), func(ctx context.Context, v int) *job.Job[int] {
			if v == 1 {
				return same(ctx, v)
			}
			return lasts(ctx, v)
		}, parallel.Degree(2))
	},
	"jobs": func(ctx context.Context, _ *coord.Channel[int]) *job.Stream[int] {
		ends := job.WhenEachAsync(ctx, job.FromResult(1), job.NewSource[int]().Job())
		return parallel.StageAsync(ctx, ends, func(_ context.Context, j *job.Job[int]) *job.Job[int] { return j })
	},
}

// leavings are the ways to leave.
var leavings = map[string]struct {
	plain   consumer
	machine func(context.Context, *job.Stream[int], func(context.Context, int) *job.Job[int]) *job.Job[int]
	body    func(context.Context, int) *job.Job[int]
	cancels bool
	want    error
}{
	"a break":                     {takeOne, takeOneAsync, same, false, nil},
	"a failure of a body":         {takeOne, takeOneAsync, fails, false, errEnough},
	"the end of a context":        {takeOne, takeOneAsync, lasts, true, context.Canceled},
	"a stop":                      {pullOne, pullOneAsync, nil, false, errEnough},
	"the end of a pull's context": {pullUntil, pullUntilAsync, nil, true, context.Canceled},
}

// homes are schedulers of each kind on which plain code may block.
func homes(below schedulers.Scheduler) []interface {
	schedulers.Scheduler
	Shutdown(context.Context) error
} {
	return []interface {
		schedulers.Scheduler
		Shutdown(context.Context) error
	}{
		pool.New(pool.Workers(1, 1)), pool.New(), workstealing.New(), dedicated.New(1), dedicated.New(2), eventloop.Start(),
		ums.New(2), goroutine.New(), inline.New(), limited.New(below, 1), exclusive.NewStrand(below),
		priority.New(below, 3), roundrobin.New(below),
	}
}

func TestWhoLeavesAStreamWaitsForNothingAndTakesNothing(t *testing.T) {
	below := pool.New()
	for _, s := range homes(below) {
		ctx := schedulers.With(context.Background(), s)
		for stream, make := range streams {
			for leaving, l := range leavings {
				for _, form := range []string{"plain", "machine"} {
					name := fmt.Sprintf("%s, %s, %s, %s", strings.TrimPrefix(fmt.Sprintf("%T", s), "*"), stream, leaving, form)
					leave := func(ctx context.Context, in *job.Stream[int]) (int, error) {
						if form == "plain" {
							return l.plain(ctx, in, l.body)
						}
						return l.machine(ctx, in, l.body).Wait(context.Background())
					}
					c := coord.NewUnbounded[int]()
					require.NoError(t, c.Send(context.Background(), 1))
					consumer, cancel := context.WithCancel(ctx)
					if l.cancels {
						go cancel()
					}
					_, err := leave(consumer, make(ctx, c))
					cancel()
					if l.want == nil {
						require.NoError(t, err, name)
					} else {
						require.ErrorIs(t, err, l.want, name)
					}
					left := c.Len()
					require.NoError(t, c.Send(context.Background(), 2))
					require.Equal(t, left+1, c.Len(), name)
				}
			}
		}
		require.NoError(t, s.Shutdown(context.Background()))
	}
	require.NoError(t, below.Shutdown(context.Background()))
}

// Elements that come while the consumer leaves are received by it, or left in the channel, in
// their order.
func TestAnElementThatComesWhileItsConsumerLeavesIsNotLost(t *testing.T) {
	kinds := map[string]func() *coord.Channel[int]{
		"unbounded":  coord.NewUnbounded[int],
		"bounded":    func() *coord.Channel[int] { return coord.NewBounded[int](1, coord.WaitForRoom) },
		"rendezvous": coord.NewRendezvous[int],
		"priority":   func() *coord.Channel[int] { return coord.NewPriority(func(v int) int64 { return int64(v) }) },
	}
	for kind, make := range kinds {
		t.Run(kind, func(t *testing.T) {
			c := make()
			const n = 2000
			sent := job.Go(t.Context(), func(ctx context.Context) error {
				for v := range n {
					if err := c.Send(ctx, v); err != nil {
						return err
					}
				}
				c.Close()
				return nil
			})
			var got []int
			for ended := false; !ended; {
				p := c.AllAsync(t.Context()).Pull()
				for range 1 + len(got)%3 {
					soon, cancel := context.WithCancel(t.Context())
					go cancel()
					v, err := p.Next(soon)
					if err == nil {
						got = append(got, v)
					}
					ended = err == io.EOF
				}
				require.NoError(t, p.Stop(t.Context()))
			}
			_, err := sent.Wait(t.Context())
			require.NoError(t, err)
			require.Len(t, got, n)
			for i, v := range got {
				assert.Equal(t, i, v)
			}
		})
	}
}

// A stage that fails gives back the value that it has requested and that no body has got.
func TestAStageThatFailsGivesBackWhatNoBodyHasGot(t *testing.T) {
	for range 300 {
		c := coord.NewUnbounded[int]()
		failed := job.NewSource[int]()
		require.NoError(t, c.Send(t.Context(), 0))
		j := takeOneAsync(t.Context(), c.AllAsync(t.Context()), func(context.Context, int) *job.Job[int] { return failed.Job() })
		go failed.TrySetError(errEnough)
		require.NoError(t, c.Send(t.Context(), 1))
		_, err := j.Wait(t.Context())
		require.ErrorIs(t, err, errEnough)
		if v, err := c.TryReceive(); err == nil {
			require.Equal(t, 1, v)
		}
	}
}

// A job that the stream's function has started and handed out lives on when the pull is over.
//
//movenext:async
func started(ctx context.Context, work func(context.Context) (int, error)) iter.Seq2[*job.Job[int], error] { //nolint:unused // its other form is called
	return func(yield func(*job.Job[int], error) bool) {
		j := job.Run(ctx, work)
		_ = job.Sleep(ctx, time.Microsecond)
		yield(j, nil)
	}
}

func TestWhatAPulledStreamHasStartedLivesOn(t *testing.T) {
	for _, cancels := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		release := make(chan struct{})
		p := startedAsync(ctx, func(ctx context.Context) (int, error) {
			select {
			case <-release:
				return 1, ctx.Err()
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}).Pull()
		j, err := p.Next(t.Context())
		require.NoError(t, err)
		_, err = p.Next(t.Context())
		require.Equal(t, io.EOF, err)
		require.NoError(t, p.Stop(t.Context()))
		if cancels {
			cancel()
			_, err = j.Wait(t.Context())
			require.ErrorIs(t, err, context.Canceled)
		} else {
			close(release)
			v, err := j.Wait(t.Context())
			require.NoError(t, err)
			assert.Equal(t, 1, v)
		}
		cancel()
	}
}
