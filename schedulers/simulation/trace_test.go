package simulation

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARecordingKeepsAllChoices(t *testing.T) {
	for _, n := range []int{0, 1, 100, chunk, chunk + 1, 3*chunk + 5, 20_000} {
		var r recording
		var all Trace
		for i := range n {
			r.add(Choice{n, i})
			all = append(all, Choice{n, i})
		}
		require.Equal(t, n, r.len())
		require.Equal(t, len(all), len(r.trace()))
		require.True(t, slices.Equal(all, r.trace()))
	}
}
