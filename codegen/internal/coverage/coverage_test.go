package coverage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/internal/coverage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWhatIsNoProfileIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":            "",
		"another text":       "package p\n",
		"no mode":            "example.com/p/x.go:1.2,3.4 1 1\n",
		"a line that is cut": "mode: set\nexample.com/p/x_async.go:1.2,3.4 1",
		"a huge number":      "mode: set\nexample.com/p/x_async.go:1.2,3.4 1 99999999999999999999\n",
	} {
		_, _, err := coverage.Move(codegen.Config{Dir: t.TempDir()}, []byte(text))
		assert.ErrorIs(t, err, coverage.ErrNoProfile, name)
	}
}

func TestAProfileWithoutGeneratedFilesStays(t *testing.T) {
	text := "mode: count\nexample.com/p/x.go:1.2,3.4 1 7\n"
	moved, found, err := coverage.Move(codegen.Config{Dir: t.TempDir()}, []byte(text))
	assert.NoError(t, err)
	assert.Empty(t, found)
	assert.Equal(t, text, string(moved))
}
