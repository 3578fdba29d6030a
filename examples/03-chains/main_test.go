package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// Foo2
	// Bar2
	// Baz2
	// Foo1
	// Bar1
	// Baz1
}
