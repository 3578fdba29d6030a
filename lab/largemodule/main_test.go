package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheModuleIsAsLargeAsItSaysAndWithoutFindings(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, module{packages: 3, functions: 4}.write(dir))
	result, err := codegen.Generate(codegen.Config{Dir: dir})
	require.NoError(t, err)
	assert.Empty(t, result.Diagnostics)
	assert.Len(t, result.Files, 6)
}
