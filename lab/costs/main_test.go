package main

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var row = regexp.MustCompile(`(?m)^\| (.+) \| (\d+) \| (\d+) \|$`)

// TestThePageSaysWhatIsMeasured: allocations are promised exactly, bytes as a bound, so
// that a saving breaks nothing.
func TestThePageSaysWhatIsMeasured(t *testing.T) {
	page, err := os.ReadFile("../../docs/costs.md")
	require.NoError(t, err)
	said := map[string][]int{}
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		allocs, _ := strconv.Atoi(m[2])
		bytes, _ := strconv.Atoi(m[3])
		said[m[1]] = []int{allocs, bytes}
	}
	measured := measureAll()
	assert.Len(t, said, len(measured), "rows; run go -C lab run ./costs again")
	for _, c := range measured {
		if !assert.Contains(t, said, c.operation) {
			continue
		}
		if instrumented {
			continue // the race detector allocates too
		}
		assert.Equal(t, said[c.operation][0], c.allocs, "allocations of %s", c.operation)
		if strconv.IntSize == 64 {
			assert.LessOrEqual(t, c.bytes, said[c.operation][1], "bytes of %s", c.operation)
		}
	}
}
