package dedicated_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

// handle stands for the handle of a C library: valid only on the thread that opened it.
type handle struct{ thread int }

func TestEachThreadHasAStateOfItsOwn(t *testing.T) {
	s := dedicated.New(3, dedicated.WithState(
		func() *handle { return &handle{dedicated.ThreadID()} },
		func(h *handle) { assert.Equal(t, h.thread, dedicated.ThreadID()) },
	))
	ctx := schedulers.With(context.Background(), s)
	var jobs []*job.Job[*handle]
	for range 100 {
		jobs = append(jobs, job.Run(ctx, func(ctx context.Context) (*handle, error) {
			h, ok := dedicated.State[*handle](ctx)
			assert.True(t, ok)
			assert.Equal(t, h.thread, dedicated.ThreadID())
			return h, nil
		}))
	}
	all, err := job.WhenAll(jobs...).Wait(context.Background())
	require.NoError(t, err)
	distinct := map[*handle]bool{}
	for _, h := range all {
		distinct[h] = true
	}
	assert.LessOrEqual(t, len(distinct), 3)
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestStateIsForItsThreadAlone(t *testing.T) {
	s := dedicated.New(1, dedicated.WithState(func() int { return 7 }, nil))
	defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
	_, ok := dedicated.State[int](context.Background())
	assert.False(t, ok, "no work")
	_, err := job.Go(schedulers.With(context.Background(), s), func(ctx context.Context) error {
		n, ok := dedicated.State[int](ctx)
		assert.True(t, ok)
		assert.Equal(t, 7, n)
		_, ok = dedicated.State[string](ctx)
		assert.False(t, ok, "another type")
		foreign := make(chan bool)
		go func() {
			_, ok := dedicated.State[int](ctx)
			foreign <- ok
		}()
		assert.Equal(t, dedicated.ThreadID() == 0, <-foreign, "a goroutine that was given the context")
		return nil
	}).Wait(context.Background())
	require.NoError(t, err)
}

func TestAReplacedThreadHasANewState(t *testing.T) {
	made := 0
	s := dedicated.New(1, dedicated.WithState(func() int { made++; return made }, nil))
	ctx := schedulers.With(context.Background(), s)
	read := func() int {
		n, err := job.Run(ctx, func(ctx context.Context) (int, error) {
			n, _ := dedicated.State[int](ctx)
			return n, nil
		}).Wait(context.Background())
		require.NoError(t, err)
		return n
	}
	assert.Equal(t, 1, read())
	submit(t, s, runtime.Goexit)
	assert.Equal(t, 2, read())
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestTheFirstToStartEndsLast(t *testing.T) {
	var order []string
	note := func(what string) func() { return func() { order = append(order, what) } }
	s := dedicated.New(1,
		dedicated.OnThread(note("open library"), note("close library")),
		dedicated.OnThread(nil, nil),
		dedicated.WithState[int](nil, func(int) { note("close handle")() }),
	)
	submit(t, s, note("work"))
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, []string{"open library", "work", "close handle", "close library"}, order)
}

// A database connection that belongs to the thread that opened it.
func ExampleState() {
	s := dedicated.New(1, dedicated.WithState(
		func() string { fmt.Println("open"); return "connection" },
		func(c string) { fmt.Println("close", c) },
	))
	query := func(ctx context.Context) (string, error) {
		c, _ := dedicated.State[string](ctx)
		return "rows from " + c, nil
	}
	ctx := schedulers.With(context.Background(), s)
	fmt.Println(job.Run(ctx, query).Wait(ctx))
	fmt.Println(s.Shutdown(ctx))
	// Output:
	// open
	// rows from connection <nil>
	// close connection
	// <nil>
}
