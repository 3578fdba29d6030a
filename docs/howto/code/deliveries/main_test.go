package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The page says what each form takes. What package net/http and the logger allocate is not ours, so
// the first two forms have no limit.
func TestEachFormTakesLessThanTheOneBefore(t *testing.T) {
	limits := map[string]int64{"one attempt": 1100, "own loop": 800}
	before := int64(5000)
	for _, f := range forms {
		each := bytesEach(5000, f.run)
		t.Logf("%s: %d bytes", f.name, each)
		assert.Less(t, each, before-200, f.name)
		if limit := limits[f.name]; limit > 0 {
			assert.LessOrEqual(t, each, limit, f.name)
		}
		before = each
	}
}
