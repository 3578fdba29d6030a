package metrics

import (
	"time"

	"github.com/movenext/movenext/inspect"
)

// Latencies returns how long works and jobs have waited and run. The page of package inspect
// shows them:
//
//	inspect.Handler(inspect.Measured(c.Latencies))
//
// Quantiles are as accurate as their buckets, which are powers of two. It does not block.
func (c *Collector) Latencies() []inspect.Latency {
	var all []inspect.Latency
	add := func(of, what string, h Histogram) {
		if n := h.Count(); n > 0 {
			all = append(all, inspect.Latency{Of: of, What: what, Count: n, Half: seconds(h.Quantile(.5)), P99: seconds(h.Quantile(.99))})
		}
	}
	m := c.Read()
	for _, s := range m.Schedulers {
		add(s.Name, "work is queued", s.Start)
		add(s.Name, "work runs", s.Run)
		add(s.Name, "work blocks", s.Blocked)
		add(s.Name, "a worker sleeps", s.Parked)
	}
	for _, f := range m.Functions {
		add(f.Name, "jobs are not started", f.Start)
		add(f.Name, "jobs run", f.Run)
		add(f.Name, "jobs are suspended", f.Suspended)
	}
	return all
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
