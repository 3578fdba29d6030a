package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// an answer on line 2
	// an answer on line 1
	// an answer on line 2
	// hangs up line 1
	// an answer on line 2
	// hangs up line 2
	// an answer on line 3
	// caller 4: line 1: coord: the object is broken
	// 11s, {In:1 Out:0 Waiting:0 Made:3 Discarded:2} <nil>
	// hangs up line 3
	// closed: true
}
