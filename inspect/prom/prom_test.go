package prom_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/inspect/metrics"
	"github.com/movenext/movenext/inspect/prom"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	c := metrics.Collect(metrics.OneIn(1)) // 100 in production
	defer c.Stop()
	registry := prometheus.NewRegistry() // or the program's own
	registry.MustRegister(prom.Collector(c.WriteText))

	j := job.Go(context.Background(), func(context.Context) error { return nil }, job.Named("checkout"))
	if _, err := j.Wait(context.Background()); err != nil {
		fmt.Println(err)
	}
	families, err := registry.Gather()
	for _, f := range families {
		if f.GetName() == "movenext_function_suspensions" {
			fmt.Println(f.GetType(), f.GetMetric()[0].GetLabel()[0].GetValue(), f.GetMetric()[0].GetHistogram().GetSampleCount())
		}
	}
	fmt.Println(err)
	// Output:
	// HISTOGRAM checkout 1
	// <nil>
}

// TestARegistryShowsWhatTheHandlerShows compares all metrics of a scheduler and of functions.
func TestARegistryShowsWhatTheHandlerShows(t *testing.T) {
	c := metrics.Collect()
	p := pool.New(pool.Workers(2, 2), pool.Name(`a "pool" \ of two`))
	for i := range 10 {
		_, err := job.Run(context.Background(), func(context.Context) (int, error) { return i, nil }, job.On(p)).Wait(context.Background())
		require.NoError(t, err)
	}
	require.NoError(t, p.Shutdown(context.Background()))
	c.Stop()

	var text strings.Builder
	require.NoError(t, c.WriteText(&text))
	parser := expfmt.NewTextParser(model.UTF8Validation)
	want, err := parser.TextToMetricFamilies(strings.NewReader(text.String()))
	require.NoError(t, err)

	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(prom.Collector(c.WriteText)))
	families, err := registry.Gather()
	require.NoError(t, err)
	got := map[string]*dto.MetricFamily{}
	for _, f := range families {
		got[f.GetName()] = f
	}
	require.Greater(t, len(got), 20)
	require.Len(t, got, len(want))
	for name := range want {
		assert.Equal(t, want[name].String(), got[name].String())
	}
}

func TestAnErrorFailsTheScrape(t *testing.T) {
	boom := errors.New("boom")
	for _, write := range []func(io.Writer) error{
		func(io.Writer) error { return boom },
		func(w io.Writer) error { _, err := io.WriteString(w, "no metrics\n"); return err },
	} {
		registry := prometheus.NewRegistry()
		require.NoError(t, registry.Register(prom.Collector(write)))
		_, err := registry.Gather()
		require.Error(t, err)
	}
}
