package inspect_test

import (
	"bytes"
	"context"
	"html"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestJobsThatAreNotSuspendedAreReported(t *testing.T) {
	before := job.SetDiagnostics(job.RecordCreation)
	defer job.SetDiagnostics(before)
	defer inspect.Track()()
	s := manual.New()
	ctx := schedulers.With(context.Background(), s)
	nothing := func(context.Context) error { return nil }
	parent := job.Go(ctx, func(ctx context.Context) error {
		for range 3 {
			job.Go(ctx, nothing, job.Named("child")) // place: child
		}
		report := inspect.Snapshot()
		require.Len(t, report.Jobs, 4)
		assert.Equal(t, 3, report.Jobs[0].Count)
		assert.Equal(t, job.Scheduled, report.Jobs[0].Status)
		assert.Equal(t, "manual.Scheduler", report.Jobs[0].Home)
		assert.Equal(t, `"child"`, report.Jobs[0].Example)
		assert.Equal(t, `"parent"`, report.Jobs[0].Parent)
		assert.Contains(t, report.Jobs[0].Made.Function, "TestJobsThatAreNotSuspendedAreReported")
		assert.Equal(t, job.Running, report.Jobs[3].Status)
		return nil
	}, job.Named("parent"))
	created := job.New(ctx, func(context.Context) (int, error) { return 1, nil })
	then := job.Then(ctx, parent, func(context.Context, job.Void) (int, error) { return 1, nil })
	require.True(t, s.Step())
	var text bytes.Buffer
	require.NoError(t, inspect.Dump(&text))
	assert.Regexp(t, `\t3 queued at manual.Scheduler, made in .*jobs_test.go:\d+, the oldest .* ago; for example "child", made by "parent"\n`, text.String())
	assert.Regexp(t, `\t1 not started at manual.Scheduler`, text.String())
	body := html.UnescapeString(ask("/").Body.String())
	assert.Contains(t, body, `"child", made by "parent"`)
	created.Cancel()
	s.RunAll()
	<-then.Done()
	assert.Empty(t, inspect.Snapshot().Jobs)
}

func TestAJobThatSuspendsIsAMachine(t *testing.T) {
	defer inspect.Track()()
	s := newStuck()
	j := s.namedAsync(context.Background(), "waits")
	for inspect.Snapshot().Suspended < 2 {
		runtime.Gosched()
	}
	assert.Empty(t, inspect.Snapshot().Jobs)
	s.source.TrySet(1, nil)
	_, err := j.Await()
	require.NoError(t, err)
}

func TestTrackingEndsForJobsToo(t *testing.T) {
	s := manual.New()
	ctx := schedulers.With(context.Background(), s)
	run := func() { job.Go(ctx, func(context.Context) error { return nil }, job.Named("x")) }
	run()
	stop, named := inspect.Track(), inspect.Track(inspect.Named("y"))
	run()
	require.Len(t, inspect.Snapshot().Jobs, 1)
	assert.Equal(t, 1, inspect.Snapshot().Jobs[0].Count, "the first was made before")
	stop()
	run()
	named()
	assert.Empty(t, inspect.Snapshot().Jobs)
	s.RunAll() // the slots of those that were dropped are theirs until now
	defer inspect.Track(inspect.Named("y"))()
	run()
	assert.Empty(t, inspect.Snapshot().Jobs, "it has another name")
	s.RunAll()
}

func TestASnapshotWhileJobsComeAndGo(t *testing.T) {
	defer inspect.Track()()
	p := pool.New()
	ctx := schedulers.With(context.Background(), p)
	long := strings.Repeat("x", 1<<20)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 300 {
				j := job.Go(ctx, func(ctx context.Context) error {
					return job.Go(ctx, func(context.Context) error { return nil }, job.Named(long)).Err()
				})
				for _, g := range inspect.Snapshot().Jobs {
					assert.Positive(t, g.Count)
					assert.Less(t, len(g.Example), 300)
				}
				<-j.Done()
			}
		})
	}
	all.Wait()
	require.NoError(t, p.Shutdown(context.Background()))
	assert.Empty(t, inspect.Snapshot().Jobs)
}
