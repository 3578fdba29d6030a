package workloads

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTargetsAreOfContendersThatThereAre(t *testing.T) {
	known := map[string]bool{}
	for _, w := range All() {
		known[w.ID] = true
		for _, target := range w.Targets {
			_, err := w.Contender(target.Contender)
			assert.NoError(t, err, w.ID)
			if target.Base != "" {
				assert.True(t, slices.Contains(w.Bases, target.Base), "%s: %s is not a base", w.ID, target.Base)
			}
			assert.LessOrEqual(t, target.Goal, target.Ship, "%s %s", w.ID, target.Contender)
			assert.Positive(t, target.Goal, "%s %s", w.ID, target.Contender)
		}
	}
	for id := range targets {
		assert.True(t, known[id], "there is no work %s", id)
	}
}
