package timers

import (
	"testing"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// BenchmarkCrowd arms a million timers and removes them, in the order of their times.
func BenchmarkCrowd(b *testing.B) {
	for _, c := range []struct {
		name  string
		pause func(i int) time.Duration
	}{
		{"equally long", func(int) time.Duration { return 0 }},
		{"of two lengths", func(i int) time.Duration { return time.Duration(i&1) * time.Millisecond }},
		{"at random", func(i int) time.Duration { return time.Duration(uint32(i)*2654435761) >> 8 }},
	} {
		b.Run(c.name, func(b *testing.B) {
			const n = 1_000_000
			all := make([]schedulers.Timer, n)
			b.ReportAllocs()
			for b.Loop() {
				q := Queue{base: time.Now().Add(-time.Hour), alarmTime: 0, firing: true}
				for i := range all {
					q.StartTimer(&all[i], c.pause(i))
				}
				var due []expiry
				for q.earliest().timer != nil {
					q.base = time.Now().Add(-2 * time.Hour) // all are due
					due = q.takeDue(due[:0])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/timer")
		})
	}
}
