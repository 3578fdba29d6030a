package metrics_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/inspect/metrics"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

func TestQuantiles(t *testing.T) {
	assert.Zero(t, metrics.Histogram{}.Quantile(.5))
	h := metrics.Histogram{Bounds: []float64{1, 2, 4}, Counts: []uint64{0, 90, 9, 1}}
	assert.InDelta(t, 2, h.Quantile(0), 0)
	assert.InDelta(t, 2, h.Quantile(.9), 0)
	assert.InDelta(t, 4, h.Quantile(.95), 0)
	assert.InDelta(t, 4, h.Quantile(1), 0, "the last bucket has no bound of its own")
}

func TestThePageHasLatencies(t *testing.T) {
	c := metrics.Collect()
	defer c.Stop()
	assert.Empty(t, c.Latencies())
	s := manual.New()
	job.Go(schedulers.With(context.Background(), s), func(context.Context) error { return nil }, job.Named("a <b>job</b>"))
	s.RunAll()
	var what []string
	for _, l := range c.Latencies() {
		what = append(what, l.Of+": "+l.What)
		assert.EqualValues(t, 1, l.Count)
		assert.GreaterOrEqual(t, l.P99, l.Half)
		assert.Positive(t, l.Half)
		assert.Less(t, l.P99, 100*time.Second)
	}
	assert.Equal(t, []string{
		"manual.Scheduler: work is queued", "manual.Scheduler: work runs",
		"a <b>job</b>: jobs are not started", "a <b>job</b>: jobs run",
	}, what)

	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
	r.RemoteAddr = "127.0.0.1:1"
	inspect.Handler(inspect.Measured(c.Latencies)).ServeHTTP(w, r)
	assert.Contains(t, w.Body.String(), "<td>jobs run")
	assert.Contains(t, w.Body.String(), "a &lt;b&gt;job&lt;/b&gt;")
}
