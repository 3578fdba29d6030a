package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEachExperimentPrintsATable(t *testing.T) {
	rows := map[string]int{"sharing": 6, "spinning": 6, "contention": 3, "locality": 3, "threads": 3, "long": 2, "shims": 8}
	for _, e := range experiments() {
		t.Run(e.name, func(t *testing.T) {
			var out strings.Builder
			require.NoError(t, e.run(&out, 2, 1_000))
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			assert.Len(t, lines, 1+rows[e.name], out.String())
			assert.True(t, strings.HasSuffix(e.question, "?"))
		})
	}
}

func TestNamesChooseExperiments(t *testing.T) {
	all, err := choose(nil)
	require.NoError(t, err)
	assert.Len(t, all, 7)
	two, err := choose([]string{"long", "sharing"})
	require.NoError(t, err)
	assert.Equal(t, "long", two[0].name)
	assert.Equal(t, "sharing", two[1].name)
	_, err = choose([]string{"none"})
	require.ErrorContains(t, err, `no experiment is named "none"`)
}
