package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTwoExecutionsOfRandomPrograms is what the command fuzz does for hours, for
// a few programs.
func TestTwoExecutionsOfRandomPrograms(t *testing.T) {
	var out bytes.Buffer
	err := fuzz(t.Context(), []string{"-dir", t.TempDir(), "-n", "15", "-shrink", "0"}, &out)
	require.NoError(t, err, "%s", &out)
	assert.Contains(t, out.String(), "15 programs")
}

func TestUnknownCommandsAreRefused(t *testing.T) {
	var out, errs bytes.Buffer
	assert.Equal(t, 2, run(t.Context(), []string{"guess"}, &out, &errs))
	assert.Contains(t, errs.String(), "usage")
	assert.Equal(t, 2, run(t.Context(), []string{"fuzz", "-nonsense"}, &out, &errs))
}
