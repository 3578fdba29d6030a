package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// items that have run: 2000 and 200
	// the small batch's share while both had work is within 10 % of a half: true
}
