package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLeaks(t *testing.T) {
	got := finds(t, "leaks", `
-- bare/a_test.go --
package bare
func TestA() {}
-- example/a_test.go --
package example_test
func ExampleA() {}
-- unused/a_test.go --
package unused
import "go.uber.org/goleak"
func TestA() { goleak.VerifyTestMain(nil) }
-- silent/a_test.go --
package silent
import _ "go.uber.org/goleak"
func TestMain() {}
func FuzzA() {}
-- good/a_test.go --
package good
func TestA() {}
-- good/b_test.go --
package good_test
import leak "go.uber.org/goleak"
func TestMain() {
	if reexec() {
		return
	}
	leak.VerifyTestMain(nil)
}
-- benchmark/a_test.go --
package benchmark
func BenchmarkA() {}
func Testify() {}
-- code/a.go --
package code
func TestA() {}
`)
	assert.Equal(t, []string{
		"bare: has tests (bare/a_test.go) that do not look for leaked goroutines",
		"example: has tests (example/a_test.go) that do not look for leaked goroutines",
		"silent: has tests (silent/a_test.go) that do not look for leaked goroutines",
		"unused: has tests (unused/a_test.go) that do not look for leaked goroutines",
	}, got)
}
