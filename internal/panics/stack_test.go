package panics

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func below(depth int) Stack {
	if depth == 0 {
		return Here()
	}
	return below(depth - 1)
}

func TestAShallowStackIsTheRuntimesText(t *testing.T) {
	text := string(below(3).Text())
	assert.Regexp(t, `^goroutine \d+ \[running\]:\n`, text)
	assert.Equal(t, 4, strings.Count(text, "panics.below("))
	assert.Contains(t, text, "TestAShallowStackIsTheRuntimesText")
	assert.Contains(t, text, "stack_test.go:14")
}

func TestADeepStackHasItsInnermostFrames(t *testing.T) {
	text := string(below(10_000).Text())
	assert.Contains(t, text, "internal/panics.Here(...)\n")
	assert.Equal(t, stackFrames-1, strings.Count(text, "panics.below("))
	assert.Contains(t, text, "stack_test.go:14")
	assert.True(t, strings.HasSuffix(text, "...additional frames elided...\n"))
}

func TestAStackThatIsTextStaysIt(t *testing.T) {
	assert.Equal(t, "text", string(Printed([]byte("text")).Text()))
	assert.Empty(t, Stack{}.Text())
}

func BenchmarkHere(b *testing.B) {
	for name, depth := range map[string]int{"shallow": 10, "deep": 10_000} {
		b.Run(name, func(b *testing.B) {
			var run func(int)
			run = func(depth int) {
				if depth > 0 {
					run(depth - 1)
					return
				}
				for b.Loop() {
					_ = Here()
				}
			}
			run(depth)
		})
	}
}
