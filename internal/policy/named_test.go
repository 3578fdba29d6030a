package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNamedTests(t *testing.T) {
	got := finds(t, "tests", `
-- a_test.go --
package a

func TestThatExists() {}
-- a.go --
package a

func TestOfAProgram() {}
-- p.md --
See `+"`TestThatExists`"+`, and run
`+"`go test -run 'TestThatIsGone|TestThatExists'`"+`, TestMain, TestX, FuzzThatIsGone.
TestOfAProgram is not a test.
`)
	assert.Equal(t, []string{
		`p.md:2: the test FuzzThatIsGone does not exist`,
		`p.md:2: the test TestThatIsGone does not exist`,
		`p.md:3: the test TestOfAProgram does not exist`,
	}, got)
}
