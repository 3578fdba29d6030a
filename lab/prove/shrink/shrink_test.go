package shrink

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestShrinkFindsTheSmallestProgramThatFails uses a failure that needs two calls in one function
// and nothing around them.
func TestShrinkFindsTheSmallestProgramThatFails(t *testing.T) {
	const source = `package p

func other() {}

func f() {
	x := 1
	for i := 0; i < 10; i++ {
		if i > 3 && x == 1 {
			first(i, x+2)
		}
		switch x {
		case 1:
			x++
		default:
			second([]int{1, 2, 3})
		}
	}
	return
}
`
	rounds := 0
	small, err := Shrink(source, Test{
		AtOnce: 50,
		Mend: func(source string) (string, error) {
			_, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
			return source, err
		},
		Fails: func(sources []string) ([]bool, error) {
			rounds++
			var fails []bool
			for _, s := range sources {
				fails = append(fails, strings.Contains(s, "first(") && strings.Contains(s, "second("))
			}
			return fails, nil
		},
	})
	require.NoError(t, err)
	assert.Equal(t, "package p func f() { first(i, 0) second(0) }", strings.Join(strings.Fields(small), " "))
	assert.Less(t, rounds, 20)
}
