package source

import (
	"go/build/constraint"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFileNamesAndTheConstraintsInThem(t *testing.T) {
	for name, want := range map[string]struct {
		twin string
		tags []string
	}{
		"x.go":                    {"x_async.go", nil},
		"x_test.go":               {"x_async_test.go", nil},
		"linux.go":                {"linux_async.go", nil},
		"x_linux.go":              {"x_linux_async.go", []string{"linux"}},
		"x_linux_test.go":         {"x_linux_async_test.go", []string{"linux"}},
		"x_amd64.go":              {"x_amd64_async.go", []string{"amd64"}},
		"x_linux_amd64.go":        {"x_linux_amd64_async.go", []string{"linux", "amd64"}},
		"x_y_wasip1_wasm_test.go": {"x_y_wasip1_wasm_async_test.go", []string{"wasip1", "wasm"}},
		"linux_amd64.go":          {"linux_amd64_async.go", []string{"amd64"}},
		"x_amd64_linux.go":        {"x_amd64_linux_async.go", []string{"linux"}},
		"x_unix.go":               {"x_unix_async.go", nil},
		"x_foo_bar.go":            {"x_foo_bar_async.go", nil},
	} {
		assert.Equal(t, want.twin, FileTwin(name))
		assert.Equal(t, want.tags, NameConstraints(name), name)
	}
}

func TestConditionsThatNoBuildFulfils(t *testing.T) {
	for text, want := range map[string]bool{
		"linux":                           true,
		"linux && windows":                false,
		"linux && !amd64":                 true,
		"unix && !linux":                  true,
		"unix && windows":                 false,
		"unix && linux && arm64":          true,
		"android && linux":                true,
		"ignore":                          false,
		"slow && !fast":                   true,
		"slow && !slow":                   false,
		"arm64 && 386":                    false,
		"a && b && c && d && e && f":      true,
		"a && b && c && d && e && f && g": false, // too many to try
	} {
		condition, err := constraint.Parse("//go:build " + text)
		require.NoError(t, err)
		assert.Equal(t, want, CanBeBuilt(nil, condition), text)
	}
	assert.True(t, CanBeBuilt(nil, nil))
}
