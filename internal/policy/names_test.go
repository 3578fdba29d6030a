package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNames(t *testing.T) {
	got := finds(t, "names", `
-- internal/util/deep/a.go --
package deep
-- internal/util/b.go --
package files
-- job/pool_helpers_test.go --
package job
-- job/testutil.go --
package job
-- job/misc.go --
package job
-- job/state.go --
package common
-- job/uncommon.go --
package job
-- testdata/util/a.go --
package util
`)
	assert.Equal(t, []string{
		`internal/util: a folder named "util"`,
		`job/misc.go: a file named "misc"`,
		`job/pool_helpers_test.go: a file named "helpers"`,
		`job/state.go:1: a package named "common"`,
		`job/testutil.go: a file named "testutil"`,
	}, got)
}
