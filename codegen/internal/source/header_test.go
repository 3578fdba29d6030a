package source

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
