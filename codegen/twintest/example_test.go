package twintest_test

import (
	"testing"

	"github.com/movenext/movenext/codegen/twintest"
)

// One test for each module, in any of its packages.
func ExampleFresh() {
	_ = func(t *testing.T) { twintest.Fresh(t) }
	// Output:
}
