package load

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNamesOfTestsFollowTheGoCommand(t *testing.T) {
	for name, want := range map[string]bool{
		"Test": true, "TestMain": true, "TestÄ": true, "Test1": true, "Test_x": true, "BenchmarkX": true,
		"FuzzX": true, "ExampleF_suffix": true, "Testify": false, "Testä": false, "test": false, "MyTest": false,
	} {
		assert.Equal(t, want, isTestName(name), name)
	}
}
