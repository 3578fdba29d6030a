package record_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime/trace"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/inspect/record"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

const hostile = `</script><script>alert(1)</script><!-- "'`

// small is a recording of two jobs on one worker.
func small(t *testing.T) *record.Recording {
	t.Helper()
	s := manual.New()
	before := job.SetDiagnostics(job.RecordCreation)
	defer job.SetDiagnostics(before)
	return recorded(t, func(r *record.Recorder) {
		ctx := schedulers.With(context.Background(), s)
		job.Go(ctx, func(context.Context) error { return nil }, job.Named(hostile))
		job.Go(ctx, func(context.Context) error { return errors.New("no") }, job.Named("second"))
		r.Note(hostile)
		r.Value(hostile, 1)
		s.RunAll()
	})
}

// dataOf returns the JSON in a page.
func dataOf(t *testing.T, page string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="data">`)
	require.True(t, ok)
	data, _, ok := strings.Cut(rest, "</script>")
	require.True(t, ok)
	return data
}

func TestThePageHasTheEvents(t *testing.T) {
	var page strings.Builder
	require.NoError(t, small(t).WritePage(&page, record.Title("two jobs")))
	var data struct {
		Title      string
		Schedulers []string
		Subjects   []any
		Places     [][]any
		Events     [][]float64
		Source     map[string]map[int]string
	}
	require.NoError(t, json.Unmarshal([]byte(dataOf(t, page.String())), &data))
	assert.Equal(t, "two jobs", data.Title)
	assert.Equal(t, []string{"none", "manual.Scheduler"}, data.Schedulers)
	assert.Len(t, data.Subjects, 3)
	var kinds []float64
	for _, e := range data.Events {
		kinds = append(kinds, e[0])
	}
	const submitted, begun, ended, starts, stops, made, started, finished, note, value = 1, 3, 4, 9, 10, 33, 34, 37, 64, 65
	run := []float64{starts, begun, started, finished, ended, stops}
	assert.Equal(t, slices.Concat([]float64{made, submitted, made, submitted, note, value}, run, run), kinds)
	assert.Nil(t, data.Source)
}

func TestHostileNamesAreText(t *testing.T) {
	var page, text strings.Builder
	r := small(t)
	require.NoError(t, r.WritePage(&page, record.Title(hostile)))
	assert.Equal(t, 2, strings.Count(page.String(), "<script"), "the data and the script")
	assert.Equal(t, 2, strings.Count(page.String(), "</script>"))
	assert.NotContains(t, page.String(), "alert(1)</script>")
	require.NoError(t, r.WriteText(&text))
	assert.Equal(t, len(r.Events), strings.Count(text.String(), "\n"))
}

func TestThePageLoadsNothing(t *testing.T) {
	var page strings.Builder
	require.NoError(t, small(t).WritePage(&page))
	assert.Contains(t, page.String(), "default-src 'none'")
	assert.NotContains(t, page.String(), "src=")
	assert.NotContains(t, page.String(), "https:")
	assert.NotContains(t, page.String(), "{{")
}

func TestAPageHasTheSourceIfItIsAskedFor(t *testing.T) {
	var asked []string
	read := func(name string) ([]byte, error) {
		asked = append(asked, name)
		return os.ReadFile(name)
	}
	var page strings.Builder
	require.NoError(t, small(t).WritePage(&page, record.Sources(read)))
	assert.Len(t, asked, 1)
	assert.Contains(t, dataOf(t, page.String()), "job.Named(hostile)")
	page.Reset()
	require.NoError(t, small(t).WritePage(&page, record.Sources(func(string) ([]byte, error) { return nil, os.ErrPermission })))
	assert.NotContains(t, dataOf(t, page.String()), "job.Named(hostile)")
}

func TestAPageOfAPart(t *testing.T) {
	r := small(t)
	for _, c := range []struct{ from, to, events int }{{0, 3, 3}, {3, 5, 2}, {5, 1000, len(r.Events) - 5}, {1000, 2000, 0}, {-7, 2, 2}} {
		var page strings.Builder
		require.NoError(t, r.WritePage(&page, record.Events(c.from, c.to)))
		var data struct {
			Events [][]any
			Left   int
		}
		require.NoError(t, json.Unmarshal([]byte(dataOf(t, page.String())), &data))
		assert.Len(t, data.Events, c.events)
		assert.Equal(t, len(r.Events)-c.events, data.Left)
	}
}

// failing fails after so many bytes.
type failing int

func (f *failing) Write(b []byte) (int, error) {
	if *f -= failing(len(b)); *f < 0 {
		return 0, errNoSpace
	}
	return len(b), nil
}

func TestTheErrorOfTheWriterIsReturned(t *testing.T) {
	r := small(t)
	for _, room := range []failing{0, 100} {
		a, b := room, room
		require.ErrorIs(t, r.WritePage(&a), errNoSpace)
		require.ErrorIs(t, r.WriteText(&b), errNoSpace)
	}
}

func TestATraceHasTasksAndRegions(t *testing.T) {
	var out bytes.Buffer
	stop := record.Trace()
	require.NoError(t, trace.Start(&out))
	s := manual.New()
	ctx := schedulers.With(context.Background(), s)
	a, b := job.NewSource[int](), job.NewSource[int]()
	twiceAsync(ctx, a.Job(), b.Job())
	j := job.Go(ctx, func(context.Context) error { panic("on purpose") }, job.Named("panics in a region"))
	s.RunAll()
	a.TrySetResult(1)
	b.TrySetResult(2)
	s.RunAll()
	trace.Stop()
	stop()
	stop()
	assert.Equal(t, job.Faulted, j.Status())
	for _, text := range []string{"panics in a region", "record_test.twice", "suspended", "waits for"} {
		assert.Contains(t, out.String(), text)
	}
	assert.False(t, probe.On(probe.Events))
}

func TestATraceOfOneSchedulerHasItsJobsAlone(t *testing.T) {
	var out bytes.Buffer
	s, other := manual.New(), manual.New()
	stop := record.Trace(record.Of(s))
	require.NoError(t, trace.Start(&out))
	for name, on := range map[string]*manual.Scheduler{"is traced": s, "is not traced": other} {
		source := job.NewSource[int]()
		ctx := schedulers.With(context.Background(), on)
		j := job.Go(ctx, func(ctx context.Context) error { _, err := source.Job().Wait(ctx); return err }, job.Named(name))
		source.TrySetResult(1)
		on.RunAll()
		require.NoError(t, j.Err())
	}
	trace.Stop()
	stop()
	assert.Contains(t, out.String(), "is traced")
	assert.NotContains(t, out.String(), "is not traced")
}

func TestWithoutATraceNothingIsTraced(t *testing.T) {
	stop := record.Trace(record.OneIn(2))
	defer stop()
	_, err := job.Go(context.Background(), func(context.Context) error { return nil }).Wait(context.Background())
	require.NoError(t, err)
}
