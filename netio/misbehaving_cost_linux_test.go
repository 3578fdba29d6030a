package netio_test

import (
	"crypto/tls"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// processorTime returns how long the process has computed.
func processorTime() int64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return used.Utime.Nano() + used.Stime.Nano()
}

// BenchmarkMisbehaving reports how long the process computes for a connection, and the ratio to
// crypto/tls or net: the runs of both alternate. The peer's part, which is the same, is in both.
func BenchmarkMisbehaving(b *testing.B) {
	for _, f := range floods {
		name := "TCP"
		if f.version != 0 {
			name = tls.VersionName(f.version)
		}
		b.Run(name+" "+f.name, func(b *testing.B) {
			var ours, theirs int64
			for b.Loop() {
				there, want := flooded(b, f.version, f.piece, f.act, processorTime, floodedThere(b, f.version))
				here, got := flooded(b, f.version, f.piece, f.act, processorTime, floodedHere(b, f.version))
				require.Equal(b, want.bytes, got.bytes)
				ours, theirs = ours+here, theirs+there
			}
			b.ReportMetric(float64(ours)/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(theirs)/float64(b.N), "theirs-ns/op")
			b.ReportMetric(float64(ours)/float64(theirs), "ratio")
		})
	}
}
