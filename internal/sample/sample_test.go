package sample_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/sample"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	first, again := sample.Hash(0xc0012340), sample.Hash(0xc0012340)
	fmt.Println(first == again)
	// Output: true
}

// Objects of one size are next to each other in memory; about one in sixteen is selected.
func TestObjectsAtRegularDistancesAreSpread(t *testing.T) {
	for _, size := range []uintptr{16, 32, 48, 64, 96, 128, 192, 256, 1024, 8192} {
		const n = 1 << 14
		chosen := 0
		for i := range uintptr(n) {
			if sample.Hash(0xc0000000+i*size)>>60 == 0 {
				chosen++
			}
		}
		assert.InDelta(t, n/16, chosen, n/64, "objects of %d bytes", size)
	}
}
