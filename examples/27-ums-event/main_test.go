package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// the list is empty:      false
	// two workers came:       true
	// asked a second time:    false
	// one came and was taken: false
	// the thread obeys: dim the light
	// the thread runs: Ann
	// the thread runs: Bob
	// the thread obeys: lock the door
	// the thread ends: <nil>
}
