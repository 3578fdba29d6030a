package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// 10000 children waited at once, error: <nil>
	// fewer than 50 goroutines: true
}
