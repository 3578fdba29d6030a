package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// hello, Ann and hello, Bob <nil>
	// hello, Cy and hello, Dee <nil>
}
