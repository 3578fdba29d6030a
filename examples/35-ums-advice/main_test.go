package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// a hundred calls, each marked: 102 activations
	// a hundred calls, marked as one: 3 activations
	// threads that one worker has run for: 2
}
