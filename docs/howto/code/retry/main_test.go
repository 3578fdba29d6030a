package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// a page <nil>
	// calls: 3
	// after 2 attempts: busy true
	// a page for the second request <nil>
}
