package workloads

import (
	"flag"
	"runtime"
	"testing"
	"time"

	"github.com/movenext/movenext/lab/bench/suite"
)

// scale divides the size of the workloads, for quick runs.
var scale = flag.Int("scale", 10, "divide the size of the works by this")

// BenchmarkWorks has a benchmark for each contender of each workload. One iteration is a complete
// run of the workload; the printed time, B/op and allocs/op are per operation.
func BenchmarkWorks(b *testing.B) {
	for _, w := range All() {
		b.Run(w.ID, func(b *testing.B) {
			for i := range w.Contenders {
				b.Run(w.Contenders[i].Name, func(b *testing.B) { benchmark(b, w, &w.Contenders[i]) })
			}
		})
	}
}

func benchmark(b *testing.B, w *suite.Work, c *suite.Contender) {
	n := max(1, w.N / *scale)
	if c.Most > 0 {
		n = min(n, c.Most)
	}
	b.ReportAllocs()
	run, stop := c.Start(suite.Setting{Nap: time.Second})
	defer stop()
	arg, ops := w.Shape(n)

	var m suite.Meter
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		if err := run(&m, arg); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)

	each := 1 / (float64(b.N) * float64(ops))
	b.ReportMetric(float64(b.Elapsed()-m.Excluded())*each, "ns/"+unit(w.Op))
	b.ReportMetric(0, "ns/op") // of a complete run: meaningless
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)*each, "B/op")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)*each, "allocs/op")
	for name, v := range m.Values() {
		b.ReportMetric(v, unit(name))
	}
}

// unit returns a name as package testing requires it: as one word.
func unit(name string) string {
	word := []byte(name)
	for i, c := range word {
		if c == ' ' {
			word[i] = '-'
		}
	}
	return string(word)
}
