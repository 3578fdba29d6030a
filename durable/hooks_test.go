package durable_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/shop"
)

func TestAnEngineTellsAndCountsWhatItDoes(t *testing.T) {
	in(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		var text bytes.Buffer
		s := shop.New()
		s.FailNext["charge"] = errors.New("busy")
		e := opened(t, durable.NewMemory(), durable.RetryStep("shop.charge", durable.Retry{Attempts: 2}),
			durable.Log(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		e.OnEvent(func(v durable.Event) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, string(v.Kind)+" "+v.Point)
		})
		e.OnEvent(func(durable.Event) { panic("lost") })
		stop := e.OnEvent(func(durable.Event) { t.Error("it was stopped") })
		stop()
		stop()
		h, err := durable.Serve(e, shop.OrderDurable, s).Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		noStep := scripted{}.function() // its step is nil, and panics
		_, err = durable.Serve(e, noStep, struct{}{}).Start(t.Context(), "b", 1)
		require.NoError(t, err)
		require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
		require.NoError(t, e.Shutdown(t.Context()))
		for _, want := range []string{
			"started begin", "step began reserve", "step ended reserve", "suspended approval", "step ended charge", "suspended charge", "ended end",
		} {
			assert.Contains(t, told, want)
		}
		assert.Contains(t, text.String(), `level=DEBUG msg="durable: step ended" id=a function=shop.Order point=charge step=shop.charge attempt=1 took=0s error=busy`)
		assert.Contains(t, text.String(), `a hook has panicked`)
		m := e.Metrics()
		assert.Equal(t, []uint64{2, 2, 0, 4, 2, 1}, []uint64{m.Started, m.Ended, m.Stuck, m.Steps, m.Failures, m.Retries})
		assert.GreaterOrEqual(t, m.Taken, uint64(3))
		assert.GreaterOrEqual(t, m.Writes, m.Steps)
		assert.Zero(t, m.Running)
		for _, h := range []durable.Histogram{m.StepTimes, m.WriteTimes} {
			assert.Len(t, h.Bounds, len(h.Counts)-1)
			assert.Zero(t, h.Sum, "in a bubble nothing takes time")
			assert.Positive(t, h.Counts[0])
		}
	})
}

func TestAStuckInstanceIsToldOf(t *testing.T) {
	in(t, func(t *testing.T) {
		stuck := make(chan durable.Event, 1)
		e := opened(t, durable.NewMemory())
		e.OnEvent(func(v durable.Event) {
			if v.Kind == durable.GotStuck {
				stuck <- v
			}
		})
		slow := scripted{step: nil, between: func(int) { panic("between") }}
		_, err := durable.Serve(e, slow.function(), struct{}{}).Start(t.Context(), "a", 1)
		require.NoError(t, err)
		v := <-stuck
		require.ErrorContains(t, v.Err, "between")
		assert.EqualValues(t, 1, e.Metrics().Stuck)
		time.Sleep(time.Second)
	})
}

// TestTheDashboardShowsWhatIsThere compares docs/howto/durable-dashboard.json with the engine's
// output: each name on the dashboard exists, and each metric is on the dashboard.
func TestTheDashboardShowsWhatIsThere(t *testing.T) {
	raw, err := os.ReadFile("../docs/howto/durable-dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(raw, &dashboard))
	var text bytes.Buffer
	times := durable.Histogram{Bounds: []float64{1}, Counts: []uint64{2, 1}, Sum: 4.5}
	require.NoError(t, durable.Metrics{StepTimes: times, WriteTimes: times}.WriteText(&text))
	for _, line := range []string{
		"# TYPE movenext_durable_steps_total counter", "movenext_durable_steps_total 0",
		`movenext_durable_step_seconds_bucket{le="1"} 2`, `movenext_durable_step_seconds_bucket{le="+Inf"} 3`,
		"movenext_durable_step_seconds_sum 4.5", "movenext_durable_step_seconds_count 3",
	} {
		assert.Contains(t, text.String(), line+"\n")
	}
	names := regexp.MustCompile(`movenext_\w+`)
	written := map[string]bool{}
	for line := range strings.Lines(text.String()) {
		if name := names.FindString(line); !strings.HasPrefix(line, "#") {
			written[name] = true
		}
	}
	shown := map[string]bool{}
	for _, p := range dashboard.Panels {
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			found := names.FindAllString(target.Expr, -1)
			require.NotEmpty(t, found, p.Title)
			for _, name := range found {
				assert.True(t, written[name], "%s: there is no metric %s", p.Title, name)
				shown[name] = true
			}
		}
	}
	for name := range written {
		assert.True(t, shown[name], "%s is on no panel", name)
	}
}
