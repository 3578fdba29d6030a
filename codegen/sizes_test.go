package codegen

import (
	"go/build/constraint"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSizesFollowTheConditionOfTheFile(t *testing.T) {
	assert.EqualValues(t, 8, sizesOf(nil).Sizeof(types.Typ[types.Int]))
	for condition, want := range map[string]int64{
		"linux": 8, "386": 4, "386 && linux": 4, "linux && (arm || 386)": 4, "386 || amd64": 8,
		"!386": 8, "!amd64": 8, "!amd64 && 386 && !race": 4, "386 && (race || !race) && cgo": 4, "386 || unix": 8,
		"wasm": 8, "mips || mipsle": 4, "386 && amd64": 8, "s390x": 8,
	} {
		expr, err := constraint.Parse("//go:build " + condition)
		require.NoError(t, err)
		assert.Equal(t, want, sizesOf(expr).Sizeof(types.Typ[types.Int]), condition)
	}
}
