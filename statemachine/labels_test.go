package statemachine_test

import (
	"bytes"
	"context"
	"errors"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/statemachine"
)

// looking lets only one goroutine at a time look for itself in the profile.
var looking sync.Mutex

// labelsHere returns the tenant in the labels of the calling goroutine, as the profiler
// shows them.
func labelsHere() string {
	looking.Lock()
	defer looking.Unlock()
	return labelsInProfile()
}

func labelsInProfile() string {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1)
	for block := range strings.SplitSeq(b.String(), "\n\n") {
		if !strings.Contains(block, "labelsInProfile") {
			continue
		}
		if _, l, ok := strings.Cut(block, `"tenant":"`); ok {
			name, _, _ := strings.Cut(l, `"`)
			return name
		}
		return "none"
	}
	return "not found"
}

func tenant(ctx context.Context, name string) context.Context {
	return pprof.WithLabels(ctx, pprof.Labels("tenant", name))
}

// stages records its labels before and after each kind of suspension.
//
//movenext:async
func stages(ctx context.Context, seen *[]string) error {
	note := func() { *seen = append(*seen, labelsHere()) }
	job.Yield()
	note()
	if err := job.Sleep(ctx, time.Microsecond); err != nil {
		return err
	}
	note()
	inner(ctx, seen)
	note()
	_, err := job.Go(ctx, func(context.Context) error { note(); return nil }).Await()
	note()
	_, _ = job.Go(context.WithoutCancel(schedulers.With(context.Background(), schedulers.FromContext(ctx))),
		func(context.Context) error { note(); return nil }).Await()
	note()
	return err
}

// inner suspends in a call.
//
//movenext:async
func inner(ctx context.Context, seen *[]string) {
	job.Yield()
	*seen = append(*seen, labelsHere())
}

// breaks ends with a panic after a suspension, in a call whose caller recovers.
//
//movenext:async
func breaks(ctx context.Context, seen *[]string) (err error) {
	defer func() {
		if recover() != nil {
			*seen = append(*seen, labelsHere())
			err = errBroken
		}
	}()
	job.Yield()
	panic("broken")
}

var errBroken = errors.New("broken")

// unlabeled checks the labels where the other functions have run.
//
//movenext:async
func unlabeled(ctx context.Context, seen *[]string) {
	for range 5 {
		job.Yield()
		*seen = append(*seen, labelsHere())
	}
}

// sets changes its labels itself, as plain code does.
//
//movenext:async
func sets(ctx context.Context, seen *[]string) {
	note := func() { *seen = append(*seen, labelsHere()) }
	note()
	blue := tenant(ctx, "blue")
	pprof.SetGoroutineLabels(blue)
	note()
	job.Yield()
	note()
	setsRed(ctx)
	note()
	job.Yield()
	note()
	pprof.Do(blue, pprof.Labels("tenant", "green"), func(context.Context) { note() })
	note()
	job.Yield()
	note()
	if len(*seen) > 0 {
		pprof.SetGoroutineLabels(ctx)
	}
	note()
	job.Yield()
	note()
}

// setsRed leaves labels behind, as a function may.
//
//movenext:async
func setsRed(ctx context.Context) {
	job.Yield()
	pprof.SetGoroutineLabels(tenant(ctx, "red"))
}

// leavesLabels leaves labels behind and ends, without having suspended.
//
//movenext:async
func leavesLabels(ctx context.Context) {
	pprof.SetGoroutineLabels(tenant(ctx, "red"))
}

// The machines are made from the plain forms, which are not called here.
var _ = []any{stages, breaks, unlabeled, sets, leavesLabels}

func TestLabelsFollowAMachine(t *testing.T) {
	for name, start := range inOrder() {
		t.Run(name, func(t *testing.T) {
			s, end := start()
			ctx := schedulers.With(context.Background(), s)
			var a, b, others []string
			blue := stagesAsync(tenant(ctx, "blue"), &a)
			red := stagesAsync(tenant(ctx, "red"), &b)
			plain := unlabeledAsync(ctx, &others)
			_, err := job.WhenAll(blue, red, plain).Wait(context.Background())
			require.NoError(t, err)
			assert.Equal(t, []string{"blue", "blue", "blue", "blue", "blue", "blue", "none", "blue"}, a)
			assert.Equal(t, []string{"red", "red", "red", "red", "red", "red", "none", "red"}, b)
			assert.Equal(t, []string{"none", "none", "none", "none", "none"}, others)
			assert.Equal(t, "none", labelsHere())
			require.NoError(t, end(context.Background()))
		})
	}
}

func TestLabelsDoNotStayWithTheWorker(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), p)
	look := func() (seen string) {
		_, err := job.Go(ctx, func(context.Context) error { seen = labelsHere(); return nil }).Wait(context.Background())
		require.NoError(t, err)
		return seen
	}
	blue := tenant(ctx, "blue")

	pprof.Do(ctx, pprof.Labels("tenant", "red"), func(context.Context) {
		assert.Equal(t, "none", look(), "a worker that was started by a labelled goroutine")
	})

	var seen []string
	_, err := breaksAsync(blue, &seen).Wait(context.Background())
	require.ErrorIs(t, err, errBroken)
	assert.Equal(t, []string{"blue"}, seen)
	assert.Equal(t, "none", look())

	for name, fn := range map[string]func(context.Context) error{
		"a panic":  func(context.Context) error { panic(labelsHere()) },
		"an error": func(context.Context) error { return errors.New(labelsHere()) },
	} {
		_, err = job.Go(blue, fn).Wait(context.Background())
		require.ErrorContains(t, err, "blue", name)
		assert.Equal(t, "none", look(), name)
	}
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestLabelsThatAMachineSetsAreItsOwn(t *testing.T) {
	for name, start := range inOrder() {
		t.Run(name, func(t *testing.T) {
			s, end := start()
			ctx := schedulers.With(context.Background(), s)
			var a, others []string
			j := setsAsync(ctx, &a)
			assert.Equal(t, "none", labelsHere(), "the caller has its labels back")
			_, err := job.WhenAll(j, unlabeledAsync(ctx, &others)).Wait(context.Background())
			require.NoError(t, err)
			assert.Equal(t, []string{"none", "blue", "blue", "red", "red", "green", "blue", "blue", "none", "none"}, a)
			assert.Equal(t, []string{"none", "none", "none", "none", "none"}, others)

			_, err = leavesLabelsAsync(ctx).Wait(context.Background())
			require.NoError(t, err)
			assert.Equal(t, "none", labelsHere())
			var after string
			_, err = job.Run(ctx, statemachine.Func1(leavesLabelsAsync)).Wait(context.Background())
			require.NoError(t, err)
			_, err = job.Go(ctx, func(ctx context.Context) error { after = labelsHere(); return nil }).Wait(context.Background())
			require.NoError(t, err)
			assert.Equal(t, "none", after)
			require.NoError(t, end(context.Background()))
		})
	}
}
