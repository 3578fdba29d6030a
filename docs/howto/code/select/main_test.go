package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// timeout: true
	// sent: <nil>
	// either: [tea] <nil>
	// a still has its next order: <nil> milk
	// default: nothing
}
