package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBothFormsOfEachProgramComputeTheSame(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			want, err := p.goroutines(context.Background(), p.few)
			require.NoError(t, err)
			assert.NotZero(t, want)
			got, err := p.twin(context.Background(), p.few)
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
}

func TestTheTableHasARowForEachProgram(t *testing.T) {
	var out strings.Builder
	require.NoError(t, compare(&out, programs, 1, func(p program) int { return p.few }))
	for _, p := range programs {
		assert.Contains(t, out.String(), "| "+p.name+": ")
	}
	wrong := programs[0]
	wrong.twin = func(context.Context, int) (int, error) { return -1, nil }
	require.ErrorContains(t, compare(&out, []program{wrong}, 1, func(p program) int { return p.few }), "machines -1")
}
