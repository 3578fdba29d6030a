package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// a seed that loses an update was found; the counter is 1 after 1h1m0s
	// the same seed again: 1 same choices: true
	// replayed from text: 1 <nil>
}
