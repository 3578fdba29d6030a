package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMapped(t *testing.T) {
	got := finds(t, "map", `
-- ARCHITECTURE.md --
| `+"`internal/one`"+` | one |
-- internal/one/a.go --
package one
-- internal/one/inner/a.go --
package inner
-- internal/three/a.go --
package three
-- codegen/internal/five/a.go --
package five
-- job/a.go --
package job
`)
	assert.Equal(t, []string{
		"codegen/internal/five: ARCHITECTURE.md does not name it",
		"internal/three: ARCHITECTURE.md does not name it",
	}, got)
}
