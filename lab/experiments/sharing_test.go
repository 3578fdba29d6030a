package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStealingMovesLessThanSharingWhereAllAreBusy(t *testing.T) {
	rows, err := migrations(4, 20_000)
	require.NoError(t, err)
	migrated := map[string]uint64{}
	for _, r := range rows {
		assert.Equal(t, 20_000, r.items)
		assert.LessOrEqual(t, r.migrated, 2*uint64(r.items), "%s, %s", r.load, r.strategy)
		migrated[r.load+", "+r.strategy] = r.migrated
	}
	assert.Less(t, migrated["plenty everywhere, stealing"], migrated["plenty everywhere, sharing"])
}

func TestTheTableHasARowForEachLoadAndStrategy(t *testing.T) {
	var out strings.Builder
	require.NoError(t, sharing(&out, 1, 7))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 7)
	for _, l := range lines[1:] {
		assert.Regexp(t, ` 7 +0 +0\.0$`, l, "a single processor has no other to share with or to steal from")
	}
}
